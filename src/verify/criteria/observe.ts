/**
 * Runs the criteria in order in one place. The first that does not pass ends a verification; a
 * baseline looks at all. A failing check that ends by itself is run once more on the same commit:
 * when it then passes it is flaky, and flaky is not passed. One that somebody else ended has said
 * nothing: it is run once more, on the base too, and what it says then counts.
 */
import { existsSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { sep } from 'node:path';
import type { Criterion } from '../../domain/definition/definition.ts';
import type { CriterionResult } from '../../domain/verdict/verdict.ts';
import type { CheckJob } from '../job.ts';
import type { Place } from '../place.ts';
import { bounded } from '../summary.ts';
import type { BaseRun, CriterionFinding, CriterionKind, Scene } from './kind.ts';
import { kindOf } from './registry.ts';

/** A result with what only the receipt needs. */
export interface Observation {
  readonly result: CriterionResult;
  readonly finding: CriterionFinding;
}

export interface ObservePlan {
  readonly place: Place;
  readonly side: Scene['side'];
  readonly criteria: readonly number[];
  readonly stopAtFailure: boolean;
  runOnBase(command: string, timeoutMs: number): Promise<BaseRun>;
}

export async function observe(job: CheckJob, plan: ObservePlan): Promise<readonly Observation[]> {
  const seen: Observation[] = [];
  for (const index of plan.criteria) {
    const criterion = job.request.definition.criteria[index];
    if (criterion === undefined) continue;
    const observation = await observeOne(job, plan, { index, criterion, nth: seen.length + 1 });
    seen.push(observation);
    if (plan.stopAtFailure && observation.result.outcome !== 'passed') break;
  }
  return seen;
}

async function observeOne(
  job: CheckJob,
  plan: ObservePlan,
  one: { readonly index: number; readonly criterion: Criterion; readonly nth: number },
): Promise<Observation> {
  const { criterion, index } = one;
  const kind = kindOf(job.settings.kinds, criterion.kind);
  if (kind === undefined || kind.check === null) {
    const nobody = { index, kind: criterion.kind, what: criterion.kind };
    return observation(nobody, nobodyJudges(criterion.kind));
  }
  const known = { index, kind: criterion.kind, what: kind.what(criterion) };
  job.request.progress(
    `${one.nth} of ${plan.criteria.length}: ${whereLine(job, plan, known.what)}`,
  );
  const first = await look(job, plan, kind, criterion);
  if (!isWorthAnother(job, plan, first)) return observation(known, first);
  const why = first.isKilled ? `was ${first.reasons[0] ?? 'ended'}` : 'failed';
  job.request.progress(`${bounded(known.what, 80)} ${why}; once more on the same commit`);
  const second = await look(job, plan, kind, criterion);
  if (first.isKilled) return observation(known, second, { executions: 2 });
  if (second.outcome !== 'passed') return observation(known, first, { executions: 2 });
  const reasons = ['flaky: failed, then passed on the same commit', ...first.reasons];
  return observation(known, { ...first, reasons }, { executions: 2, flaky: true });
}

function whereLine(job: CheckJob, plan: ObservePlan, what: string): string {
  const where = plan.place.kind === 'clean' ? 'a clean checkout' : 'the shared tree';
  const { base } = job.request.definition.source;
  const commit = plan.side === 'base' ? base : (job.request.commit ?? base);
  return `${bounded(what, 80)} in ${where}${commit === null ? '' : ` of ${commit.slice(0, 7)}`}`;
}

async function look(
  job: CheckJob,
  plan: ObservePlan,
  kind: CriterionKind,
  criterion: Criterion,
): Promise<CriterionFinding> {
  await plan.place.ready();
  const outside = await leadsOut(plan.place);
  if (outside !== null) return failed(outside);
  const scene: Scene = {
    tree: plan.place.tree,
    directory: plan.place.directory,
    side: plan.side,
    run: (command, timeoutMs) => job.run(command, plan.place.directory, timeoutMs),
    runOnBase: plan.runOnBase,
  };
  return kind.check === null ? nobodyJudges(criterion.kind) : kind.check(criterion, scene);
}

/** The project's folder must be a real folder of the tree; a commit may have made it a link. */
async function leadsOut(place: Place): Promise<string | null> {
  if (!existsSync(place.directory)) return 'the project folder is not there at this commit';
  const [tree, directory] = [await realpath(place.tree), await realpath(place.directory)];
  const isInside = directory === tree || directory.startsWith(tree + sep);
  return isInside ? null : 'the project folder leads out of the tree';
}

function isWorthAnother(job: CheckJob, plan: ObservePlan, first: CriterionFinding): boolean {
  if (first.isKilled) return !job.request.signal.aborted;
  if (plan.side === 'base' || first.outcome !== 'failed' || !first.repeatable) return false;
  return first.durationMs <= job.settings.rerunWithinMs && !job.request.signal.aborted;
}

function observation(
  one: { readonly index: number; readonly kind: string; readonly what: string },
  finding: CriterionFinding,
  more: { readonly executions: number; readonly flaky?: boolean } = { executions: 1 },
): Observation {
  const { outcome, score, reasons, exit, counts, durationMs, output } = finding;
  const result: CriterionResult = {
    ...one,
    ...{ outcome, score, exit, counts, durationMs, output },
    reasons: reasons.slice(0, 10).map((reason) => bounded(reason, 500)),
    suggestedFix: null,
    executions: more.executions,
    flaky: more.flaky ?? false,
  };
  return { result, finding };
}

function failed(reason: string): CriterionFinding {
  return { ...nobodyJudges(''), outcome: 'failed', score: 0, reasons: [reason] };
}

function nobodyJudges(kind: string): CriterionFinding {
  return {
    outcome: 'indeterminate',
    unrunnable: null,
    repeatable: false,
    isKilled: false,
    score: null,
    reasons: [`the runtime does not judge a criterion of kind "${kind}"`],
    exit: null,
    counts: null,
    durationMs: 0,
    output: null,
    excerpt: '',
    containment: null,
  };
}
