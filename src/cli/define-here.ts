/**
 * The definition of a run that would start here: flags, environment and files, and below them what
 * detection finds. What is in the way is said, and on a terminal asked about, before anything is
 * spent (UX 1.2, 1.5).
 */
import { dirname, relative } from 'node:path';
import { type Defined, type DefineFacts, define } from '../contract/define.ts';
import type { DefinitionFile } from '../contract/definition-file.ts';
import type { Layer } from '../contract/layer.ts';
import { mergeLayers } from '../contract/merge.ts';
import { RequestError } from '../kernel/errors.ts';
import { agentInPlace, withInstalled } from './agent-in-place.ts';
import { chooseChecks, detectedLayer } from './chosen-checks.ts';
import type { Context } from './command.ts';
import { type Discovery, discover } from './discovery.ts';
import { inputsOf } from './inputs.ts';
import { type Ground, preflight } from './preflight.ts';
import { goalOf } from './run-flags.ts';
import { readSettings } from './settings.ts';
import { settingsPrint } from './settings-print.ts';
import { agentLines, discoveryLines } from './views/discovery.ts';

/** @throws ConfigError, RequestError. */
export async function defineHere(context: Context, flags: Layer): Promise<Defined> {
  const { given } = context;
  const goal = await goalOf(given, inputsOf(context));
  const { layers, projectFile } = await readSettings(context, await context.projectRoot());
  const told = [flags, ...layers];
  const { value } = mergeLayers(told);
  if ((goal ?? value.goal ?? '').trim() === '') {
    throw new RequestError('goal_missing', 'no goal is given', {
      next: 'pawl run "make the failing tests pass"',
    });
  }
  const ground = await preflight(context, value.workspace?.isolation ?? 'worktree');
  const found = await discover(
    context,
    projectFile === null ? context.directory : dirname(projectFile),
  );
  const extra = extraCriteria(context, goal ?? value.goal ?? '');
  const cwd = checksIn(found, projectFile);
  const detected = await detect(context, { value, extra, ground, found, cwd });
  const settings = await settingsPrint(context, projectFile);
  const defined = await withInstalled(context, () =>
    define([isolationLayer(ground), ...told, detected.layer], {
      goal,
      name: given.text('name'),
      project: { root: ground.root, name: ground.name, kind: 'user', cwd },
      base: ground.base,
      baseBranch: ground.baseBranch,
      includeChanges: ground.includesChanges,
      path: context.options.env['PATH'] ?? null,
      environment: context.options.env,
      settings,
      extraCriteria: extra,
    }),
  );
  await agentInPlace(context, defined.definition);
  const notes = [...ground.notes, ...detected.notes, ...defined.notes];
  return { ...defined, notes };
}

/**
 * The folder of pawl.yaml, else of the nearest manifest upward, else the root; never where the
 * command happened to be typed (UX 1.3). Relative to the root.
 */
export function checksIn({ checkout, detected }: Discovery, projectFile: string | null): string {
  if (projectFile === null) return detected.cwd ?? '';
  const path = relative(checkout.root, dirname(projectFile));
  return path.startsWith('..') ? '' : path;
}

/** Without git, when the user agreed to go on like that; else it says nothing. */
function isolationLayer({ isolation }: Ground): Layer {
  const value = isolation === 'none' ? { workspace: { isolation } } : {};
  return { origin: 'answer', kind: 'flags', value, where: () => '--isolation' };
}

interface Known {
  readonly value: DefinitionFile;
  readonly extra: DefineFacts['extraCriteria'];
  readonly ground: Ground;
  readonly found: Discovery;
  readonly cwd: string;
}

/** What nothing else says: the checks (asked, where there is a choice) and the setup. */
async function detect(
  context: Context,
  known: Known,
): Promise<{ readonly layer: Layer; readonly notes: readonly string[] }> {
  const { value, extra, found } = known;
  const { detected } = found;
  const isAsked = value.criteria === undefined && extra.length === 0;
  if (isAsked) await show(context, found);
  const criteria = isAsked ? await chooseChecks(context, detected.checks) : [];
  const setup = setupHere(known);
  const isNews = setup !== null && !isAsked;
  return {
    layer: detectedLayer({ criteria, setup: setup?.command ?? null }, setup?.from ?? ''),
    notes: [
      ...(isNews
        ? [`setup ${setup.command} (found: ${setup.from}); --setup none does without`]
        : []),
      ...leftBehindNotes(value, found),
    ],
  };
}

/** In the user's own folder the dependencies lie already, and are not to be touched. */
function setupHere({ value, ground, found, cwd }: Known): Discovery['detected']['setup'] {
  const isTold = value.workspace?.setup?.run !== undefined;
  const isOurs = ground.base !== null && ground.isolation === 'worktree';
  return isTold || !isOurs || found.detected.cwd !== cwd ? null : found.detected.setup;
}

function leftBehindNotes(value: DefinitionFile, { leftBehind }: Discovery): readonly string[] {
  if (value.workspace?.copy !== undefined || leftBehind.length === 0) return [];
  const names = leftBehind.join(', ');
  return [`ignored by git and left behind: ${names} (workspace.copy: [${names}] brings it along)`];
}

/** A definition on stdout stays alone there. */
async function show(context: Context, found: Discovery): Promise<void> {
  const { columns } = context.style;
  const agents = await (await context.options.detection()).agents();
  const lines = [...discoveryLines(found, columns), ...agentLines(agents, columns), ''];
  if (context.given.has('dry-run')) context.note(lines);
  else context.print(lines);
}

function extraCriteria({ given }: Context, goal: string): DefineFacts['extraCriteria'] {
  return [
    ...given.list('oracle').map((oracle) => ({ oracle })),
    ...(given.has('manual') ? [{ manual: goal }] : []),
  ];
}
