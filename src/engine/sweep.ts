/**
 * The sweep (DESIGN §13, design/lane-host.md 12–14): what became of every open execution of this
 * machine. Idempotent and re-entrant: each finding becomes a command that the machines may find
 * moot.
 *
 * Promises: a living host is adopted, never doubled (L-D23). A sealed result of a dead host is
 * handed in with its own grant. A host that left nothing, or stands still, is ended and proven
 * ended before its execution is lost; what could not be proven is said so. One that makes no
 * progress is nudged, then ended, by the table of domain/recovery. What no run awaits is asked to
 * end; a question that no lane waits for is closed. One execution's failure stops no other. A
 * host of an earlier program works on over a store that a later one has migrated: it is beaten
 * for, and what it seals is handed in.
 */
import type { RunId } from '../domain/ids.ts';
import { decideLane, type LaneStep } from '../domain/recovery/lane.ts';
import { isOverdue } from '../domain/run/timing.ts';
import { unreachable } from '../kernel/invariant.ts';
import type { CutBeat, LaneSighting, Lanes } from '../ports/lanes.ts';
import type { Plane } from '../ports/plane.ts';
import type { Proof } from '../ports/processes.ts';
import type { OpenExecution } from '../ports/store.ts';
import { type Adopted, adopted } from './adopted.ts';
import type { Engine } from './engine.ts';
import { type Endings, endings, type Lost } from './supervise/endings.ts';
import { laneFacts, stalledLooks, toldOf } from './supervise/lane-facts.ts';
import { nudge, termsOf } from './supervise/lane-terms.ts';
import { closeLeft } from './supervise/left-asks.ts';
import { reconcileOrphan, unawaited } from './supervise/orphans.ts';
import { messageOf } from './words.ts';

export interface SweepOptions {
  readonly engine: Engine;
  readonly plane: Plane;
  readonly lanes: Lanes;
  readonly ttlMs: number;
  /** Since the store last refused a write for want of space: until then no beat could arrive. */
  readonly sinceFullMs?: () => number;
  readonly log: (line: string) => void;
}

export interface Sweeper {
  /** Looks at every open execution once; answers how many it moved. */
  sweep(): Promise<number>;
  /**
   * Loses what the store says has expired, at once, and looks at adopted hosts that were not heard;
   * answers how many it moved. Cheap, so it is to be called often. What cannot be moved waits for
   * the next sweep.
   */
  sweepExpired(): Promise<number>;
  /**
   * Ends whom a run asked to end and who did not, or died over it, though the time for that is
   * over; what was sealed until then counts. Of another machine nobody is ended.
   */
  force(run: RunId): Promise<void>;
}

export function sweeper(options: SweepOptions): Sweeper {
  const { engine, lanes, log } = options;
  const hosts = adopted(engine.store);
  const ends = endings(options);
  const { lose, endAndLose } = ends;
  const found = findings(options, ends, hosts);
  let isFirst = true;
  const settle = async (open: OpenExecution) => {
    const sighting = await lanes.look(open);
    hosts.saw(open, sighting, isFirst);
    return open.lease === null ? unleased(open, sighting) : found(open, sighting);
  };
  /**
   * Of a time before leases, or of a damaged store (XP-42): it is never taken for running. Who can
   * be named is ended; of whom nothing is known the outcome is unknown, and a human decides.
   */
  const unleased = async (open: OpenExecution, sighting: LaneSighting): Promise<boolean> => {
    const isNamed = sighting.state === 'alive' || sighting.state === 'silent';
    return isNamed ? endAndLose(open, noLease) : found(open, sighting);
  };

  /**
   * Its lease is over by the clock of the store, and no beat can bring it back: nothing is waited
   * for. What it may still do on another machine is fenced off; a holder of this machine is ended,
   * and lost once it is gone, for the next one works in the same folder.
   */
  const expire = async (open: OpenExecution): Promise<boolean> => {
    const sighting = await lanes.look(open);
    switch (sighting.state) {
      case 'elsewhere':
        return lose(open, expiredLease, fencedOff);
      case 'alive':
      case 'silent':
        // Nobody else can take its work over, and what it seals is handed in with its grant.
        return sighting.cut === undefined ? endAndLose(open, expiredLease) : found(open, sighting);
      default:
        return found(open, sighting);
    }
  };
  /** Of those that could not be moved at once; the next whole sweep tries them again. */
  const tried = new Set<string>();
  const expired = async (): Promise<number> => {
    const rows = (await engine.store.expireLeases()).filter(({ id }) => !tried.has(id));
    for (const { id } of rows) tried.add(id);
    return each(rows.filter(isHeld), expire, log);
  };

  const end = async (open: OpenExecution): Promise<boolean> => {
    const sighting = await lanes.look(open);
    const isHere = sighting.state === 'alive' || sighting.state === 'silent';
    return isHere ? endAndLose(open, unheeded) : found(open, sighting);
  };

  return {
    force: async (run) => {
      const state = (await engine.store.loadRun(run))?.aggregate.run;
      if (state === undefined || !isOverdue(state, engine.clock.now())) return;
      const open = await engine.store.openExecutions();
      const asked = open.filter((one) => one.run === run && one.status === 'CANCEL_REQUESTED');
      await each(asked, end, log);
    },
    sweepExpired: async () => {
      const moved = await expired();
      return moved + (await each((await hosts.inView()).filter(isHeld), settle, log));
    },
    sweep: async () => {
      tried.clear();
      const moved = await expired();
      const open = await engine.store.openExecutions();
      const suspects = await unawaited(engine.store, open);
      const reconciled = await each(suspects, (one) => reconcileOrphan(engine, one), log);
      const closed = await each(open, (one) => closeLeft(engine, one), log);
      const settled = await each(open.filter(isHeld), settle, log);
      isFirst = false;
      return moved + reconciled + closed + settled;
    },
  };
}

