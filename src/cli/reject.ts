import { RequestError } from '../kernel/errors.ts';
import { canAsk } from './ask.ts';
import type { Command, Context } from './command.ts';
import { gatedRun, listGates, resolved, waitingGates } from './gate.ts';

export const command: Command = {
  name: 'reject',
  summary: 'Say that it is not good yet; your reasons start the next attempt.',
  arguments: { usage: '[run|approval]', min: 0, max: 1 },
  flags: [
    {
      name: 'note',
      kind: 'value',
      value: 'text',
      says: 'why; the agent is told (else it is asked)',
    },
  ],
  examples: ['pawl reject m3xa --note "label is cut off"'],
  run,
};

async function run(context: Context): Promise<number> {
  const { given, called } = context;
  const [reference] = given.words;
  if (reference === undefined) return listGates(context, await waitingGates(context));
  const typed = given.text('note')?.trim() ?? '';
  const more = ` --note "${typed === '' ? '…' : typed}"`;
  const { view, principal } = await gatedRun(context, reference, { verb: 'reject', more });
  const note = typed === '' && canAsk(context) ? await asked(context) : typed;
  if (note === '') {
    throw new RequestError('note_missing', 'reject needs a note: the agent is told why', {
      next: `${called} reject ${view.short} --note "…"`,
    });
  }
  return resolved(context, { view, principal, outcome: 'rejected', note });
}

const asked = async ({ io }: Context): Promise<string> =>
  (await io.ask('what is not good yet › '))?.trim() ?? '';
