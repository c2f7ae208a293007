import type { RunView } from '../ports/client.ts';
import type { Command, Context } from './command.ts';
import { exits } from './exit.ts';
import { wrongVerb } from './next.ts';
import { report } from './report.ts';

export const command: Command = {
  name: 'cancel',
  summary: 'End runs. What was recorded stays on their branches.',
  arguments: { usage: '<run>…', min: 1, max: 100 },
  flags: [
    { name: 'note', kind: 'value', value: 'text', says: 'why, for the record' },
    {
      name: 'now',
      kind: 'switch',
      says: 'without asking the lane to end first',
      later: 'a cancel asks the lane to end, and ends its tree 5 seconds later by itself',
    },
  ],
  examples: ['pawl cancel 7k2m'],
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
  for (const { id } of views) {
    const view = await client.cancel(id, context.given.text('note') ?? '', principal);
    const line =
      view.status === 'cancelled' ? 'cancelled; the work is kept' : 'cancelling; the work is kept';
    report(context, view, { line });
  }
  await client.ensureDriver();
  return exits.done;
}
