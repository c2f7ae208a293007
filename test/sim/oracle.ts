/**
 * What must never be broken, asked after every commit of a simulated world. R and X are the
 * numbered invariants of src/domain/{run,execution}/state.ts, C those of src/engine/compose.ts; W
 * are the world's own: what a witness outside the engine saw.
 *
 *   W1. At most one agent writes in a work tree.
 *   W2. An execution starts at most one agent.
 *   W3. A run completes `passed` only over a commit that is truly good.
 *   W4. Only the scripted human lifts a halt.
 *   W6. Nothing that is due or ready waits, and no lane that died or stands still is left alone, as
 *       long as somebody looks in; and no run is without work (RR-13).
 *   W7. No run is parked for a bug of ours.
 *   W8. An artifact that a stream names, itself or by what it names, has a row that keeps it, and
 *       in the end it is there.
 *   W9. A job is recovered, and a lane is nudged, at most as often as the figures say (RR-30), and
 *       in the end no process of a lane is left that could be ended.
 *   W5. In the end every run has ended, no timer and no open execution is left, the chain is whole.
 */
import { isDeepStrictEqual } from 'node:util';
import type { ExecutionEvent } from '../../src/domain/execution/message.ts';
import type { Execution } from '../../src/domain/execution/state.ts';
import type { Commit, Digest, ExecutionId, Instant, RunId } from '../../src/domain/ids.ts';
import { recoveryDefaults } from '../../src/domain/recovery/figures.ts';
import { digestsIn, type Reference } from '../../src/domain/references.ts';
import { follows } from '../../src/domain/retry/classes.ts';
import type { RunAggregate } from '../../src/domain/run/aggregate.ts';
import type { RunEvent } from '../../src/domain/run/message.ts';
import type { LivingRun, RunState } from '../../src/domain/run/state.ts';
import { emptyAggregate, foldEvolve, hasEnded, isExecutionEvent } from '../../src/engine/fold.ts';
import { noWorkIn } from '../../src/engine/run-health.ts';
import type { Artifacts } from '../../src/ports/artifacts.ts';
import type { Position, Store, StoredEvent } from '../../src/ports/store.ts';
import type { Agent, Machine } from './machine.ts';
import { type Alone, judgeAlone, judgeDue, type Late } from './oracle-health.ts';
import type { VirtualTime } from './time.ts';
import { holds } from './violation.ts';

export interface Oracle {
  /** Reads what was committed since the last look and judges it. */
  look(): Promise<void>;
  agentStarted(agent: Agent): void;
  /** Nothing is left undone, over more than so many looks, that somebody could do. */
  healthy(time: Pick<VirtualTime, 'now' | 'wall'>, looksMax: number): Promise<void>;
  /** No lane that died or stands still is left alone while a driver lives. */
  tended(time: Pick<VirtualTime, 'now' | 'wall'>): Promise<void>;
  /** The world is over. */
  end(): Promise<void>;
  log(): readonly StoredEvent[];
  /** Every run has ended. */
  isOver(): boolean;
}

interface Known {
  aggregate: RunAggregate;
  version: number;
  contentSinceAttempt: number;
  /** Of the present job, since the human resolved what was parked last. */
  recovered: {
    readonly requeue: number;
    readonly transfer: number;
    readonly cleanExits: number;
  };
}

const human = 'ada';
const most = recoveryDefaults;
const unrecovered = { requeue: 0, transfer: 0, cleanExits: 0 } as const;

const isOver = ({ status }: RunState): boolean => status === 'complete' || status === 'cancelled';

