/** `pawl run`: one goal, pursued until its checks pass, something parks it, or somebody ends it. */

import type { Defined } from '../contract/define.ts';
import { asDryRun } from '../contract/dry-run.ts';
import type { Command, Context } from './command.ts';
import { defineHere } from './define-here.ts';
import { heartbeatOf } from './heartbeat.ts';
import { definitionFlags, flagLayer, sourceFlags, viewFlags } from './run-flags.ts';
import { type StartOptions, startAndView } from './start.ts';

export const command: Command = {
  name: 'run',
  summary: 'Pursue one goal until its checks pass in a clean checkout.',
  arguments: { usage: '[goal] [-- <agent args>]', min: 0, max: 1, rest: true },
  flags: [
    ...definitionFlags,
    ...sourceFlags,
    ...viewFlags,
    {
      name: 'dry-run',
      kind: 'switch',
      says: 'print the definition and go through a run of it: no agent, no check, no branch',
    },
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
  const isDetached = given.has('detach');
  if (given.has('dry-run')) return dryRun(context, defined, { heartbeatMs, isDetached });
  return startAndView(context, { ...defined, heartbeatMs, isDetached });
}

/** The definition as it would be, then the way of a run of it: real rows and hosts, no agent. */
function dryRun(
  context: Context,
  { definition, notes }: Defined,
  how: Pick<StartOptions, 'heartbeatMs' | 'isDetached'>,
): Promise<number> {
  if (context.isJson) context.json({ schema: 'pawl.definition/1', definition, notes });
  else {
    context.print([
      JSON.stringify(definition, null, 2),
      ...notes.map((note) => `note: ${note}`),
      '',
    ]);
  }
  return startAndView(context, {
    ...how,
    definition: asDryRun(definition),
    notes: ['dry run: no agent is started, no check is run, nothing is verified'],
    isDryRun: true,
  });
}
