/** `pawl run`: one goal, pursued until its checks pass, something parks it, or somebody ends it. */

import { type Defined, define } from '../contract/define.ts';
import type { Layer } from '../contract/layer.ts';
import { mergeLayers } from '../contract/merge.ts';
import { RequestError } from '../kernel/errors.ts';
import type { Command, Context } from './command.ts';
import { exits } from './exit.ts';
import { heartbeatOf } from './heartbeat.ts';
import { preflight } from './preflight.ts';
import { definitionFlags, flagLayer, goalOf, sourceFlags, viewFlags } from './run-flags.ts';
import { checksFolder, readSettings } from './settings.ts';
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

/** The definition of a run that would start here. @throws ConfigError, RequestError. */
export async function defineHere(context: Context, flags: Layer): Promise<Defined> {
  const { given, io } = context;
  const goal = await goalOf(given, { file: io.readFile, input: io.readInput });
  const root = await context.projectRoot();
  const { layers, projectFile } = await readSettings(context, root);
  const all = [flags, ...layers];
  const { value } = mergeLayers(all);
  if ((goal ?? value.goal ?? '').trim() === '') {
    throw new RequestError('goal_missing', 'no goal is given', {
      next: 'pawl run "make the failing tests pass"',
    });
  }
  const ground = await preflight({
    workspace: await context.workspace(),
    directory: context.directory,
    checksIn: await checksFolder(context, root, projectFile),
    isolation: value.workspace?.isolation ?? 'worktree',
    given,
  });
  const defined = define(all, {
    goal,
    name: given.text('name'),
    project: { root: ground.root, name: ground.name, kind: 'user', cwd: ground.cwd },
    base: ground.base,
    baseBranch: ground.baseBranch,
    includeChanges: ground.includesChanges,
    extraCriteria: extraCriteria(context, goal ?? value.goal ?? ''),
  });
  return { ...defined, notes: [...ground.notes, ...defined.notes] };
}

function extraCriteria({ given }: Context, goal: string) {
  return [
    ...given.list('oracle').map((oracle) => ({ oracle })),
    ...(given.has('manual') ? [{ manual: goal }] : []),
  ];
}

function dryRun(context: Context, { definition, notes }: Defined): number {
  if (context.isJson) context.json({ schema: 'pawl.definition/1', definition, notes });
  else
    context.print([JSON.stringify(definition, null, 2), ...notes.map((note) => `note: ${note}`)]);
  return exits.done;
}
