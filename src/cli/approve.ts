import { RequestError } from '../kernel/errors.ts';
import type { RunView } from '../ports/client.ts';
import { showCard } from './approval-card.ts';
import { canAsk } from './ask.ts';
import type { Command, Context } from './command.ts';
import { gatedRun, listGates, resolved, waitingGates } from './gate.ts';

export const command: Command = {
  name: 'approve',
  summary: 'Say that what waits for you is good: a card on a terminal. Alone: list what waits.',
  arguments: { usage: '[run|approval]', min: 0, max: 1 },
  flags: [
    { name: 'note', kind: 'value', value: 'text', says: 'for the record' },
    { name: 'once', kind: 'switch', says: 'this one only (the default)' },
    {
      name: 'for-run',
      kind: 'switch',
      says: 'the same again for the whole run: this exact call of an agent, these paths',
    },
  ],
  examples: ['pawl approve', 'pawl approve m3xa', 'pawl approve m3xa --yes --for-run'],
  run,
};

async function run(context: Context): Promise<number> {
  const { given } = context;
  if (given.has('once') && given.has('for-run')) {
    throw new RequestError('usage', '--once and --for-run are both given', {
      next: 'keep one of the two',
    });
  }
  const [reference] = given.words;
  if (reference !== undefined) return approve(context, reference);
  const waiting = await waitingGates(context);
  const [only] = waiting;
  const isCard = waiting.length === 1 && canAsk(context);
  return only !== undefined && isCard ? approve(context, only.id) : listGates(context, waiting);
}

async function approve(context: Context, reference: string): Promise<number> {
  const { view, principal } = await gatedRun(context, reference, { verb: 'approve', more: '' });
  checkReach(context, view);
  if (canAsk(context)) return showCard(context, { view, principal });
  const note = context.given.text('note');
  const reach = context.given.has('for-run') ? ({ forRun: true } as const) : {};
  const isCall = view.gate?.kind === 'permission';
  return resolved(context, {
    ...{ view, principal, outcome: 'approved', note },
    ...(isCall ? reach : {}),
  });
}

/** How far a yes reaches is a property of what was asked, so that the other is refused. */
function checkReach({ given, called }: Context, { gate, short }: RunView): void {
  if (gate?.kind === 'permission') return;
  const isProtected = gate?.kind === 'protected';
  const wrong = isProtected ? 'once' : 'for-run';
  if (!given.has(wrong)) return;
  const why = isProtected
    ? 'paths that are allowed stay allowed for the run'
    : 'a look is at one commit; the next attempt is looked at anew';
  throw new RequestError('usage', `--${wrong} does not fit: ${why}`, {
    next: `${called} approve ${short}`,
  });
}
