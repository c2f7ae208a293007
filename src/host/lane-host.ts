/**
 * One process around one lane (design/lane-host.md 2–11): takes the spool, claims the execution,
 * does its work, seals the result into the spool and hands it in. It survives terminal and driver;
 * what it cannot hand in lies sealed for the sweep. It never writes to the store after a refusal.
 *
 * Fault points, in order: host.opened, claimed, tree-opened, furnished, spawned, started,
 * tree-ended, snapshotted, artifacts-put, sealed, result-sent.
 */
import type { ExecutionId } from '../domain/ids.ts';
import { recoveryFigures } from '../domain/recovery/figures.ts';
import { requireStarted, withheldValues } from '../kernel/starter-environment.ts';
import { isTooOld } from '../kernel/too-old.ts';
import type { Clock } from '../ports/clock.ts';
import type { ClaimAnswer, Dispatch, Granted, PlaneAnswer } from '../ports/plane.ts';
import { consultLane } from './consult-lane.ts';
import { resolveCredentials } from './credentials.ts';
import { type CutOff, cutOff } from './cut-off.ts';
import { doorNote, withMetered } from './door-outcome.ts';
import { executeLane } from './execute-lane.ts';
import { handIn } from './hand-in.ts';
import { type Journal, openJournal } from './journal.ts';
import { judgeLane } from './judge-lane.ts';
import { withJournal } from './kept-journal.ts';
import { type LaneDoor, noDoor, openLaneDoor } from './lane-door.ts';
import { laneSignals } from './lane-signals.ts';
import {
  failed,
  type LaneHostOptions,
  type LaneWork,
  type Outcome,
  reached,
  told,
} from './lane-work.ts';
import { keepLease, type Lease } from './lease.ts';
import { type Nudges, nudges } from './nudges.ts';
import { permissionDesk } from './permission-desk.ts';
import { redactText } from './redact.ts';
import { classFor, withRoom } from './room.ts';
import { writeSeal } from './seal.ts';
import { openSpool, readFact, type Spool, type SpoolTree, spoolPath } from './spool.ts';

export type { JudgeTree, LaneHostOptions } from './lane-work.ts';

/** How a host ended; every one of them is exit 0, since the store and the spool say the rest. */
export interface LaneHostExit {
  readonly how:
    | 'not_ours'
    | 'not_claimed'
    | 'handed_in'
    | 'left_sealed'
    | 'refused'
    | 'cancelled'
    | 'fenced'
    | 'asked';
  readonly detail: string;
}

export interface LaneHost {
  /** `signal`: the host is told to end. Its tree is ended; the sweep then starts another host. */
  run(execution: ExecutionId, signal?: AbortSignal): Promise<LaneHostExit>;
}

const claimTriesMax = 5;
const claimPauseMs = 200;

export function laneHost(options: LaneHostOptions): LaneHost {
  return {
    async run(execution, signal) {
      const { processes, spoolDirectory, worker } = options;
      const self = processes.self(worker);
      const spool = openSpool(spoolPath(spoolDirectory, execution), self, processes.lives);
      if (spool === null) return { how: 'not_ours', detail: 'another host has this spool' };
      reached({ options }, 'opened');
      const claimSentAtMs = options.clock.monotonicMs();
      const claim = await claimed(options, execution);
      if (!claim.ok) return { how: 'not_claimed', detail: claim.reason };
      spool.write('grant', { grantId: claim.grantId, fence: claim.fence });
      reached({ options }, 'claimed');
      const asked = signal ?? new AbortController().signal;
      return hold({ options, spool, claim, claimSentAtMs, asked });
    },
  };
}

type Claimed = Extract<ClaimAnswer, { ok: true }>;

/** The same nonce again is the same claim, so an answer that got lost costs nothing. */
async function claimed(options: LaneHostOptions, execution: ExecutionId): Promise<ClaimAnswer> {
  const { plane, processes, clock, ids, worker } = options;
  const request = { execution, holder: processes.self(worker), nonce: ids.nonce() };
  for (let tries = 1; ; tries += 1) {
    try {
      return await plane.claim(request);
    } catch (error: unknown) {
      options.log?.(`claim: ${told(error)}`);
      if (tries >= claimTriesMax) throw error;
    }
    await clock.sleep(claimPauseMs * 2 ** tries * (0.5 + ids.fraction()));
  }
}

interface Holding {
  readonly options: LaneHostOptions;
  readonly spool: Spool;
  readonly claim: Claimed;
  /** Before the claim was sent; a lease that ends elsewhere counts from here. */
  readonly claimSentAtMs: number;
  readonly asked: AbortSignal;
}

