/** One `prepare` or `verify` execution in the check host, from the claim to the last word. */
import type { JobResult, ProofStrength } from '../domain/execution/state.ts';
import type { Commit, ExecutionId } from '../domain/ids.ts';
import { outputsOf } from '../domain/verdict/outputs.ts';
import type { CancelSignal } from '../kernel/cancel-signal.ts';
import { clip } from '../kernel/text.ts';
import type { CheckRequest } from '../ports/checks.ts';
import type { ClaimAnswer, Dispatch, Granted } from '../ports/plane.ts';
import { treeShort } from '../ports/tree-name.ts';
import type { Tree } from '../ports/workspace.ts';
import type { CheckRunOptions } from './check-host-options.ts';
import { handIn } from './hand-in.ts';
import { told } from './lane-work.ts';
import { keepLease, type Lease } from './lease.ts';
import { scopeOf } from './restore-findings.ts';
import { classFor } from './room.ts';
import { digestOf } from './seal.ts';
import { namesIn } from './spool.ts';
import { verdictFacts } from './verdict-facts.ts';

type Claimed = Extract<ClaimAnswer, { ok: true }>;

interface CheckWork {
  readonly options: CheckRunOptions;
  readonly grant: Granted;
  readonly dispatch: Dispatch;
  readonly ttlMs: number;
  readonly lease: Lease;
  /** Aborts when the work is no longer wanted or the host was asked to leave. */
  readonly signal: AbortSignal;
  readonly progress: (line: string) => void;
}

/**
 * A claim that is lost, and one that the host leaves behind, end here; the sweep sees to the rest.
 */
export async function runCheck(
  options: CheckRunOptions,
  execution: ExecutionId,
  asked: CancelSignal,
): Promise<void> {
  const { plane, ids, processes, worker } = options;
  const holder = processes.self(worker);
  const claimSentAtMs = options.clock.monotonicMs();
  const claim = await plane.claim({ execution, holder, nonce: ids.nonce() });
  if (!claim.ok) return;
  options.faults?.reached('check.claimed');
  const stopping = new AbortController();
  const stop = () => stopping.abort();
  const work = workOn({ options, claim, claimSentAtMs, signal: stopping.signal });
  work.lease.signal.addEventListener('abort', stop);
  asked.addEventListener('abort', stop, { once: true });
  if (asked.aborted) stop();
  try {
    await plane.start({ ...work.grant, rung: 'check-host', pid: holder.pid });
    options.faults?.reached('check.started');
    const result = await resultOf(work);
    options.faults?.reached('check.checked');
    if (!asked.aborted) await sayLast(work, result);
  } finally {
    asked.removeEventListener('abort', stop);
    await work.lease.end();
  }
}

interface Held {
  readonly options: CheckRunOptions;
  readonly claim: Claimed;
  readonly claimSentAtMs: number;
  readonly signal: AbortSignal;
}

function workOn({ options, claim, claimSentAtMs, signal }: Held): CheckWork {
  const { dispatch, grantId, ttlMs } = claim;
  const grant = { execution: dispatch.execution, grantId };
  const since = options.clock.now();
  let detail = '';
  const lease = keepLease({
    plane: options.plane,
    clock: options.clock,
    grant,
    ttlMs,
    signals: () => JSON.stringify({ state: 'working_tool', since, detail }),
    usage: () => null,
    onFailure: (error) => options.log?.(`${dispatch.execution} beat: ${told(error)}`),
    ...(options.remote === undefined ? {} : { fencedFromMs: claimSentAtMs }),
  });
  const progress = (line: string) => {
    detail = clip(line, 200);
  };
  return { options, grant, dispatch, ttlMs, lease, signal, progress };
}

/**
 * A fault of ours is not the check's: the execution fails and is made again, no attempt is spent.
 */
