/**
 * The sweep (DESIGN §13, design/lane-host.md 12–14): what became of every open execution of this
 * machine. Idempotent and re-entrant: each finding becomes a command that the machines may find
 * moot.
 *
 * Promises: a living host is adopted, never doubled (L-D23). A sealed result of a dead host is
 * handed in with its own grant. A host that left nothing, or stands still, is ended and proven
 * ended before its execution is lost; what could not be proven is said so. One execution's failure
 * stops no other. A host of an earlier program works on over a store that a later one has migrated:
 * it is beaten for, and what it seals is handed in.
 */
import type { FailureClass } from '../domain/execution/state.ts';
import { digestsIn } from '../domain/references.ts';
import type { CutBeat, LaneSighting, Lanes } from '../ports/lanes.ts';
import type { Plane } from '../ports/plane.ts';
import type { Proof } from '../ports/processes.ts';
import type { OpenExecution } from '../ports/store.ts';
import { type Adopted, adopted } from './adopted.ts';
import { driverPrincipal } from './command.ts';
import type { Engine } from './engine.ts';
import { detailMax, messageOf } from './words.ts';

export interface SweepOptions {
  readonly engine: Engine;
  readonly plane: Plane;
  readonly lanes: Lanes;
  readonly ttlMs: number;
  /** Since the store last refused a write for want of space: until then no beat could arrive. */
  readonly sinceFullMs?: () => number;
  readonly log: (line: string) => void;
}

interface Lost {
  readonly class: FailureClass;
  readonly detail: string;
}
type Sealed = Extract<LaneSighting, { readonly state: 'sealed' }>;

export interface Sweeper {
  /** Looks at every open execution once; answers how many it moved. */
  sweep(): Promise<number>;
  /**
   * Loses what the store says has expired, at once, and looks at adopted hosts that were not heard;
   * answers how many it moved. Cheap, so it is to be called often. What cannot be moved waits for
   * the next sweep.
   */
  sweepExpired(): Promise<number>;
}

export function sweeper(options: SweepOptions): Sweeper {
  const { engine, lanes, log } = options;
  const hosts = adopted(engine.store);
  const { lose, endAndLose, found } = findings(options, hosts);
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
    return each(rows, expire, log);
  };

  return {
    sweepExpired: async () => {
      const moved = await expired();
      return moved + (await each(await hosts.inView(), settle, log));
    },
    sweep: async () => {
      tried.clear();
      const moved = await expired();
      const settled = await each(await engine.store.openExecutions(), settle, log);
      isFirst = false;
      return moved + settled;
    },
  };
}

interface Findings {
  lose(open: OpenExecution, lost: Lost, proof: Proof): Promise<boolean>;
  endAndLose(open: OpenExecution, lost: Lost): Promise<boolean>;
  /** What is done about what was seen. */
  found(open: OpenExecution, sighting: LaneSighting): Promise<boolean>;
}

