import type { Command, Context } from './command.ts';
import { wrongVerb } from './next.ts';
import { report } from './report.ts';

export const command: Command = {
  name: 'pause',
  summary: 'Stop a run after its turn; pawl resume goes on, and nothing is counted.',
  arguments: { usage: '<run>', min: 1, max: 1 },
  flags: [
    { name: 'now', kind: 'switch', says: 'interrupt the lane instead of waiting for its turn' },
  ],
  examples: ['pawl pause 7k2m'],
  run,
};

async function run(context: Context): Promise<number> {
  const view = await context.find(context.given.words[0] ?? '');
  if (view.status !== 'active') throw wrongVerb(view, 'active', context.called);
  const client = await context.client();
  const isNow = context.given.has('now');
  const paused = await client.pause(view.id, isNow, await context.principal());
  await client.ensureDriver();
  const line =
    paused.status === 'paused' ? 'paused' : isNow ? 'pausing now' : 'pausing after the turn (10s)';
  return report(context, paused, { line });
}