export function oracle(
  store: Store,
  artifacts: Pick<Artifacts, 'get'>,
  machine: Pick<Machine, 'agents' | 'isGood' | 'processes' | 'processOf'>,
): Oracle {
  const log: StoredEvent[] = [];
  const runs = new Map<RunId, Known>();
  const startedAgents = new Set<ExecutionId>();
  const ended = new Set<ExecutionId>();
  const late: Late = new Map();
  const alone: Alone = new Map();
  const there = new Set<Digest>();
  let position: Position | null = null;

  const knownOf = (run: RunId): Known => {
    const known = runs.get(run) ?? {
      aggregate: emptyAggregate,
      version: 0,
      contentSinceAttempt: 0,
      recovered: unrecovered,
    };
    runs.set(run, known);
    return known;
  };
  const judge = (stored: StoredEvent): void => {
    const { run, event } = stored;
    const known = knownOf(run);
    const before = known.aggregate;
    const after = foldEvolve(before, event);
    if (isExecutionEvent(event)) judgeExecution(event, { before, after, ended });
    else judgeRunEvent(stored, event, { known, before, isGood: machine.isGood });
    judgeRecovery(event, known);
    known.aggregate = after;
    known.version = stored.version;
  };

  return {
    log: () => log,
    isOver: () => [...runs.values()].every(({ aggregate: { run } }) => isOver(run)),
    look: async () => {
      const touched = new Set<RunId>();
      for (;;) {
        const page = await store.eventsAfter(position, 500);
        for (const stored of page) {
          log.push(stored);
          judge(stored);
          await judgeNamed({ store, artifacts, there }, stored);
          touched.add(stored.run);
          position = stored.position;
        }
        if (page.length < 500) break;
      }
      for (const run of touched) await judgeState(store, run, knownOf(run));
    },
    agentStarted: (agent) => {
      holds(!startedAgents.has(agent.execution), 'W2', `${agent.execution} started twice`);
      startedAgents.add(agent.execution);
      const others = machine.agents().filter((other) => other !== agent && other.alive);
      const rival = others.find(({ tree }) => tree === agent.tree);
      holds(
        rival === undefined,
        'W1',
        `${rival?.execution} and ${agent.execution} both write in ${agent.tree}`,
      );
    },
    healthy: (time, looksMax) => judgeDue({ store, machine, time }, late, looksMax),
    tended: (time) => judgeAlone({ store, machine, time }, alone),
    end: async () => {
      judgeZombies(machine);
      for (const [run, { aggregate }] of runs) judgeEnd(run, aggregate);
      await judgeLeftovers(store);
      for (const digest of there) {
        holds((await artifacts.get(digest)) !== null, 'W8', `${digest} was collected`);
      }
    },
  };
}

function judgeRecovery(event: StoredEvent['event'], known: Known): void {
  const { aggregate: before } = known;
  const isResolved = event.type === 'run.resumed' && before.run.status === 'needs_operator';
  const isNewJob = event.type === 'job.dispatched' && ['first', 'next'].includes(event.why);
  if (isResolved || isNewJob) known.recovered = unrecovered;
  if (event.type === 'execution.nudged') {
    holds(event.n <= most.nudges, 'W9', `${event.id} nudged ${event.n} times`);
  }
  if (event.type === 'recovery.recorded') known.recovered = recoveredBy(event, known.recovered);
}

type Recovered = Known['recovered'];
type Recorded = Extract<RunEvent, { readonly type: 'recovery.recorded' }>;

function recoveredBy(
  { action, execution, cleanExit, abandoned, class: failure }: Recorded,
  { requeue, transfer, cleanExits }: Recovered,
): Recovered {
  const exits = cleanExits + (cleanExit === true ? 1 : 0);
  const isSpent = requeue === most.requeues || exits > most.cleanExits.execute;
  const mayGoOn = follows[failure].follow === 'requeue' && abandoned !== true && !isSpent;
  holds(action !== 'give_up' || !mayGoOn, 'W9', `${execution} is given up too early`);
  const after = { requeue, transfer, cleanExits: exits };
  if (action === 'requeue' || action === 'transfer') after[action] += 1;
  const isWithin = after.requeue <= most.requeues && after.transfer <= most.transfers;
  holds(isWithin, 'W9', `${execution}: ${after.requeue} × requeue, ${after.transfer} × transfer`);
  return after;
}

interface Kept {
  readonly store: Pick<Store, 'unreferenced'>;
  readonly artifacts: Pick<Artifacts, 'get'>;
  /** Named, and put. */
  readonly there: Set<Digest>;
}

/** Lists of criteria: what they name is shown by `logs --checks` and `show`. */
const lists: readonly string[] = ['verdict', 'detail'];

async function judgeNamed(
  { store, artifacts, there }: Kept,
  { run, event }: StoredEvent,
): Promise<void> {
  const named: Reference[] = [...digestsIn(event)];
  for (const { name, digest } of digestsIn(event)) {
    if (!lists.includes(name.split('.')[0] ?? '')) continue;
    const bytes = await artifacts.get(digest);
    // A liar names what nobody has put.
    if (bytes !== null) named.push(...digestsIn(JSON.parse(new TextDecoder().decode(bytes))));
  }
  for (const { digest } of named) {
    if ((await artifacts.get(digest)) !== null) there.add(digest);
  }
  const [lost] = await store.unreferenced(named.map(({ digest }) => digest));
  const name = named.find(({ digest }) => digest === lost)?.name;
  holds(lost === undefined, 'W8', `${run}: ${event.type} names ${name} and no row keeps it`);
}

