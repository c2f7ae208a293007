/**
 * The baseline: setup and every criterion of the runtime on the base commit, before anything is
 * spent. Kept under tree, commands and environment key, and used again while those are the same. A
 * base that cannot run is never kept: the cause may be the machine.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JobResult } from '../domain/execution/state.ts';
import type { Commit, Digest } from '../domain/ids.ts';
import { outputsOf } from '../domain/verdict/outputs.ts';
import type { CriterionResult, TestCounts } from '../domain/verdict/verdict.ts';
import { cleanPlace } from './clean-place.ts';
import { type Observation, observe } from './criteria/observe.ts';
import { kindOf } from './criteria/registry.ts';
import { keyOf } from './environment/prepare.ts';
import { keepFolderPrint } from './folder-print.ts';
import type { CheckJob } from './job.ts';
import { missingPart, noEnvironment, type Place, type Placed } from './place.ts';
import { predicateOf } from './receipt/describe.ts';
import { writeReceipt } from './receipt/write.ts';
import { sharedPlace } from './shared-place.ts';
import { baselineSummary, bounded, summaryMax, withMissing } from './summary.ts';

type Prepared = Extract<JobResult, { kind: 'prepared' }>;

/** What is known of the base when work is judged. */
export interface KnownBaseline {
  readonly outcome: 'red' | 'green';
  readonly prepared: Prepared;
  readonly counts: Readonly<Record<string, TestCounts | null>>;
}

/** The artifact that `JobResult.detail` names. */
export interface BaselineDetail {
  readonly format: 'pawl.baseline/1';
  readonly outcome: Prepared['baseline'];
  readonly setup: { readonly command: string | null; readonly message: string | null };
  readonly criteria: readonly CriterionResult[];
  /** Why a criterion cannot run, in the words of UX 4.4-4. */
  readonly unrunnable: {
    readonly what: string;
    readonly found: string;
    readonly likely: string | null;
  } | null;
}

export async function baseline(job: CheckJob): Promise<Prepared> {
  const { definition } = job.request;
  const place = await placeOfBase(job);
  if (!place.ok) return setupFailed(job, place.message);
  try {
    await keepFolderPrint(job);
    const criteria = runtimeCriteria(job);
    if (definition.baseline === 'skip' || criteria.length === 0) {
      const summary =
        criteria.length === 0 ? 'no check that the runtime can run' : 'baseline: not run';
      return prepared(job, 'skipped', summary, { receipt: null, detail: null, outputs: [] });
    }
    const known = await readBaseline(job);
    if (known !== null && (await isKept(job, known.prepared))) return known.prepared;
    const seen = await observe(job, {
      place: place.place,
      side: 'base',
      criteria,
      stopAtFailure: false,
      runOnBase: () => Promise.resolve({ changed: [], run: null, baseline: null }),
    });
    const missing = seen.some(({ result }) => result.outcome === 'failed')
      ? missingPart(place.place)
      : null;
    if (missing !== null) return await setupFailed(job, withMissing(missing, 'the checks fail'));
    return await conclude(job, place.place, seen);
  } finally {
    await place.place.release();
  }
}

async function conclude(
  job: CheckJob,
  place: Place,
  seen: readonly Observation[],
): Promise<Prepared> {
  const results = seen.map((one) => one.result);
  const bad = seen.find((one) => one.finding.unrunnable !== null);
  const isCut = results.some((one) => one.outcome === 'indeterminate');
  const isGreen = results.every((one) => one.outcome === 'passed');
  const outcome = bad !== undefined || isCut ? 'unrunnable' : isGreen ? 'green' : 'red';
  const unrunnable = bad === undefined ? null : explain(job, bad);
  const summary = summaryOf(job, results, unrunnable);
  const predicate = await predicateOf(job, {
    about: 'baseline',
    outcome: isGreen ? 'passed' : isCut ? 'indeterminate' : 'failed',
    summary,
    tree: place.kind,
    environment: place.facts(),
    emptySubmodules: place.emptySubmodules,
    observations: seen,
    baseline: null,
    baselineOutcome: outcome,
    restored: [],
    commit: job.request.definition.source.base,
  });
  const kept = {
    receipt: await writeReceipt(job.settings, predicate),
    detail: await writeDetail(job, { outcome, criteria: results, unrunnable, message: null }),
    outputs: outputsOf(results),
  };
  const result = prepared(job, outcome, summary, kept);
  if (outcome !== 'unrunnable') await keepBaseline(job, outcome, result, results);
  return result;
}

function summaryOf(
  job: CheckJob,
  results: readonly CriterionResult[],
  unrunnable: BaselineDetail['unrunnable'],
): string {
  if (unrunnable === null) {
    const cut = results.find((one) => one.outcome === 'indeterminate');
    return cut === undefined ? baselineSummary(results) : `${bounded(cut.what, 60)}: was cut short`;
  }
  const base = job.request.definition.source.base?.slice(0, 7) ?? 'the project folder';
  const likely = unrunnable.likely === null ? '' : ` (likely: ${unrunnable.likely})`;
  const text = `"${bounded(unrunnable.what, 60)}" cannot run on ${base}: ${unrunnable.found}${likely}`;
  return bounded(text, summaryMax);
}

