/**
 * One verification: the named criteria on the recorded commit, a typed verdict, a signed receipt.
 * What a check does is never an exception; what the machine fails to do is `verifier_unavailable`,
 * which spends no attempt.
 */
import type { Commit } from '../domain/ids.ts';
import type { Verdict, VerdictOutcome } from '../domain/verdict/verdict.ts';
import { isDiskFull } from '../kernel/disk-full.ts';
import { WorldError } from '../kernel/errors.ts';
import { InvariantViolation } from '../kernel/invariant.ts';
import type { CheckRequest } from '../ports/checks.ts';
import { type KnownBaseline, readBaseline } from './baseline.ts';
import { checkOf, checkSourceChanges } from './check-source.ts';
import { cleanPlace } from './clean-place.ts';
import { type Observation, observe } from './criteria/observe.ts';
import { keyOf } from './environment/prepare.ts';
import { withoutFewerTests } from './fewer-tests.ts';
import { type CheckJob, checkJob, type Workshop } from './job.ts';
import { missingPart, noEnvironment, type Place, type Placed, type SetupFailure } from './place.ts';
import { restorePart, splitProtected } from './protected-paths.ts';
import { predicateOf } from './receipt/describe.ts';
import type { Predicate } from './receipt/predicate.ts';
import { writeReceipt } from './receipt/write.ts';
import { runOnBase } from './red-first.ts';
import { sharedPlace } from './shared-place.ts';
import { bounded, summaryMax, verdictSummary, withMissing } from './summary.ts';

/** Never throws but for a bug of this program, and WorldError `disk_full`, `credential_missing`. */
export async function verification(
  shop: Workshop,
  request: CheckRequest,
  criteria: readonly number[],
): Promise<Verdict> {
  const commit = commitOf(request);
  try {
    const job = await checkJob(shop, request);
    const subject = await subjectOf(job, commit, criteria);
    const placed = await placeOfWork(job, subject.commit);
    if (!placed.ok) return await setupVerdict(job, placed, subject);
    try {
      return await judge(job, placed.place, subject);
    } finally {
      await placed.place.release();
    }
  } catch (error: unknown) {
    if (error instanceof InvariantViolation || !(error instanceof Error)) throw error;
    if (isOfTheHost(error)) throw error;
    const summary = bounded(`the verifier could not work: ${error.message}`, summaryMax);
    return verdictOf(request, commit, { outcome: 'verifier_unavailable', summary });
  }
}

/** The run waits for space, or for what only its operator can give: neither attempt nor try. */
const isOfTheHost = (error: Error): boolean =>
  isDiskFull(error) || (error instanceof WorldError && error.code === 'credential_missing');

/**
 * With nothing recorded the work is what it was cut from; but what lies in the user's own folder is
 * no commit, and least of all the base.
 */
function commitOf({ commit, definition }: CheckRequest): Commit | null {
  const { base, isolation } = definition.source;
  return commit ?? (isolation === 'none' ? null : base);
}

function placeOfWork(job: CheckJob, commit: Commit | null): Promise<Placed> {
  const { definition, directory } = job.request;
  const inFolder = definition.source.isolation === 'none' || commit === null;
  if (inFolder) return sharedPlace(job, directory ?? definition.project.root, null);
  if (definition.verifyTree === 'lane' && directory !== null) {
    return sharedPlace(job, directory, commit);
  }
  return cleanPlace(job, commit);
}

/** What is judged: the recorded work, or the commit of it in which paths went back to base. */
interface Subject {
  readonly commit: Commit | null;
  readonly criteria: readonly number[];
  /** Put back by that commit. */
  readonly restored: readonly string[];
}

async function subjectOf(
  job: CheckJob,
  commit: Commit | null,
  criteria: readonly number[],
): Promise<Subject> {
  const { putBack } = job.request;
  if (putBack === undefined) return { commit, criteria, restored: [] };
  const recorded = await putBack(await entriesToRestore(job, commit));
  tellRestored(job, recorded.restored);
  return { ...recorded, criteria, restored: recorded.restored.slice(0, restoredMax) };
}