async function judgeLeftovers(store: Store): Promise<void> {
  const open = (await store.openExecutions()).filter(({ status }) => status !== 'UNKNOWN');
  holds(open.length === 0, 'W5', `left open: ${open.map(({ id }) => id).join(', ')}`);
  const timer = await store.nextTimer();
  holds(timer === null, 'W5', 'a timer is left');
  const approvals = await store.openApprovals();
  holds(approvals.length === 0, 'W5', 'an approval is left open');
  const { problems } = await store.audit();
  holds(problems.length === 0, 'W5', `audit: ${problems[0]?.what}`);
}

interface ExecutionSight {
  readonly before: RunAggregate;
  readonly after: RunAggregate;
  readonly ended: Set<ExecutionId>;
}

function judgeExecution(event: ExecutionEvent, { before, after, ended }: ExecutionSight): void {
  const { id } = event;
  const was = before.executions.find((execution) => execution.id === id) ?? null;
  holds(!ended.has(id), 'X4', `${id} ended and then: ${event.type}`);
  if (event.type === 'execution.dispatched') holds(was === null, 'X4', `${id} dispatched twice`);
  if (event.type === 'execution.leased') {
    holds(was?.status === 'DISPATCHED', 'X1', `${id} leased while ${was?.status}`);
    holds(event.grant.fence > fenceOf(before), 'X6', `fence ${event.grant.fence} does not grow`);
  }
  if (event.type === 'execution.succeeded') {
    const mayEnd = ['RUNNING', 'CHECKPOINTED', 'LEASED', 'CANCEL_REQUESTED'];
    const status = was?.status ?? 'none';
    if (event.adopted !== undefined) judgeAdoption(event.adopted, was, before);
    else holds(mayEnd.includes(status), 'X3', `${id} succeeded from ${status}`);
  }
  if (was?.status === 'UNKNOWN') {
    holds(event.type === 'execution.reconciled', 'X5', `${id} UNKNOWN, then ${event.type}`);
  }
  const now = after.executions.find((execution) => execution.id === id) ?? null;
  if (now === null || hasEnded(now)) ended.add(id);
  const held = after.executions.filter((one) => isHeld(one) && one.job.role !== 'consult');
  holds(held.length <= 1, 'X1', `held at once: ${held.map((one) => one.id).join(', ')}`);
}

function judgeAdoption(from: ExecutionId, was: Execution | null, before: RunAggregate): void {
  const former = before.executions.find(({ id }) => id === from);
  holds(was?.status === 'DISPATCHED', 'X7', `${was?.id} had started and adopts ${from}`);
  const isLost = former?.status === 'FAILED' || former?.status === 'EXHAUSTED';
  holds(isLost && former.seal === null, 'X7', `${from} was not lost and is adopted`);
  holds(former.n + 1 === was.n, 'X7', `${was.id} does not replace ${from}`);
  const { attempt } = was.job;
  const adoptedIn = before.run.status === 'unborn' ? null : before.run.adoptedIn;
  holds(adoptedIn !== attempt, 'X7', `attempt ${attempt} adopts twice`);
}

const isHeld = (execution: Execution): boolean =>
  !hasEnded(execution) && execution.status !== 'DISPATCHED' && execution.status !== 'UNKNOWN';

const fenceOf = ({ run }: RunAggregate): number =>
  run.status === 'unborn' ? 0 : run.counters.fence;

interface RunSight {
  readonly known: Known;
  readonly before: RunAggregate;
  readonly isGood: (commit: Commit | null) => boolean;
}

/** What may still be recorded of a run that has ended (R6). */
const afterTheEnd: readonly RunEvent['type'][] = [
  'run.landed',
  'principal.refused',
  'notice.planned',
  'notice.recorded',
  'opinion.left',
  'usage.recorded',
];

/** Events that lift a halt or pass a gate. */
const gateEvents: readonly RunEvent['type'][] = ['run.resumed', 'question.answered', 'run.landed'];

function judgeRunEvent(stored: StoredEvent, event: RunEvent, sight: RunSight): void {
  const { known, before, isGood } = sight;
  const { run } = before;
  const mayFollow = afterTheEnd.includes(event.type);
  holds(!isOver(run) || mayFollow, 'R6', `${stored.run} has ended, then: ${event.type}`);
  if (gateEvents.includes(event.type)) {
    holds(stored.actor === human, 'R2', `${event.type} by ${stored.actor}`);
  }
  if (event.type === 'gate.resolved' && event.outcome === 'approved') {
    holds(stored.actor === human, 'R2', `a gate approved by ${stored.actor}`);
  }
  judgeAttempt(stored, event, known);
  if (event.type === 'run.parked') {
    holds(event.reason !== 'internal_error', 'W7', `${stored.run}: ${event.detail}`);
  }
  if (event.type === 'run.completed') judgeCompletion(stored, event, before, isGood);
}

