/**
 * Layers of settings and facts of the checkout to one canonical definition, or every problem at
 * once. What is refused here is refused before anything is spent: an endless run, a maker that is
 * its own checker, an agent that nobody can start, permissions that nobody can hold.
 */
import { ConfigError, RequestError } from '../kernel/errors.ts';
import { starterEnvironment } from '../kernel/starter-environment.ts';
import { agentConfigNotes, agentConfigOf, checkAgentConfig } from './agent-config.ts';
import { brakesOf } from './brakes.ts';
import { criterionOf, planOf } from './criteria.ts';
import type { CommitId, CriterionValue, DefinitionValue, ProjectFacts } from './definition.ts';
import type { DefinitionFile } from './definition-file.ts';
import { parseDuration } from './duration.ts';
import { usualOnPermission, usualPermissions } from './known-agents.ts';
import type { Layer } from './layer.ts';
import { livenessOf } from './liveness.ts';
import { type Merged, mergeLayers } from './merge.ts';
import { notifyOf } from './notify.ts';
import { checkPaths } from './paths.ts';
import { recoveryOf } from './recovery-file.ts';
import { heldBy, rolesOf } from './roles.ts';

export interface DefineFacts {
  /** From the command line; null: `goal` of the file counts. */
  readonly goal: string | null;
  readonly name: string | null;
  readonly project: ProjectFacts;
  readonly base: CommitId | null;
  readonly baseBranch: string | null;
  readonly includeChanges: boolean;
  /** PATH of who starts the run; absent or null: that of whichever process works. */
  readonly path?: string | null;
  /** Of who starts the run: what the definition lets through goes with it, secrets excepted. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** The project's file of settings; absent or null: there is none. */
  readonly settings?: DefinitionValue['settings'] | null;
  /** Added to the criteria of whichever layer gave them. */
  readonly extraCriteria: readonly { readonly oracle?: string; readonly manual?: string }[];
}

export interface Defined {
  readonly definition: DefinitionValue;
  /** Facts that the header of a run must say: no check, a capped brake. */
  readonly notes: readonly string[];
}

export const protectedDefaults: readonly string[] = [
  '.github/**',
  '.gitlab-ci.yml',
  '.circleci/**',
  '**/package-lock.json',
  '**/npm-shrinkwrap.json',
  '**/pnpm-lock.yaml',
  '**/yarn.lock',
  '**/bun.lock',
  '**/bun.lockb',
  '**/uv.lock',
  '**/poetry.lock',
  '**/Cargo.lock',
  '**/go.sum',
  'package.json#scripts',
];

const noUndo =
  'onProtected: restore cannot be had in your own folder: a protected change parks the run';

/** `layers` highest first. @throws ConfigError with every problem. */
export function define(layers: readonly Layer[], facts: DefineFacts): Defined {
  const merged = mergeLayers(layers);
  const file = merged.value;
  const problems: RequestError[] = [];
  const notes: string[] = [];
  const goal = facts.goal ?? file.goal ?? '';
  const criteria = criteriaOf(merged, facts, { goal, problems, notes });
  const roles = rolesOf(merged, criteria, problems);
  checkAgentConfig(merged, roles, problems);
  const brakes = brakesOf(merged, layers, problems, notes);
  const notify = notifyOf(merged, problems);
  checkPaths(merged, problems);
  const name = nameOf(facts.name, goal, problems);
  const [first, ...rest] = problems;
  if (first !== undefined) throw new ConfigError([first, ...rest]);
  const definition: DefinitionValue = {
    version: 1,
    intent: {
      originalIntent: goal,
      inferredGoal: null,
      addedContext: [],
      verificationPlan: planOf(criteria),
    },
    name,
    project: facts.project,
    source: {
      isolation: file.workspace?.isolation ?? 'worktree',
      base: facts.base,
      baseBranch: facts.baseBranch,
      includeChanges: facts.includeChanges,
    },
    ...(facts.settings === undefined || facts.settings === null
      ? {}
      : { settings: facts.settings }),
    ...partsOf(file),
    strategy: 'attempts',
    roles,
    criteria,
    brakes,
    ...policiesOf(file),
    ...agentConfigOf(merged),
    env: envOf(file, facts),
    ...notify,
    ...livenessOf(file),
  };
  if (definition.source.isolation === 'none' && definition.onProtected === 'restore')
    notes.push(noUndo);
  notes.push(...agentConfigNotes(merged, definition));
  return { definition, notes };
}