const restoredMax = 100;

function tellRestored(job: CheckJob, restored: readonly string[]): void {
  if (restored.length > 0) job.request.progress(`put back to base: ${restored.join(', ')}`);
}

async function judge(job: CheckJob, place: Place, subject: Subject): Promise<Verdict> {
  const { commit, criteria } = subject;
  const { base, isolation } = job.request.definition.source;
  // A commit of the user's own folder lacks what git ignores there: it is compared, never run.
  const isOwnFolder = isolation === 'none';
  const inPlace = job.request.putBack === undefined;
  const restored = inPlace ? await restoreProtected(job, place, commit) : subject.restored;
  const known = await readBaseline(job);
  const observed = await observe(job, {
    place,
    side: 'work',
    criteria,
    stopAtFailure: true,
    runOnBase: (command, timeoutMs) => {
      if (base === null || commit === null || isOwnFolder) {
        return Promise.resolve({ changed: [], run: null, baseline: null });
      }
      const at = { base, commit, baseline: countsOf(job, known, command) };
      return runOnBase(job, at, command, timeoutMs);
    },
  });
  const seen = await withoutFewerTests(job, { base, commit }, observed, known?.counts ?? {});
  const results = seen.map((one) => one.result);
  const judged = results.find((one) => one.outcome !== 'passed')?.outcome ?? 'passed';
  const nothingChanged = judged === 'passed' && (await isUnchanged(job, commit));
  const missing = judged === 'failed' ? missingPart(place) : null;
  const outcome = outcomeOf({ results: results.length, nothingChanged, missing, judged });
  const summary = nothingChanged
    ? 'the agent changed nothing: the tree equals the base, where the checks pass as well'
    : withMissing(missing, verdictSummary(results));
  const predicate = await predicateOf(job, {
    about: 'verification',
    outcome,
    summary,
    tree: place.kind,
    environment: place.facts(),
    emptySubmodules: place.emptySubmodules,
    observations: seen,
    baseline: known?.counts ?? null,
    baselineOutcome: baselineWord(job, known),
    restored,
    commit,
    criteria,
  });
  const verdict = await signed(job, predicate, withSource(seen, predicate), commit);
  const checkChanged = changedRuns(predicate);
  return checkChanged.length === 0 ? verdict : { ...verdict, checkChanged };
}

function outcomeOf(found: {
  readonly results: number;
  readonly nothingChanged: boolean;
  readonly missing: string | null;
  readonly judged: VerdictOutcome;
}): VerdictOutcome {
  if (found.results === 0) return 'indeterminate';
  if (found.nothingChanged) return 'missing_evidence';
  return found.missing === null ? found.judged : 'verifier_unavailable';
}

/** What the checks run and the work changed, and nobody put back for this look. */
function changedRuns({ checkSource, protected: guarded, base }: Predicate): readonly string[] {
  const restored = guarded?.restored ?? [];
  const isBack = (what: string) =>
    restored.some((path) => path === what || what.startsWith(`${path}.`));
  const run = checkSource.filter((one) => one.isRun && !isBack(one.what)).map((one) => one.what);
  // Without git no finding of the turn names what is protected; this look is the only one.
  const kept = base === null ? (guarded?.changed ?? []).map(({ path }) => path) : [];
  return [...new Set([...run, ...kept])];
}

async function signed(
  job: CheckJob,
  predicate: Predicate,
  seen: readonly Observation[],
  commit: Commit | null,
): Promise<Verdict> {
  const receipt = await writeReceipt(job.settings, predicate);
  const criteria = seen.map((one) => one.result);
  const { outcome, summary } = predicate;
  return { ...verdictOf(job.request, commit, { outcome, summary }), criteria, receipt };
}

