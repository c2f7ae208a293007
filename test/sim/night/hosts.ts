/** The lane host and the check host of the night, over the real local plane. */
import type { JobResult } from '../../../src/domain/execution/state.ts';
import type { Commit, ExecutionId, Instant } from '../../../src/domain/ids.ts';
import type { Artifacts } from '../../../src/ports/artifacts.ts';
import type { Dispatch, Granted, Plane } from '../../../src/ports/plane.ts';
import type { Store } from '../../../src/ports/store.ts';
import { sealOf } from '../bench-of-one.ts';
import type { Machine } from '../machine.ts';
import type { SimProcess } from '../process.ts';
import { minute, type Task, turnOf } from './story.ts';

export interface NightHost {
  readonly machine: Machine;
  readonly plane: Plane;
  readonly artifacts: Artifacts;
  readonly store: Store;
  readonly process: SimProcess;
  readonly taskNamed: (name: string) => Task;
  /** Makes a commit on the branch of the run, as a lane host records a turn. */
  readonly commit: (task: Task, run: string, attempt: number) => Commit;
  /** When the limit of the provider ends. */
  readonly limitUntil: Instant;
}

/** Rare, since every beat is a commit to the disk of the machine that runs the test. */
const beatMs = minute;
const pollMs = 15_000;

export async function nightLane(host: NightHost, execution: ExecutionId): Promise<void> {
  const { machine, plane, process } = host;
  const spool = machine.spool(execution);
  if (spool.owner !== null && machine.lives(spool.owner)) return;
  spool.owner = process.holder;
  const claimed = await plane.claim({ execution, holder: process.holder, nonce: execution });
  if (!claimed.ok) return;
  spool.grantId = claimed.grantId;
  const granted = { execution, grantId: claimed.grantId };
  const { dispatch } = claimed;
  const task = host.taskNamed(dispatch.runName);
  const attempt = await attemptOf(host, execution);
  const agent = machine.startAgent(execution, machine.tree(dispatch.run, 'same'), process);
  await plane.start({ ...granted, rung: 'sim', pid: process.holder.pid });
  if (!(await beatFor(host, granted, turnOf(task, attempt).minutes * minute))) return;
  agent.alive = false;
  const result = await executed(host, { dispatch, attempt }, task);
  const seal = sealOf(`${execution} ${JSON.stringify(result)}`);
  spool.seal = { seal, result };
  await plane.result({ ...granted, seal, result });
}

/** Signals as a real host sends them: how long it has been working is said in them. */
async function beatFor(host: NightHost, granted: Granted, ms: number): Promise<boolean> {
  const { clock } = host.process;
  const until = clock.monotonicMs() + ms;
  for (let beat = 1; clock.monotonicMs() < until; beat += 1) {
    await clock.sleep(Math.min(beatMs, until - clock.monotonicMs()));
    const beating = { ...granted, beat, signals: '{}', usage: null };
    const answer = await host.plane.heartbeat(beating);
    if (!answer.ok) return false;
    if (answer.cancel) {
      await host.plane.cancelAck({ ...granted, proof: 'kernel' });
      return false;
    }
  }
  return true;
}

interface Job {
  readonly dispatch: Dispatch;
  readonly attempt: number;
}

async function attemptOf({ store }: NightHost, execution: ExecutionId): Promise<number> {
  return (await store.execution(execution))?.attempt ?? 1;
}

async function executed(
  host: NightHost,
  { dispatch, attempt }: Job,
  task: Task,
): Promise<JobResult> {
  const { costUsd, outcome = 'turn_ended' } = turnOf(task, attempt);
  const commit = outcome === 'turn_ended' ? host.commit(task, dispatch.run, attempt) : null;
  return {
    kind: 'executed',
    outcome,
    commit,
    equalsBase: false,
    filesChanged: commit === null ? 0 : 2,
    findings: [],
    usage: {
      costUsd,
      source: task.isMetered ? 'metered' : 'self-reported',
      tokensIn: 100_000,
      tokensOut: 9_000,
      cacheRead: 0,
      cacheWrite: 0,
    },
    end: { exit: 0, signal: null, rung: 'sim', proof: 'kernel', lastLine: 'done' },
    text:
      outcome === 'question'
        ? await host.artifacts.put('A header line, or the same columns as the API?', 'question')
        : null,
    limitUntil: outcome === 'limit' ? host.limitUntil : null,
    sessionId: null,
    journal: null,
  };
}

