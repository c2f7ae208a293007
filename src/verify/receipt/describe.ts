/**
 * Gathers what a receipt states about one verification: hashes, environment, protection, counts.
 */
import type { Commit } from '../../domain/ids.ts';
import type { TestCounts, VerdictOutcome } from '../../domain/verdict/verdict.ts';
import type { EmptySubmodule } from '../../ports/workspace.ts';
import { checkOf, checkSourceChanges } from '../check-source.ts';
import type { Observation } from '../criteria/observe.ts';
import { keyOf } from '../environment/prepare.ts';
import { folderStates } from '../folder-print.ts';
import type { CheckJob } from '../job.ts';
import type { EnvironmentFacts } from '../place.ts';
import { protectedReport } from '../protected-paths.ts';
import { receiptLine } from '../summary.ts';
import type { Predicate } from './predicate.ts';
import { recipeOf, verifierOf } from './write.ts';

export interface Described {
  readonly about: Predicate['about'];
  readonly outcome: VerdictOutcome;
  readonly summary: string;
  readonly tree: Predicate['tree'];
  readonly environment: EnvironmentFacts;
  readonly emptySubmodules?: readonly EmptySubmodule[];
  readonly observations: readonly Observation[];
  readonly baseline: Readonly<Record<string, TestCounts | null>> | null;
  readonly baselineOutcome: Predicate['baseline'] | 'skipped';
  readonly restored: readonly string[];
  readonly commit: Commit | null;
  /** Asked for; those not observed are named. */
  readonly criteria?: readonly number[];
}

export async function predicateOf(job: CheckJob, what: Described): Promise<Predicate> {
  const { definition, run, execution } = job.request;
  const { settings } = job;
  const git = await gitFacts(job, what.commit);
  const observed = new Set(what.observations.map((one) => one.result.index));
  return {
    about: what.about,
    run,
    execution,
    at: new Date(settings.clock.now()).toISOString(),
    project: { name: definition.project.name, cwd: definition.project.cwd },
    outcome: what.outcome,
    summary: what.summary,
    verifier: verifierOf('runtime', settings.signer),
    isolation: definition.source.isolation,
    tree: what.tree,
    ...git.trees,
    environment: {
      ...copyOf(what.environment),
      baseKey: git.baseKey,
    },
    emptySubmodules: (what.emptySubmodules ?? []).map(({ note }) => note).slice(0, 20),
    protected: git.protected === null ? null : { ...git.protected, restored: [...what.restored] },
    checkSource: git.checkSource,
    baseline: what.baselineOutcome === 'skipped' ? 'not run' : what.baselineOutcome,
    criteria: what.observations.map((one) => criterionOf(job, one, what.baseline)),
    notRun: (what.criteria ?? []).filter((index) => !observed.has(index)),
    recipe: recipeOf(definition),
  };
}

function copyOf(facts: EnvironmentFacts) {
  return {
    ...facts,
    tools: [...facts.tools],
    paths: [...facts.paths],
    putBack: [...facts.putBack],
    rebuilt: facts.rebuilt.map((paths) => [...paths]),
  };
}

function criterionOf(
  job: CheckJob,
  { result, finding }: Observation,
  baseline: Described['baseline'],
): Predicate['criteria'][number] {
  const { index, kind, what, outcome, score, exit, counts, durationMs } = result;
  return {
    ...{ index, kind, what, outcome, score, exit, counts, durationMs },
    line: receiptLine(result, baseline?.[String(index)] ?? null),
    definition: { ...job.request.definition.criteria[index] },
    baseline: baseline?.[String(index)] ?? null,
    executions: result.executions,
    flaky: result.flaky,
    reasons: [...result.reasons],
    output: result.output,
    excerpt: finding.excerpt,
    containment: finding.containment,
  };
}

async function gitFacts(job: CheckJob, commit: Commit | null) {
  const { definition } = job.request;
  const { trees } = job.settings;
  const { root } = definition.project;
  const base = definition.source.base;
  const named = async (one: Commit | null) =>
    one === null ? null : { commit: one as string, tree: await trees.treeOf(root, one) };
  const [from, work] = [await named(base), await named(commit)];
  const sameTreeAsBase = from === null || work === null ? null : from.tree === work.tree;
  const baseKey = base === null ? null : ((await keyOf(job, base))?.key ?? null);
  const sides = { trees: { base: from, work, sameTreeAsBase }, baseKey };
  const compared =
    base === null || commit === null
      ? await folderStates(job)
      : { trees, where: { root, base, commit } };
  if (compared === null) return { ...sides, protected: null, checkSource: [] };
  const { where } = compared;
  const report = await protectedReport(compared.trees, where, definition.protected);
  return {
    ...sides,
    protected: {
      ...report,
      changed: [...report.changed],
      patterns: [...definition.protected],
    },
    checkSource: [...(await checkSourceChanges(compared.trees, where, checkOf(definition)))],
  };
}