function findings(options: SweepOptions, hosts: Adopted): Findings {
  const { engine, plane, lanes, log } = options;
  const sinceFullMs = options.sinceFullMs ?? (() => Number.POSITIVE_INFINITY);

  /** Only after the tree was ended, so that the proof is of what is now. */
  const lose = async (open: OpenExecution, lost: Lost, proof: Proof): Promise<boolean> => {
    const at = engine.clock.now();
    const gaps = proof.gaps.length === 0 ? '' : `; not excluded: ${proof.gaps.join(', ')}`;
    const detail = `${lost.detail}${gaps}`.slice(0, detailMax);
    const spent = (await engine.store.execution(open.id))?.usage ?? open.usage;
    const issued = await engine.issue({
      kind: 'execution',
      run: open.run,
      execution: open.id,
      at,
      actor: driverPrincipal.actor,
      principal: driverPrincipal,
      command: {
        ...{ type: 'lose', class: lost.class, proof: proof.strength, detail, at },
        ...(spent === null ? {} : { usage: spent }),
      },
    });
    log(`${open.id} lost: ${lost.class}, ${proof.strength}, ${detail}`);
    return issued.kind === 'committed';
  };
  const endAndLose = async (open: OpenExecution, lost: Lost): Promise<boolean> => {
    const proof = await lanes.end(open);
    const after = await lanes.look(open);
    // What a host sealed before it was ended counts as if it had died a moment later.
    if (after.state === 'sealed') return submit(open, after);
    return after.state === 'alive' ? false : lose(open, lost, proof);
  };
  const submit = async (open: OpenExecution, sealed: Sealed): Promise<boolean> => {
    const { grantId, seal, result } = sealed;
    await carryOver(options, sealed);
    const answer = await plane.result({ execution: open.id, grantId, seal, result });
    log(`${open.id} sealed result of a dead host: ${answer.ok ? 'handed in' : answer.reason}`);
    if (answer.ok) return true;
    // A seal that is refused while its lease is still the current one would be offered for ever.
    const detail = `its sealed result was refused: ${answer.reason}`;
    return lose(open, { class: 'lane_died', detail }, await lanes.end(open));
  };
  /** What the run wants of its host does not reach it any more, so it is ended in its stead. */
  const beatFor = async (open: OpenExecution, cut: CutBeat): Promise<boolean> => {
    const answer = await hosts.beatFor(open, cut);
    const isUnwanted = answer?.ok === true && (answer.cancel || answer.pause);
    return isUnwanted ? endAndLose(open, unheard) : false;
  };
  const found = async (open: OpenExecution, sighting: LaneSighting): Promise<boolean> => {
    switch (sighting.state) {
      case 'alive':
        return sighting.cut === undefined ? false : beatFor(open, sighting.cut);
      case 'sealed':
        return submit(open, sighting);
      case 'dead':
        return endAndLose(open, sighting);
      case 'silent':
        if (Math.min(sighting.forMs, sinceFullMs()) < options.ttlMs) return false;
        return endAndLose(open, {
          class: 'transport_lost',
          detail: `the host stood still for ${Math.round(sighting.forMs / 1000)} s`,
        });
      case 'elsewhere':
        if (Math.min(sighting.forMs, sinceFullMs()) < options.ttlMs) return false;
        // Decided first, as a fact of its own: from then on no beat of it is accepted (ADR 0015).
        return (await engine.store.expireSilent(open)) && lose(open, expiredLease, fencedOff);
      case 'untraced':
        return lose(open, untraced, fencedOff);
    }
  };
  return { lose, endAndLose, found };
}

const expiredLease: Lost = {
  class: 'transport_lost',
  detail: 'its lease expired: no heartbeat came',
};

const unheard: Lost = {
  class: 'lane_died',
  detail: 'its host is of an earlier pawl, which a cancel does not reach any more',
};
const noLease: Lost = { class: 'lane_died', detail: 'its host had no lease in the store' };
const untraced: Lost = {
  class: 'unknown_outcome',
  detail: 'the store has it as begun, without a lease, and no host of this machine has it',
};

/**
 * What a host could not put into a store that takes nothing of it lies on this machine. It is
 * carried over by being read, before anything refers to it.
 */
async function carryOver(
  { engine, log }: Pick<SweepOptions, 'engine' | 'log'>,
  { result }: Sealed,
): Promise<void> {
  for (const { digest } of digestsIn(result)) {
    try {
      await engine.artifacts.get(digest);
    } catch (error: unknown) {
      // The result says what was done, whatever became of what it names.
      log(`artifact ${digest}: ${messageOf(error)}`);
    }
  }
}

/** One execution's failure stops no other. */
async function each(
  rows: readonly OpenExecution[],
  settle: (open: OpenExecution) => Promise<boolean>,
  log: (line: string) => void,
): Promise<number> {
  let moved = 0;
  for (const open of rows) {
    if (!isHeld(open)) continue;
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
