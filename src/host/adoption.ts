/**
 * What the spool and the process table say about the holder of an execution (design/lane-host.md
 * 12–14). Reads only. A living host is adopted; a lane without its host never is.
 */
import { isLaneRole } from '../domain/execution/roles.ts';
import type { Holder } from '../domain/execution/state.ts';
import type { ExecutionId } from '../domain/ids.ts';
import type { LaneSighting, SealLeft } from '../ports/lanes.ts';
import type { OpenExecution } from '../ports/store.ts';
import { cutBeatOf } from './cut-off.ts';
import { readSeal } from './seal.ts';
import { ownerOf, readFact } from './spool.ts';

export interface AdoptionOptions {
  /** The execution's own spool. */
  readonly spool: string;
  /** Name of this machine in holders. */
  readonly worker: string;
  /** Machines share the store: of a holder on another one only its lease tells. */
  readonly isShared?: boolean;
  readonly lives: (holder: Holder) => boolean;
  /** How long the beat has stood still in this observer's eyes; see {@link beatWatch}. */
  readonly stillForMs: (open: OpenExecution) => number;
}

export function lookAt(open: OpenExecution, options: AdoptionOptions): LaneSighting {
  const holder = open.lease?.holder ?? ownerOf(options.spool);
  if (holder !== null && options.lives(holder)) {
    const cut = cutBeatOf(open, options.spool);
    const beat = Math.max(open.beat, cut?.beat ?? 0);
    const forMs = options.stillForMs({ ...open, beat });
    const how = cut === null ? {} : { cut };
    return forMs === 0 ? { state: 'alive', ...how } : { state: 'silent', forMs, ...how };
  }
  const sealed = sealedOf(open, options.spool);
  if (sealed !== null) return sealed;
  if (isElsewhere(open, holder, options)) {
    return { state: 'elsewhere', forMs: options.stillForMs(open) };
  }
  return holder === null ? { state: 'untraced' } : deadOf(open, options.spool);
}

/**
 * A holder that cannot be looked at from here: only its lease can end it. Where machines share the
 * store that is every holder of another one, whatever its folder looks like from here, and every
 * lane of this machine whose spool lies in another state folder, with the seal that it may hold.
 */
function isElsewhere(
  { role }: OpenExecution,
  holder: Holder | null,
  { worker, spool, isShared }: AdoptionOptions,
): boolean {
  if (holder === null) return false;
  const isAnothers = holder.worker !== worker;
  const hasSpool = ownerOf(spool) !== null;
  if (isShared !== true) return isAnothers && !hasSpool;
  const isLane = isLaneRole(role);
  return isAnothers || (isLane && !hasSpool);
}

/** Its grant must still be the current one; a seal under another is evidence, not a result. */
function sealedOf(open: OpenExecution, spool: string): LaneSighting | null {
  const sealed = sealIn(spool, open.id);
  if (sealed === null) return null;
  const isCurrent = open.lease === null || open.lease.grantId === sealed.grantId;
  return isCurrent ? { state: 'sealed', ...sealed } : null;
}

export function sealIn(spool: string, execution: ExecutionId): SealLeft | null {
  const sealed = readSeal(spool, execution);
  if (sealed === null) return null;
  const { grantId, result } = sealed.seal;
  return { grantId, seal: sealed.digest, result };
}

function deadOf(open: OpenExecution, spool: string): LaneSighting {
  const session = readFact<{ readonly sessionId?: unknown }>(spool, 'session');
  const sessionId = typeof session?.sessionId === 'string' ? session.sessionId : null;
  const isLane = isLaneRole(open.role);
  const detail = isLane
    ? 'the lane host is gone and left no result'
    : 'the check host is gone and left no result';
  return { state: 'dead', class: 'lane_died', detail, sessionId };
}

/** Longest span that one look may add: what is longer was the observer's own standstill. */
const stepMsMax = 20_000;
const watchedMax = 4_096;

interface Watched {
  readonly grantId: string;
  readonly beat: number;
  readonly lookedAt: number;
  readonly stillMs: number;
  readonly looks: number;
}

/**
 * Watches beats on the observer's monotonic clock, so that neither a jump of wall time nor a sleep
 * of the machine looks like silence (L-D19). Answers 0 at the first look, and after every beat.
 */
export function beatWatch(monotonicMs: () => number): (open: OpenExecution) => number {
  const watched = new Map<string, Watched>();
  return (open) => {
    const grantId = open.lease?.grantId ?? '';
    const lookedAt = monotonicMs();
    const last = watched.get(open.id);
    const isSame = last !== undefined && last.grantId === grantId && last.beat === open.beat;
    const step = isSame ? Math.min(lookedAt - last.lookedAt, stepMsMax) : 0;
    const stillMs = isSame ? last.stillMs + step : 0;
    const looks = isSame ? last.looks + 1 : 1;
    if (watched.size >= watchedMax) watched.clear();
    watched.set(open.id, { grantId, beat: open.beat, lookedAt, stillMs, looks });
    return looks < 3 ? 0 : stillMs;
  };
}