/** A list without an entry says nothing. */
function partsOf({ domain, artifacts = [], labels = [], verify }: DefinitionFile) {
  return {
    ...(labels.length === 0 ? {} : { labels }),
    ...(verify?.on === 'other-worker' ? { verifyOn: verify.on } : {}),
    ...(domain === undefined ? {} : { domain }),
    ...(artifacts.length === 0 ? {} : { artifacts }),
  };
}

/** Branch, folder and everything typed later are made of it, so it is refused, not bent. */
function nameOf(given: string | null, goal: string, problems: RequestError[]): string {
  if (given === null || given === slug(given)) return given ?? slug(goal);
  const what = 'a name has at most 32 of a–z, 0–9 and single dashes between them';
  problems.push(
    new RequestError('bad_value', what, {
      where: '--name',
      found: JSON.stringify(given),
      next: `--name ${slug(given)}`,
    }),
  );
  return slug(given);
}

/** A readable handle of at most 32 characters, cut at a word. */
export function slug(goal: string): string {
  const words = goal
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[\u0300-\u036f]/g, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
  if (words.length <= 32) return words === '' ? 'run' : words;
  const cut = words.slice(0, 33);
  const dash = cut.lastIndexOf('-');
  return dash > 8 ? cut.slice(0, dash) : words.slice(0, 32);
}

interface Gathering {
  readonly goal: string;
  readonly problems: RequestError[];
  readonly notes: string[];
}

function criteriaOf(merged: Merged, facts: DefineFacts, gathering: Gathering): CriterionValue[] {
  const given = merged.value.criteria ?? [];
  const layer = merged.origin(['criteria']);
  const all = [...given, ...facts.extraCriteria];
  if (all.length === 0) {
    gathering.notes.push('no check: a human looks at the result before it counts as done');
    return [{ kind: 'manual', look: gathering.goal, timeoutMs: 600_000 }];
  }
  const made: CriterionValue[] = [];
  for (const [index, file] of all.entries()) {
    const where = index < given.length ? (layer?.where(['criteria', index]) ?? '') : 'flags';
    const criterion = criterionOf(file, where);
    if (criterion instanceof Error) gathering.problems.push(criterion);
    else made.push(criterion);
  }
  return made;
}

function policiesOf(file: DefinitionFile) {
  const permissions = file.permissions ?? usualPermissions(heldBy(file));
  return {
    baseline: file.baseline ?? 'auto',
    allowNoChange: file.allowNoChange ?? false,
    protected: file.protected ?? protectedDefaults,
    onProtected: file.onProtected ?? 'park',
    fileScope: file.fileScope ?? [],
    permissions,
    onPermission: file.onPermission ?? usualOnPermission(permissions),
    onLimit: file.onLimit ?? 'wait',
    secrets: file.secrets ?? {},
    context: file.context ?? [],
    nestedRuns: file.nestedRuns ?? 0,
    keepAwake: file.keepAwake ?? true,
    ...groupsOf(file),
  } as const;
}

function envOf(
  file: DefinitionFile,
  { path = null, environment }: DefineFacts,
): DefinitionValue['env'] {
  const { allow = [], set = {} } = file.env ?? {};
  // What the definition sets or gives as a secret is had from there, wherever it is started.
  const given = new Set([...Object.keys(set), ...Object.keys(file.secrets ?? {})]);
  const own = Object.entries(environment ?? {}).filter(([name]) => !given.has(name));
  const started = starterEnvironment(Object.fromEntries(own), allow);
  return {
    ...{ allow, set, ...(path === null ? {} : { path }) },
    ...(environment === undefined ? {} : { started }),
  };
}

function groupsOf(file: DefinitionFile) {
  const { copy = [], submodules = 'auto' } = file.workspace ?? {};
  const { group = 'machine', max = 3 } = file.concurrency ?? {};
  const { method = 'squash', reverify = true } = file.land ?? {};
  return {
    workspace: { setup: setupOf(file), copy, submodules },
    verifyTree: file.verify?.tree ?? 'clean',
    recovery: recoveryOf(file),
    concurrency: { group, max },
    land: { method, reverify },
    approvals: { expireMs: millis(file.approvals?.expire) },
  } as const;
}

function setupOf(file: DefinitionFile): DefinitionValue['workspace']['setup'] {
  const setup = file.workspace?.setup;
  if (setup?.run === undefined || setup.run === 'none') return null;
  return { command: setup.run, timeoutMs: millis(setup.timeout) ?? 600_000 };
}

/** The schema has checked the form; null stands for "not given". */
function millis(span: string | null | undefined): number | null {
  return span === null || span === undefined ? null : parseDuration(span);
}