/** Beats from the claim to the last message, whatever happens in between. */
async function hold(holding: Holding): Promise<LaneHostExit> {
  const { options, spool, claim, asked } = holding;
  const { clock } = options;
  const { dispatch, grantId, ttlMs } = claim;
  const claimedAtMs = clock.monotonicMs();
  const grant: Granted = { execution: dispatch.execution, grantId };
  const selfReported: LaneWork['selfReported'] = { usage: null, before: null };
  const program: LaneWork['program'] = { version: null, refused: null };
  let means: Means = noMeans;
  let signals = signalsOf(clock, noDoor, dispatch);
  let pushes: Nudges | null = null;
  const desk = permissionDesk({
    clock,
    ask: (ask) => cut.ask({ ...grant, ask }),
    beat: () => lease.beat(),
    agent: () => `${dispatch.definition.roles.execute.agent} ${program.version ?? '?'}`,
    redact: (text) => redactText(text, means.secrets),
    onFailure: (error) => options.log?.(`ask: ${told(error)}`),
    onLeft: signals.left,
  });
  const cut = cutOff({
    spool,
    ask: options.plane.ask,
    unanswered: desk.clear,
    onFailure: (error) => options.log?.(`cut off: ${told(error)}`),
  });
  const lease: Lease = keepLease({
    plane: options.plane,
    clock,
    grant,
    ttlMs,
    signals: () => signals.read(),
    usage: () => means.door.usage() ?? selfReported.usage,
    onAnswer: desk.answered,
    onNudges: (count) => pushes?.told(count),
    onFailure: (error) => options.log?.(`beat: ${told(error)}`),
    ...endOf(holding, cut),
  });
  let journal: Journal | null = null;
  try {
    // Under beats: a secret may take as long as the command that has it.
    means = await meansOf(options, claim);
    const { door, secrets } = means;
    journal = journalIn(spool, secrets, clock);
    signals = signalsOf(clock, door, dispatch);
    pushes = nudgesOf({ journal, options, signals });
    const signal = AbortSignal.any([lease.signal, asked]);
    const work: LaneWork = {
      ...{ options, spool, grant, dispatch, claimedAtMs, lease, signal, journal, signals },
      ...{ secrets, door, desk, nudges: pushes, program, selfReported },
    };
    heedDoor(work);
    const outcome = means.failure ?? (await outcomeOf(work));
    // What was open at its end is settled before the sum is sealed.
    await door.close();
    return await conclude(work, outcome, ttlMs);
  } finally {
    await means.door.close();
    await lease.end();
    journal?.close();
  }
}

/**
 * Elsewhere the lease ends by itself, and what refuses a beat is a server, which is replaced. Here
 * it is the store itself, which stays as it is.
 */
function endOf({ options, claimSentAtMs }: Holding, cut: CutOff) {
  return options.remote === undefined ? { onTooOld: cut.beat } : { fencedFromMs: claimSentAtMs };
}

function journalIn({ journal }: Spool, secrets: Means['secrets'], clock: Clock): Journal {
  return openJournal({
    directory: journal,
    secrets,
    now: () => clock.now(),
    monotonicMs: () => clock.monotonicMs(),
  });
}

function nudgesOf(work: Pick<LaneWork, 'journal' | 'options' | 'signals'>) {
  return nudges((count) => {
    work.signals.nudged(count);
    noted(work, `nudged, ${count}: nothing moved`);
  });
}

function signalsOf(clock: Clock, door: LaneDoor, { definition, deadlineMs }: Dispatch) {
  return laneSignals({
    clock,
    timeoutMs: deadlineMs,
    liveness: definition.liveness ?? {},
    ...(door.state() === null ? {} : { door: { state: door.state } }),
    nudgesMax: recoveryFigures(definition.recovery).nudges,
  });
}

function heedDoor(work: LaneWork): void {
  work.door.listen((signal) => {
    work.signals.heard(signal);
    const note = doorNote(signal);
    if (note !== null) noted(work, note);
  });
}

interface Means {
  /** Everything that is taken out of what the lane prints. */
  readonly secrets: Readonly<Record<string, string>>;
  readonly door: LaneDoor;
  readonly failure: Outcome | null;
}

const noMeans: Means = { secrets: {}, door: noDoor, failure: null };

async function meansOf(options: LaneHostOptions, claim: Claimed): Promise<Means> {
  const { dispatch } = claim;
  const { secrets, env } = dispatch.definition;
  const withheld = withheldValues(options.env, env);
  let values: Readonly<Record<string, string>> = {};
  try {
    requireStarted(options.env, env);
    values = await valuesOf(options, claim, secrets);
  } catch (error: unknown) {
    const of = classFor(error, 'auth_required');
    return { ...noMeans, failure: failed({ class: of, detail: told(error) }) };
  }
  try {
    const door = await openLaneDoor(options.modelsDoor, {
      dispatch,
      secrets: values,
      host: options.env,
      onFailure: (error) => options.log?.(`models door: ${told(error, values)}`),
    });
    return { secrets: { ...withheld, ...values, ...door.secrets }, door, failure: null };
  } catch (error: unknown) {
    const detail = `the models door cannot be opened: ${told(error, values)}`;
    const failure = failed({ class: classFor(error, 'dispatch_failed'), detail });
    return { secrets: values, door: noDoor, failure };
  }
}

/** Of a machine that works for another the references mean nothing: the values are asked for. */
function valuesOf(
  { env, remote, worker }: LaneHostOptions,
  { dispatch, grantId }: Claimed,
  references: Readonly<Record<string, string>>,
): Promise<Readonly<Record<string, string>>> {
  if (remote === undefined) return resolveCredentials(references, env, { machine: worker });
  return remote.credentials({ execution: dispatch.execution, grantId }, references);
}

