/** `pawl retry`: a new run with another definition; a parked one is ended by it (EV-52). */
import { define } from '../contract/define.ts';
import { snapshotLayer } from '../contract/snapshot-layer.ts';
import { RequestError } from '../kernel/errors.ts';
import type { RunView } from '../ports/client.ts';
import type { Commit, Definition } from '../ports/words.ts';
import { agentInPlace } from './agent-in-place.ts';
import type { Command, Context } from './command.ts';
import { editLayer } from './edit.ts';
import { heartbeatOf } from './heartbeat.ts';
import { inputsOf } from './inputs.ts';
import { wrongVerb } from './next.ts';
import { definitionFlags, flagLayer, goalOf, viewFlags } from './run-flags.ts';
import { startAndView } from './start.ts';

export const command: Command = {
  name: 'retry',
  summary: 'Start a new run from an ended or parked one (which it cancels); run flags override.',
  arguments: { usage: '<run> [-- <agent args>]', min: 1, max: 1, rest: true },
  flags: [
    ...definitionFlags,
    ...viewFlags,
    { name: 'base', kind: 'value', value: 'rev', says: 'cut the new branch from here' },
    {
      name: 'from',
      kind: 'value',
      value: 'what',
      says: 'go on from the last work (last), or from the base',
      oneOf: ['last', 'base'],
    },
    { name: 'edit', kind: 'switch', says: 'edit the definition first, in $EDITOR' },
  ],
  examples: ['pawl retry p0ne --goal-file g.md', 'pawl retry q4wd --base main'],
  run,
};

async function run(context: Context): Promise<number> {
  const { given, called } = context;
  const view = await context.find(given.words[0] ?? '');
  const principal =
    view.status === 'needs_operator'
      ? await context.human('retry', view, `${called} retry ${view.short}`)
      : await context.principal();
  if (!['needs_operator', 'complete', 'cancelled'].includes(view.status)) {
    throw wrongVerb(view, 'ended or parked', called);
  }
  if (view.dryRun === true) throw nothingToRetry(view.short);
  const client = await context.client();
  const before = await client.definition(view.id);
  const { definition, notes } = await redefine(context, view, before);
  await agentInPlace(context, definition);
  // Another base leaves the old work behind: it grew on what the new run is not cut from.
  const from = given.text('base') === null ? fromOf(given.text('from')) : 'base';
  const isDetached = given.has('detach');
  return startAndView(context, {
    definition,
    notes: [
      `goes on from ${view.short}${from === 'last' ? ' and its last work' : ''}`,
      ...(view.status === 'needs_operator' ? [`${view.short} was parked and is cancelled`] : []),
      ...notes,
    ],
    heartbeatMs: heartbeatOf(given),
    isDetached,
    start: (opened) => opened.retry(view.id, { definition, from, detached: isDetached }, principal),
  });
}

/** It has no agent in its definition, and no work that anything could go on from. */
const nothingToRetry = (short: string): RequestError =>
  new RequestError('wrong_verb', `${short} was a dry run: there is nothing to go on from`, {
    next: 'pawl run "…" (as before, without --dry-run)',
  });

function fromOf(text: string | null): 'last' | 'base' {
  return text === 'base' ? 'base' : 'last';
}

async function redefine(context: Context, view: RunView, before: Definition) {
  const { given } = context;
  const flags = flagLayer(given);
  const goal = await goalOf({ ...given, words: [] }, inputsOf(context));
  const snapshot = snapshotLayer(before, `run ${view.short}`);
  const layer = given.has('edit') ? await editLayer(context, snapshot) : snapshot;
  return define([flags, layer], {
    goal,
    name: given.text('name') ?? before.name,
    project: before.project,
    base: await baseOf(context, before),
    baseBranch: before.source.baseBranch,
    includeChanges: before.source.includeChanges && given.text('base') === null,
    path: context.options.env['PATH'] ?? null,
    environment: context.options.env,
    extraCriteria: [
      ...given.list('oracle').map((oracle) => ({ oracle })),
      ...(given.has('manual') ? [{ manual: goal ?? before.intent.originalIntent }] : []),
    ],
  });
}

async function baseOf(context: Context, { source, project }: Definition): Promise<Commit | null> {
  const revision = context.given.text('base');
  if (revision === null) return source.base;
  const base = await (await context.workspace()).resolve(project.root, revision);
  if (base !== null) return base;
  throw new RequestError('bad_value', `"${revision}" is no commit in ${project.root}`, {
    where: '--base',
  });
}