/**
 * An attempt ends by content: a verification, a gate, an invalid result, or the human's word (R3).
 */
function judgeAttempt(stored: StoredEvent, event: RunEvent, known: Known): void {
  const isInvalid = event.type === 'error.signalled' && event.class === 'invalid_result';
  const isJudged = event.type === 'verification.recorded' || event.type === 'gate.resolved';
  if (isInvalid || isJudged) known.contentSinceAttempt += 1;
  if (event.type !== 'attempt.ended') return;
  const isContent = known.contentSinceAttempt > 0 || stored.actor === human;
  holds(isContent, 'R3', `${stored.run}: attempt ${event.attempt.n} ended without a judgement`);
  known.contentSinceAttempt = 0;
}

function judgeCompletion(
  stored: StoredEvent,
  event: Extract<RunEvent, { readonly type: 'run.completed' }>,
  { run }: RunAggregate,
  isGood: (commit: Commit | null) => boolean,
): void {
  if (event.verification === 'overridden') {
    holds(stored.actor === human, 'R2', `${stored.run} overridden by ${stored.actor}`);
    return;
  }
  const head = run.status === 'unborn' ? null : run.head;
  holds(isGood(head), 'W3', `${stored.run} passed over ${head}, which is not good`);
}

/** The stored projection, against the fold of the stream and against what a state must be. */
async function judgeState(store: Store, run: RunId, known: Known): Promise<void> {
  const { aggregate: folded, version } = known;
  const loaded = await store.loadRun(run);
  // Somebody committed between the two reads; the next look judges what is now.
  if (loaded !== null && loaded.version > version) return;
  holds(isSame(loaded?.aggregate, folded), 'C1', `${run}: the projection is not the fold`);
  const state = folded.run;
  if (state.status === 'unborn') return;
  const { granted, counters } = state;
  if (granted.attempts !== null) {
    holds(counters.attempts <= granted.attempts, 'R5', `${run}: ${counters.attempts} attempts`);
  }
  if (state.status === 'active') await judgeActive(store, state, known);
  // Read as the driver and every page read it; how long something has been ready is another matter.
  const noWork = await noWorkIn(store, { id: run, version, aggregate: folded }, 0 as Instant);
  holds(noWork === null, 'W6', `${run} is ${state.status} without work: ${noWork}`);
}

/**
 * As JSON, which is what is stored; the order of keys is nobody's business, but mostly the same.
 */
function isSame(a: unknown, b: unknown): boolean {
  const [first, second] = [JSON.stringify(a), JSON.stringify(b)];
  return first === second || isDeepStrictEqual(JSON.parse(first), JSON.parse(second));
}

async function judgeActive(
  store: Store,
  run: LivingRun & { readonly status: 'active' },
  { aggregate: { executions }, version }: Known,
): Promise<void> {
  const { stage } = run;
  if (stage.phase === 'waiting') {
    const timers = await store.timersDue(Number.MAX_SAFE_INTEGER as never, 1_000);
    const isStored = timers.some((timer) => timer.run === run.id && timer.kind === 'wait');
    if ((await store.events(run.id, version, 1)).length > 0) return;
    holds(isStored, 'R4', `${run.id} waits without a timer`);
    return;
  }
  const job = executions.find(({ id }) => id === stage.execution);
  const isOpen = job !== undefined && !hasEnded(job) && job.status !== 'UNKNOWN';
  holds(isOpen, 'R4', `${run.id} is ${stage.phase} and ${stage.execution} is ${job?.status}`);
  const row = await store.execution(stage.execution);
  if ((await store.events(run.id, version, 1)).length > 0) return;
  holds(row?.status === job.status, 'C1', `${stage.execution}: its row says ${row?.status}`);
}

function judgeZombies({ agents }: Pick<Machine, 'agents'>): void {
  const zombie = agents().find(({ alive, escapes }) => alive && !escapes);
  holds(zombie === undefined, 'W9', `the agent of ${zombie?.execution} lives on`);
}

function judgeEnd(run: RunId, { run: state }: RunAggregate): void {
  holds(isOver(state), 'W5', `${run} is ${state.status} at the end of the world`);
}
