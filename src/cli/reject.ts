import { RequestError } from '../kernel/errors.ts';
import type { Command, Context } from './command.ts';
import { gatedRun, listGates } from './gate.ts';
import { report } from './report.ts';

export const command: Command = {
  name: 'reject',
  summary: 'Say that it is not good yet; your reasons start the next attempt.',
  arguments: { usage: '[run|approval]', min: 0, max: 1 },
  flags: [{ name: 'note', kind: 'value', value: 'text', says: 'why; the agent is told' }],
  examples: ['pawl reject m3xa --note "label is cut off"'],
  run,
};

async function run(context: Context): Promise<number> {
  const { given, called } = context;
  const [reference] = given.words;
  if (reference === undefined) return listGates(context);
  const note = given.text('note')?.trim() ?? '';
  const more = ` --note "${note === '' ? '…' : note}"`;
  const { view, principal } = await gatedRun(context, reference, { verb: 'reject', more });
  if (note === '')
    throw new RequestError('note_missing', 'reject needs a note: the agent is told why', {
      next: `${called} reject ${view.short}${more}`,
    });
  const client = await context.client();
  const next = await client.resolveGate(view.id, 'rejected', note, principal);
  await client.ensureDriver();
  const approval = {
    id: view.gate?.approval ?? null,
    kind: view.gate?.kind ?? null,
    run: view.id,
    outcome: 'rejected',
    actor: principal.actor,
    channel: principal.channel,
  };
  return report(context, next, {
    line: 'rejected; the next attempt gets your note',
    fields: { approval },
  });
}
