import type { Command, Context } from './command.ts';
import { gatedRun, listGates } from './gate.ts';
import { report } from './report.ts';

export const command: Command = {
  name: 'approve',
  summary: 'Say that what waits for you is good. Alone: list what waits.',
  arguments: { usage: '[run|approval]', min: 0, max: 1 },
  flags: [
    { name: 'note', kind: 'value', value: 'text', says: 'for the record' },
    { name: 'once', kind: 'switch', says: 'this one only (the default)' },
    {
      name: 'for-run',
      kind: 'switch',
      says: 'the same call for the whole run',
      later: 'it comes with the next change',
    },
  ],
  examples: ['pawl approve m3xa'],
  run,
};

async function run(context: Context): Promise<number> {
  const { given } = context;
  const [reference] = given.words;
  if (reference === undefined) return listGates(context);
  const { view, principal } = await gatedRun(context, reference, { verb: 'approve', more: '' });
  const client = await context.client();
  const note = given.text('note');
  const next = await client.resolveGate(view.id, 'approved', note, principal);
  await client.ensureDriver();
  const approval = {
    id: view.gate?.approval ?? null,
    kind: view.gate?.kind ?? null,
    run: view.id,
    outcome: 'approved',
    actor: principal.actor,
    channel: principal.channel,
  };
  return report(context, next, { line: 'approved', fields: { approval } });
}