/** Names what the check is made of when the work changed it, on a pass too (L-A11). */
function withSource(seen: readonly Observation[], predicate: Predicate): readonly Observation[] {
  if (predicate.checkSource.length === 0) return seen;
  const named = predicate.checkSource.map((one) =>
    bounded(`the check itself was changed: ${one.what}`, 500),
  );
  return seen.map((one) => ({
    ...one,
    result: { ...one.result, reasons: [...named, ...one.result.reasons].slice(0, 10) },
  }));
}

/** Setup failed on the work: with other manifests than the base it is the work's own doing. */
async function setupVerdict(
  job: CheckJob,
  failure: SetupFailure,
  { commit, criteria, restored }: Subject,
): Promise<Verdict> {
  const base = job.request.definition.source.base;
  const baseKey = base === null ? null : ((await keyOf(job, base))?.key ?? null);
  const isOfTheWork = commit !== null && baseKey !== null && baseKey !== failure.key;
  const outcome = isOfTheWork && failure.run.ended === 'exit' ? 'failed' : 'verifier_unavailable';
  const known = await readBaseline(job);
  const predicate = await predicateOf(job, {
    about: 'verification',
    outcome,
    summary: bounded(failure.message, summaryMax),
    tree: 'none',
    environment: {
      ...noEnvironment,
      setup: job.request.definition.workspace.setup?.command ?? null,
      key: failure.key,
    },
    observations: [],
    baseline: known?.counts ?? null,
    baselineOutcome: baselineWord(job, known),
    restored,
    commit,
    criteria,
  });
  return signed(job, predicate, [], commit);
}

function verdictOf(
  request: CheckRequest,
  commit: Commit | null,
  what: Pick<Verdict, 'outcome' | 'summary'>,
): Verdict {
  return {
    ...what,
    commit,
    verifier: request.execution,
    verifierIdentity: 'runtime',
    criteria: [],
    receipt: null,
  };
}

async function isUnchanged(job: CheckJob, commit: Commit | null): Promise<boolean> {
  const { definition } = job.request;
  const { base } = definition.source;
  if (definition.allowNoChange || base === null || commit === null) return false;
  if (definition.source.isolation === 'none' && job.request.commit === null) return false;
  const { trees } = job.settings;
  const root = definition.project.root;
  return (await trees.treeOf(root, base)) === (await trees.treeOf(root, commit));
}

function countsOf(job: CheckJob, known: KnownBaseline | null, command: string) {
  const index = job.request.definition.criteria.findIndex(
    (one) => 'command' in one && one.command === command,
  );
  return known?.counts[String(index)] ?? null;
}

function baselineWord(job: CheckJob, known: KnownBaseline | null): Predicate['baseline'] {
  if (job.request.definition.baseline === 'skip') return 'not run';
  return known?.outcome ?? 'unknown';
}

/** What is protected, and what the checks run and the work changed; only where git holds it. */
async function entriesToRestore(job: CheckJob, commit: Commit | null): Promise<readonly string[]> {
  const { definition, restoreProtected: wanted } = job.request;
  const { base, isolation } = definition.source;
  if (!wanted || base === null || commit === null || isolation === 'none') return [];
  const where = { root: definition.project.root, base, commit };
  const sources = await checkSourceChanges(job.settings.trees, where, checkOf(definition));
  const own = sources.filter(({ isRun }) => isRun).map(({ what }) => what);
  return [...definition.protected, ...own];
}

/** Only in trees that are the runtime's to change. */
async function restoreProtected(
  job: CheckJob,
  place: Place,
  commit: Commit | null,
): Promise<readonly string[]> {
  const { source, project } = job.request.definition;
  const { base } = source;
  const entries = await entriesToRestore(job, commit);
  if (base === null || entries.length === 0) return [];
  const { trees } = job.settings;
  const root = project.root;
  const { globs, parts } = splitProtected(entries);
  const restored = [...(await trees.restore(place.tree, base, globs))];
  const where = { root, base, directory: place.tree };
  for (const part of parts) {
    const isPutBack = await restorePart(trees, where, part);
    if (isPutBack) restored.push(`${part.path}#${part.keys.join('.')}`);
  }
  tellRestored(job, restored);
  return [...new Set(restored)].slice(0, restoredMax);
}