/** One check at a time; each takes half a minute. */
export async function nightChecks(host: NightHost): Promise<void> {
  const { store, process } = host;
  const seat = { seat: 'checks', holder: process.holder, version: 'sim' } as const;
  const held = (await store.seats()).find((row) => row.seat === 'checks') ?? null;
  if (held !== null && host.machine.lives(held.holder)) return;
  if (!(await store.takeSeat(seat, held)).ours) return;
  let busyAt = process.clock.monotonicMs();
  while (process.clock.monotonicMs() - busyAt < 3 * minute) {
    if (!(await store.beatSeat(seat))) return;
    const rows = await store.dispatchable(process.clock.now(), 16);
    const due = rows.filter(({ role }) => role === 'prepare' || role === 'verify');
    for (const { id } of due) await check(host, id);
    if (due.length > 0) busyAt = process.clock.monotonicMs();
    await process.clock.sleep(pollMs);
  }
  await store.leaveSeat(seat);
}

async function check(host: NightHost, execution: ExecutionId): Promise<void> {
  const { plane, process } = host;
  const claimed = await plane.claim({ execution, holder: process.holder, nonce: execution });
  if (!claimed.ok) return;
  const granted = { execution, grantId: claimed.grantId };
  await plane.start({ ...granted, rung: 'sim', pid: process.holder.pid });
  if (!(await beatFor(host, granted, minute / 2))) return;
  const { dispatch } = claimed;
  const task = host.taskNamed(dispatch.runName);
  const result =
    dispatch.job.role === 'verify'
      ? await judged(host, { dispatch, attempt: await attemptOf(host, execution) }, task)
      : prepared(task);
  const seal = sealOf(`${execution} ${JSON.stringify(result)}`);
  await plane.result({ ...granted, seal, result });
}

const prepared = ({ failedBefore }: Task): JobResult => ({
  kind: 'prepared',
  baseline: 'red',
  setup: 'none',
  summary: `npm test fails (${failedBefore} failed, 371 passed)`,
  receipt: null,
  detail: null,
});

async function judged(
  { artifacts }: NightHost,
  { dispatch: { job, execution }, attempt }: Job,
  task: Task,
): Promise<JobResult> {
  const failed = turnOf(task, attempt).failedTests ?? 0;
  const outcome = failed === 0 ? 'passed' : 'failed';
  const exit = failed === 0 ? 0 : 1;
  const counts = { passed: 371, failed, skipped: 0 };
  const summary = `npm test exit ${exit} · ${failed} failed, 371 passed`;
  const { commit } = job;
  const statement = JSON.stringify({ execution, predicate: { work: { commit } } });
  const payload = Buffer.from(statement).toString('base64');
  const receipt = await artifacts.put(JSON.stringify({ payload }), 'receipt');
  const criterion = {
    ...{ index: 0, kind: 'test', what: 'npm test', outcome, score: null, reasons: [] },
    ...{ suggestedFix: null, exit, counts, durationMs: 14_000, executions: 1 },
    ...{ flaky: false, output: null },
  };
  const verdict = {
    ...{ outcome, commit, verifier: execution, verifierIdentity: 'runtime' },
    ...{ criteria: [criterion], receipt, summary },
  };
  return {
    kind: 'verified',
    verdict: await artifacts.put(JSON.stringify(verdict), 'verdict'),
    facts: {
      ...{ outcome, summary, receipt, commit, score: null, flaky: false },
      ...{ failedTests: failed, passedTests: 371 },
    },
  };
}
