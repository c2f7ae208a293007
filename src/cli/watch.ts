import type { Command, Context } from './command.ts';
import { heartbeatOf } from './heartbeat.ts';
import { viewRun } from './viewer.ts';

export const command: Command = {
  name: 'watch',
  summary: 'The live view of a run; closing it ends nothing, Ctrl-C pauses the run.',
  arguments: { usage: '<run>', min: 1, max: 1 },
  flags: [
    {
      name: 'timeout',
      kind: 'value',
      value: 'span',
      says: 'leave after this long (exit 124); the run goes on',
    },
    {
      name: 'heartbeat',
      kind: 'value',
      value: 'span|off',
      says: 'in a pipe, a line at least this often (60s)',
    },
  ],
  examples: ['pawl watch @last'],
  run,
};

async function run(context: Context): Promise<number> {
  const heartbeatMs = heartbeatOf(context.given);
  const timeoutMs = context.given.durationMs('timeout');
  const view = await context.find(context.given.words[0] ?? '');
  const client = await context.client();
  const definition = await client.definition(view.id);
  return viewRun(context, {
    ...{ client, run: view, definition, notes: [], heartbeatMs, timeoutMs },
    leavesOnTerminate: true,
  });
}