async function resultOf(work: CheckWork): Promise<JobResult> {
  const { checks, artifacts } = work.options;
  try {
    await work.options.remote?.bring(work.dispatch);
    const request = await requestOf(work);
    if (work.dispatch.job.role === 'prepare') return await checks.baseline(request);
    const verdict = await checks.verify({ ...request, criteria: work.dispatch.criteria });
    const digest = await artifacts.put(JSON.stringify(verdict), 'verdict');
    work.options.faults?.reached('check.artifacts-put');
    const [facts, outputs] = [verdictFacts(verdict), outputsOf(verdict.criteria)];
    return { kind: 'verified', verdict: digest, facts, outputs };
  } catch (error: unknown) {
    const failure = classFor(error, 'lane_died');
    const whose = failure === 'lane_died' ? 'the check host failed: ' : '';
    const detail = clip(`${whose}${told(error)}`, 500);
    const nothing = { commit: null, usage: null, text: null };
    return { kind: 'failed', class: failure, detail, proof: endedProof(work), ...nothing };
  }
}

async function requestOf(work: CheckWork): Promise<CheckRequest> {
  const { dispatch } = work;
  const { definition, job } = dispatch;
  const { commit } = job;
  const isRecorded = job.role !== 'prepare' && commit !== null;
  return {
    run: dispatch.run,
    execution: dispatch.execution,
    definition,
    commit: job.role === 'prepare' ? definition.source.base : job.commit,
    directory: await directoryOf(work),
    signal: work.signal,
    progress: work.progress,
    restoreProtected: dispatch.restore,
    ...(isRecorded && dispatch.restore
      ? { putBack: (entries: readonly string[]) => putBack(work, commit, entries) }
      : {}),
  };
}

/** What drifted goes back where a human asked for it; what is protected, by policy as well. */
async function putBack(work: CheckWork, commit: Commit, entries: readonly string[]) {
  const { allowedPaths: allowed, definition, job, runName } = work.dispatch;
  const isAsked = job.restore === true;
  if (!isAsked && entries.length === 0) return { commit, restored: [] };
  const message = `pawl ${runName}: put back to base`;
  const scope = isAsked ? { fileScope: scopeOf(definition) } : {};
  const request = { commit, entries, ...scope, allowed, message };
  return work.options.workspace.putBack(await laneTree(work), request);
}

/** The lane's tree where it is what is checked; before there is one, the base in a clean tree. */
async function directoryOf(work: CheckWork): Promise<string | null> {
  const { definition, job } = work.dispatch;
  const { project, source, verifyTree } = definition;
  if (source.isolation === 'none') return project.root;
  if (verifyTree !== 'lane' || job.role === 'prepare') return null;
  return (await laneTree(work)).directory;
}

function laneTree(work: CheckWork): Promise<Tree> {
  const { definition, job, run, runName } = work.dispatch;
  const { project, source, workspace } = definition;
  return work.options.workspace.openTree({
    root: project.root,
    run,
    name: runName,
    short: treeShort(run),
    from: job.commit ?? source.base,
    base: source.base,
    isolation: source.isolation,
    submodules: workspace.submodules,
    copy: workspace.copy,
    fresh: null,
  });
}

/** What a check proved is removed; what is left of its records was not proven ended. */
function endedProof(work: CheckWork): ProofStrength {
  const left = namesIn(work.options.checkRecords).some((name) =>
    name.startsWith(`${work.dispatch.execution}-`),
  );
  return left ? 'unproven' : 'marker+tree';
}

async function sayLast(work: CheckWork, result: JobResult): Promise<void> {
  const { plane, clock, ids, log, faults, ensureDriver } = work.options;
  const { stop } = work.lease;
  if (stop?.why === 'refused') return;
  const onFailure = (error: unknown) => log?.(`${work.dispatch.execution}: ${told(error)}`);
  const say = () =>
    stop === null
      ? plane.result({ ...work.grant, seal: sealOf(work.grant, result), result })
      : plane.cancelAck({ ...work.grant, proof: endedProof(work) });
  const isRemote = work.options.remote !== undefined;
  const answer = await handIn({ clock, ids, forMs: work.ttlMs, onFailure, isRemote }, say);
  if (answer === null) return;
  if (!answer.ok) log?.(`${work.dispatch.execution} refused: ${answer.reason}`);
  faults?.reached(stop === null ? 'check.result-sent' : 'check.cancel-acked');
  await ensureDriver();
}

function sealOf(grant: Granted, result: JobResult) {
  return digestOf(JSON.stringify({ ...grant, result }));
}
