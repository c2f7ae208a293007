import type { RunView } from '../ports/client.ts';
import type { Command, Context } from './command.ts';
import { salvagedOf } from './ending.ts';
import { exits } from './exit.ts';
import { isUnbegun, wrongVerb } from './next.ts';
import { report } from './report.ts';

export const command: Command = {
  name: 'cancel',
  summary: 'End runs. What was recorded stays on their branches.',
  arguments: { usage: '<run>…', min: 1, max: 100 },
  flags: [
    { name: 'note', kind: 'value', value: 'text', says: 'why, for the record' },
    { name: 'now', kind: 'switch', says: 'end the lane at once, without asking it to end first' },
  ],
  examples: ['pawl cancel 7k2m', 'pawl cancel 7k2m --now'],
  run,
};

async function run(context: Context): Promise<number> {
  const views: RunView[] = [];
  // All are looked up first, so that a mistyped id cancels nothing.
  for (const word of context.given.words) views.push(await context.find(word));
  const ended = views.find(({ status }) => status === 'complete' || status === 'cancelled');
  if (ended !== undefined) throw wrongVerb(ended, 'open', context.called);
  const client = await context.client();
  const principal = await context.principal();
  const note = context.given.text('note') ?? '';
  for (const { id } of views) {
    const view = await client.cancel(id, note, principal, context.given.has('now'));
    const salvaged = await salvagedOf(context, view);
    const line = `${view.status}; ${salvaged === null ? keptWords(view) : `the work is kept: ${salvaged}`}`;
    report(context, view, { line, fields: { salvaged } });
  }
  await client.ensureDriver();
  return exits.done;
}

/** What a lane has done is recorded with its end, although nothing may be there yet. */
function keptWords(view: RunView): string {
  const isBegun = view.counters.executions > 1 || view.execution?.job.role === 'execute';
  return isUnbegun(view) && !isBegun ? 'nothing was begun' : 'the work is kept';
}
