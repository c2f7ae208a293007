/**
 * A pass with fewer tests than on the base is no pass when the work touched test files: a deleted
 * or skipped test is how a check is made green without the work (L-A11). Without such a file it is
 * only named: reports also count what is no test, such as a file that did not load. A criterion
 * that says itself how many tests it wants (`expect: { testsRun }`) is judged by that alone.
 */
import type { Criterion } from '../domain/definition/definition.ts';
import type { Commit } from '../domain/ids.ts';
import type { CriterionResult, TestCounts } from '../domain/verdict/verdict.ts';
import { testsRun } from './counts.ts';
import type { Observation } from './criteria/observe.ts';
import type { CheckJob } from './job.ts';
import { bounded } from './summary.ts';
import { isTestFile } from './test-files.ts';

const filesMax = 5;

export async function withoutFewerTests(
  job: CheckJob,
  at: { readonly base: Commit | null; readonly commit: Commit | null },
  seen: readonly Observation[],
  baseline: Readonly<Record<string, TestCounts | null>>,
): Promise<readonly Observation[]> {
  const { base, commit } = at;
  if (base === null || commit === null) return seen;
  const { criteria } = job.request.definition;
  const reported = seen.map((one) => withoutReport(one, job, baseline));
  if (reported.some((one, i) => one !== seen[i])) return reported;
  const fewer = seen.map(({ result }) =>
    lost(result, criteria[result.index], baseline[String(result.index)] ?? null),
  );
  if (fewer.every((one) => one === null)) return seen;
  const touched = await testFilesTouched(job, base, commit);
  return seen.map((one, i) => {
    const less = fewer[i] ?? null;
    return less === null ? one : judged(one, less, touched);
  });
}

/**
 * The base's report said how many tests ran, and now there is none: what ran is not known, and an
 * exit of 0 alone is no evidence of tests (a shell of the project's choosing can give it).
 */
function withoutReport(
  one: Observation,
  job: CheckJob,
  baseline: Readonly<Record<string, TestCounts | null>>,
): Observation {
  const { result } = one;
  const criterion = job.request.definition.criteria[result.index];
  if (result.outcome !== 'passed' || criterion?.kind !== 'test') return one;
  const was = testsRun(baseline[String(result.index)] ?? null);
  if (was === null || testsRun(result.counts) !== null) return one;
  const text = `no report of tests, where the base reported ${was}: what ran is not known`;
  const missing = withReason(one, text);
  return {
    finding: { ...missing.finding, outcome: 'missing_evidence', score: null },
    result: { ...missing.result, outcome: 'missing_evidence', score: null },
  };
}

interface Lost {
  readonly text: string;
  readonly share: number;
}

function lost(
  result: CriterionResult,
  criterion: Criterion | undefined,
  before: TestCounts | null,
): Lost | null {
  if (result.outcome !== 'passed' || criterion?.kind !== 'test') return null;
  if (criterion.testsRunMoreThan !== null) return null;
  const [was, is] = [testsRun(before), testsRun(result.counts)];
  if (was === null || is === null || was === 0) return null;
  if (is < was)
    return { text: `fewer tests than on the base: ${is} of ${was} ran`, share: is / was };
  const more = (result.counts?.skipped ?? 0) - (before?.skipped ?? 0);
  return more > 0
    ? { text: `${more} more skipped than on the base`, share: is / (is + more) }
    : null;
}

function judged(one: Observation, { text, share }: Lost, touched: readonly string[]): Observation {
  if (touched.length === 0) return withReason(one, text);
  const names = touched.slice(0, filesMax).join(', ');
  const more = touched.length > filesMax ? `, ${touched.length - filesMax} more` : '';
  const failed = withReason(one, `${text}; test files of the base changed: ${names}${more}`);
  return {
    finding: { ...failed.finding, outcome: 'failed', score: share },
    result: { ...failed.result, outcome: 'failed', score: share },
  };
}

function withReason({ result, finding }: Observation, text: string): Observation {
  const reasons = [bounded(text, 500), ...result.reasons].slice(0, 10);
  return { result: { ...result, reasons }, finding: { ...finding, reasons } };
}

/** Test files of the base that are gone or other now; a new one takes nothing away. */
async function testFilesTouched(
  job: CheckJob,
  base: Commit,
  commit: Commit,
): Promise<readonly string[]> {
  const { trees } = job.settings;
  const { root } = job.request.definition.project;
  const [before, after] = [await trees.list(root, base), await trees.list(root, commit)];
  return [...before]
    .filter(([path, id]) => isTestFile(path) && after.get(path) !== id)
    .map(([path]) => (after.has(path) ? path : `${path} (deleted)`));
}