function explain(job: CheckJob, one: Observation): NonNullable<BaselineDetail['unrunnable']> {
  const found = one.finding.unrunnable ?? '';
  const hasSetup = job.request.definition.workspace.setup !== null;
  const isDeadline = found.startsWith('deadline');
  const likely = hasSetup || isDeadline ? null : 'no setup command, so no dependencies there';
  return { what: one.result.what, found, likely };
}

async function setupFailed(job: CheckJob, message: string): Promise<Prepared> {
  const detail = await writeDetail(job, {
    outcome: 'unrunnable',
    criteria: [],
    unrunnable: null,
    message,
  });
  return {
    ...prepared(job, 'unrunnable', bounded(message, summaryMax), {
      receipt: null,
      detail,
      outputs: [],
    }),
    setup: 'failed',
  };
}

function writeDetail(
  job: CheckJob,
  found: Pick<BaselineDetail, 'outcome' | 'criteria' | 'unrunnable'> & {
    readonly message: string | null;
  },
): Promise<Digest> {
  const detail: BaselineDetail = {
    format: 'pawl.baseline/1',
    outcome: found.outcome,
    setup: {
      command: job.request.definition.workspace.setup?.command ?? null,
      message: found.message,
    },
    criteria: found.criteria,
    unrunnable: found.unrunnable,
  };
  return job.settings.artifacts.put(`${JSON.stringify(detail, null, 2)}\n`, 'verdict');
}

function prepared(
  job: CheckJob,
  outcome: Prepared['baseline'],
  summary: string,
  kept: Pick<Prepared, 'receipt' | 'detail' | 'outputs'>,
): Prepared {
  const setup = job.request.definition.workspace.setup === null ? 'none' : 'done';
  return { kind: 'prepared', baseline: outcome, setup, summary, ...kept };
}

function placeOfBase(job: CheckJob): Promise<Placed> {
  const { source, project } = job.request.definition;
  if (source.base === null || source.isolation === 'none') {
    return sharedPlace(job, job.request.directory ?? project.root, null);
  }
  return cleanPlace(job, source.base, true);
}

export function runtimeCriteria(job: CheckJob): readonly number[] {
  return job.request.definition.criteria.flatMap((criterion, index) =>
    kindOf(job.settings.kinds, criterion.kind)?.judgedBy === 'runtime' ? [index] : [],
  );
}

/** Null without git, or when this base was not judged with these criteria and this environment. */
export async function readBaseline(job: CheckJob): Promise<KnownBaseline | null> {
  const file = await baselineFile(job);
  if (file === null) return null;
  try {
    const known: KnownBaseline = JSON.parse(readFileSync(file, 'utf8'));
    return known;
  } catch (error: unknown) {
    // Absent, or cut short by a kill: the base is judged again.
    if (error instanceof SyntaxError) return null;
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

async function keepBaseline(
  job: CheckJob,
  outcome: 'red' | 'green',
  result: Prepared,
  results: readonly CriterionResult[],
): Promise<void> {
  const file = await baselineFile(job);
  if (file === null) return;
  const counts = Object.fromEntries(results.map((one) => [String(one.index), one.counts]));
  const known: KnownBaseline = { outcome, prepared: result, counts };
  const aside = `${file}.${process.pid}`;
  writeFileSync(aside, JSON.stringify(known), { mode: 0o600 });
  renameSync(aside, file);
}

async function baselineFile(job: CheckJob): Promise<string | null> {
  const { definition } = job.request;
  const base: Commit | null = definition.source.base;
  if (base === null || definition.source.isolation === 'none') return null;
  const parts = [
    await job.settings.trees.treeOf(definition.project.root, base),
    runtimeCriteria(job).map((index) => [index, definition.criteria[index]]),
    definition.project.cwd,
    (await keyOf(job, base))?.key ?? noEnvironment.key,
    namedEnvironment(job),
    job.copies.digests,
  ];
  const folder = join(job.settings.home, 'baselines');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const key = createHash('sha256').update(JSON.stringify(parts)).digest('hex');
  return join(folder, `${key}.json`);
}

/** What the definition names; a shell's language or cache folder makes no other baseline. */
function namedEnvironment({ request, env }: CheckJob) {
  const { allow, set, path } = request.definition.env;
  return [allow, set, path ?? null, allow.map((name) => env[name] ?? null)];
}

/**
 * Put again, so that the collector lets them be until this run refers to them. What was kept by a
 * program that did not list the outputs is judged again.
 */
async function isKept(job: CheckJob, known: Prepared): Promise<boolean> {
  const { artifacts } = job.settings;
  const { receipt, detail, outputs } = known;
  if (receipt === null || detail === null || outputs === undefined) return false;
  for (const [digest, kind] of [
    [receipt, 'receipt'],
    [detail, 'verdict'],
    ...outputs.map((output) => [output, 'output'] as const),
  ] as const) {
    const bytes = await artifacts.get(digest);
    if (bytes === null) return false;
    await artifacts.put(bytes, kind);
  }
  return true;
}