/** What is done about what was seen. */
function findings(options: SweepOptions, ends: Endings, hosts: Adopted) {
  const { engine, log, ttlMs } = options;
  const sinceFullMs = options.sinceFullMs ?? (() => Number.POSITIVE_INFINITY);
  const looks = stalledLooks();
  /** What was decided of a lane that lives is decided of its newest beat, or not at all. */
  const end = async (open: OpenExecution, lost: Lost, { state }: LaneSighting) => {
    if (state === 'untraced') return ends.lose(open, lost, fencedOff);
    if (state !== 'alive' && state !== 'elsewhere') return ends.endAndLose(open, lost);
    const now = await engine.store.execution(open.id);
    if (now === null || toldOf(now)?.state !== 'stalled') return false;
    return state === 'alive' ? ends.endAndLose(open, lost) : ends.lose(open, lost, fencedOff);
  };
  const act = async (open: OpenExecution, sighting: LaneSighting, step: LaneStep) => {
    switch (step.do) {
      case 'leave':
        return false;
      case 'submit':
        return sighting.state === 'sealed' && ends.submit(open, sighting);
      case 'nudge':
        return nudge(engine, open, step);
      case 'expire':
        // Decided first, as a fact of its own: from then on no beat of it is accepted (ADR 0015).
        return (await engine.store.expireSilent(open)) && ends.lose(open, expiredLease, fencedOff);
      case 'end':
        return end(open, step, sighting);
      default:
        return unreachable(step);
    }
  };
  /** What the run wants of its host does not reach it any more, so it is ended in its stead. */
  const beatFor = async (open: OpenExecution, cut: CutBeat): Promise<boolean> => {
    const answer = await hosts.beatFor(open, cut);
    const isUnwanted = answer?.ok === true && (answer.cancel || answer.pause);
    return isUnwanted ? ends.endAndLose(open, unheard) : false;
  };
  return async (open: OpenExecution, sighting: LaneSighting): Promise<boolean> => {
    if (sighting.state === 'alive' && sighting.cut !== undefined) {
      return beatFor(open, sighting.cut);
    }
    const told = toldOf(open);
    const { figures, execution } = await termsOf(engine.store, open, told);
    const seen = { open, sighting, looks: looks.seen(open, told), ttlMs, execution };
    const facts = laneFacts({ ...seen, sinceFullMs: sinceFullMs() });
    const { line, step } = decideLane(facts, figures);
    if (step.do !== 'leave') log(`${open.id} ${line}: ${step.do}`);
    return act(open, sighting, step);
  };
}

const expiredLease: Lost = {
  class: 'transport_lost',
  detail: 'its lease expired: no heartbeat came',
};

const unheard: Lost = {
  class: 'lane_died',
  detail: 'its host is of an earlier pawl, which a cancel does not reach any more',
};
const unheeded: Lost = {
  class: 'lane_died',
  detail: 'it did not end when it was asked to, and was ended by force',
};
const noLease: Lost = { class: 'lane_died', detail: 'its host had no lease in the store' };
/** One execution's failure stops no other. */
async function each(
  rows: readonly OpenExecution[],
  settle: (open: OpenExecution) => Promise<boolean>,
  log: (line: string) => void,
): Promise<number> {
  let moved = 0;
  for (const open of rows) {
    try {
      if (await settle(open)) moved += 1;
    } catch (error: unknown) {
      log(`${open.id} sweep: ${messageOf(error)}`);
    }
  }
  return moved;
}

/** Nobody here can look: the grant is gone, whatever still runs there. */
const fencedOff: Proof = { strength: 'unproven', rung: 'lease', gaps: [] };

/** Unclaimed rows are the dispatcher's; UNKNOWN leaves by reconciliation alone (X5). */
const isHeld = ({ status }: OpenExecution): boolean =>
  status !== 'DISPATCHED' && status !== 'UNKNOWN';
