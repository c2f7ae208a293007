/** `pawl run`: one goal, pursued until its checks pass, something parks it, or somebody ends it. */

import type { Defined } from '../contract/define.ts';
import type { Command, Context } from './command.ts';
import { defineHere } from './define-here.ts';
import { exits } from './exit.ts';
import { heartbeatOf } from './heartbeat.ts';
import { definitionFlags, flagLayer, sourceFlags, viewFlags } from './run-flags.ts';
import { startAndView } from './start.ts';

export const command: Command = {
  name: 'run',
  summary: 'Pursue one goal until its checks pass in a clean checkout.',
  arguments: { usage: '[goal] [-- <agent args>]', min: 0, max: 1, rest: true },
  flags: [
    ...definitionFlags,
    ...sourceFlags,
    ...viewFlags,
    { name: 'dry-run', kind: 'switch', says: 'print the definition and start nothing' },
  ],
  examples: [
    'pawl run "make the date tests pass" -c "npm test" --agent-cmd "my-agent {prompt}"',
    'pawl run "make the date tests pass" -d',
  ],
  run,
};

async function run(context: Context): Promise<number> {
  const { given } = context;
  const flags = flagLayer(given);
  const heartbeatMs = heartbeatOf(context.given);
  const defined = await defineHere(context, flags);
  if (given.has('dry-run')) return dryRun(context, defined);
  return startAndView(context, {
    definition: defined.definition,
    notes: defined.notes,
    heartbeatMs,
    isDetached: given.has('detach'),
  });
}

function dryRun(context: Context, { definition, notes }: Defined): number {
  if (context.isJson) context.json({ schema: 'pawl.definition/1', definition, notes });
  else
    context.print([JSON.stringify(definition, null, 2), ...notes.map((note) => `note: ${note}`)]);
  return exits.done;
}