/** A journal that cannot be written is told by the turn itself. */
function noted(work: Pick<LaneWork, 'journal' | 'options'>, note: string): void {
  try {
    work.journal.note(note);
  } catch (error: unknown) {
    work.options.log?.(`journal: ${told(error)}`);
  }
}

function workOf(work: LaneWork): Promise<Outcome> {
  switch (work.dispatch.job.role) {
    case 'judge':
      return judgeLane(work);
    case 'consult':
      return consultLane(work);
    default:
      return executeLane(work);
  }
}

/**
 * A fault of ours inside the work must not look like the agent's: its tree is ended all the same.
 */
async function outcomeOf(work: LaneWork): Promise<Outcome> {
  try {
    await work.options.remote?.bring(work.dispatch);
  } catch (error: unknown) {
    return failed({ class: classFor(error, 'dispatch_failed'), detail: told(error) });
  }
  try {
    return await workOf(work);
  } catch (error: unknown) {
    const detail = `the host failed: ${told(error, work.secrets)}`;
    return failed({ class: classFor(error, 'lane_died'), detail, proof: 'unproven' });
  }
}

async function conclude(work: LaneWork, outcome: Outcome, ttlMs: number): Promise<LaneHostExit> {
  const { lease } = work;
  if (lease.stop?.why === 'refused') return await fence(work, lease.stop.reason);
  if (outcome.how === 'stopped' && lease.stop === null) {
    return { how: 'asked', detail: 'the host was told to end' };
  }
  if (outcome.how === 'stopped') return acknowledge(work, outcome, ttlMs);
  const metered = withMetered(outcome.result, work.door.usage());
  const result = await withJournal(work, metered);
  const seal = {
    version: 1,
    ...work.grant,
    result,
    lastSeq: work.journal.lastSeq,
    sealedAt: work.options.clock.now(),
  } as const;
  const sealed = await withRoom(work, () => writeSeal(work.spool.directory, seal));
  reached(work, 'sealed');
  const { plane, ensureDriver } = work.options;
  const answer = await said(work, 'result', ttlMs, () =>
    plane.result({ ...work.grant, seal: sealed.digest, result }),
  );
  if (answer === null) return { how: 'left_sealed', detail: 'the store did not answer' };
  if (!answer.ok) {
    await setAside(work);
    return { how: 'refused', detail: answer.reason };
  }
  reached(work, 'result-sent');
  await ensureDriver();
  return { how: 'handed_in', detail: sealed.digest };
}

/** Null: nobody has heard its last word. */
async function said(
  { options }: LaneWork,
  what: string,
  forMs: number,
  say: () => Promise<PlaneAnswer>,
): Promise<PlaneAnswer | null> {
  const { clock, ids, log, remote } = options;
  const isRemote = remote !== undefined;
  let isCut = false;
  const onFailure = (error: unknown) => {
    isCut = !isRemote && isTooOld(error);
    log?.(`${what}: ${told(error)}`);
  };
  const answer = await handIn({ clock, ids, forMs, onFailure, isRemote }, say);
  if (isCut) await successor(options);
  return answer;
}

/** Where programs are replaced in their place it is the later driver that this starts. */
async function successor({ ensureDriver, log }: LaneHostOptions): Promise<void> {
  try {
    await ensureDriver();
  } catch (error: unknown) {
    log?.(`driver: ${told(error)}`);
  }
}

/** Another owns the attempt, or nobody: nothing is written to the store any more. */
async function fence(work: LaneWork, reason: string): Promise<LaneHostExit> {
  work.spool.write('fenced', { reason, at: work.options.clock.now() });
  await setAside(work);
  return { how: 'fenced', detail: reason };
}

/**
 * On a machine that works for another nobody else looks after the tree of a lost execution, and
 * what it left there is no part of the run.
 */
async function setAside({ options, spool, dispatch }: LaneWork): Promise<void> {
  if (options.remote === undefined) return;
  const tree = readFact<SpoolTree>(spool.directory, 'tree');
  if (tree === null || tree.isolation === 'none') return;
  try {
    await options.workspace.quarantine(tree.directory, dispatch.execution);
  } catch (error: unknown) {
    options.log?.(`quarantine: ${told(error)}`);
  }
}

async function acknowledge(
  work: LaneWork,
  outcome: Extract<Outcome, { how: 'stopped' }>,
  ttlMs: number,
): Promise<LaneHostExit> {
  const { plane, ensureDriver } = work.options;
  // An acknowledgement takes what was spent from the last beat: nothing told may come after it.
  if ((work.door.usage() ?? work.selfReported.usage) !== null) await work.lease.beat();
  const answer = await said(work, 'cancel-ack', ttlMs, () =>
    plane.cancelAck({ ...work.grant, proof: outcome.proof }),
  );
  if (answer === null) return { how: 'left_sealed', detail: 'the store did not answer' };
  reached(work, 'cancel-acked');
  await ensureDriver();
  return { how: 'cancelled', detail: answer.ok ? outcome.proof : answer.reason };
}
