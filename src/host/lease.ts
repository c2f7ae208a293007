/**
 * Keeps the lease of one execution alive: a beat at least every third of its life. Every beat tells
 * how the work looks and hears whether it is still wanted, so it also bounds how long a cancel
 * waits. A call that fails is not a refusal and is made again at the next beat; a refusal is final:
 * another owns the attempt, or nobody does. Where a lease ends by a clock elsewhere, the holder
 * also counts its life on its own, from before the beat that renewed it was sent, and stops before
 * it can be over there (design/store.md, "Leases and clocks").
 */
import type { PermissionAnswer, Usage } from '../domain/execution/state.ts';
import { isTooOld } from '../kernel/too-old.ts';
import type { Clock } from '../ports/clock.ts';
import type { Granted, Plane } from '../ports/plane.ts';
import { sleptSince } from '../ports/slept.ts';
import type { Heartbeat, HeartbeatAnswer } from '../ports/store.ts';

export type LeaseStop =
  | { readonly why: 'cancel' }
  /** Not ours any more: nothing is written to the store again. */
  | { readonly why: 'refused'; readonly reason: string };

/** The reason of a holder that fenced itself. */
export const lapsed = 'the lease was not renewed in time';

export interface Lease {
  /** Null while the work is wanted. */
  readonly stop: LeaseStop | null;
  /** Aborts when `stop` is set. */
  readonly signal: AbortSignal;
  /** Aborts when the tree must end at once: whoever waits for the lane to end waits no longer. */
  readonly hurry: AbortSignal;
  /** One beat now, besides the regular ones. */
  beat(): Promise<void>;
  /** No beat is sent after it resolves. */
  end(): Promise<void>;
}

/** A cancel is heard within this, however long the lease lives. */
const beatMsMax = 3_000;

export interface LeaseOptions {
  readonly plane: Pick<Plane, 'heartbeat'>;
  readonly clock: Clock;
  readonly grant: Granted;
  readonly ttlMs: number;
  /** JSON of at most 1 KB. */
  readonly signals: () => string;
  readonly usage: () => Usage | null;
  /** What its lane asked for is answered; told again with every beat. */
  readonly onAnswer?: (answer: PermissionAnswer) => void;
  /** Its lane was nudged so often; told again with every beat. */
  readonly onNudges?: (nudges: number) => void;
  readonly onFailure: (error: unknown) => void;
  /** A later program has migrated the store, which did not take this beat, nor will any other. */
  readonly onTooOld?: (beat: Beat) => void;
  /** It ends by a clock elsewhere, and was claimed when this monotonic clock said so. */
  readonly fencedFromMs?: number;
}

type Beat = Granted & Pick<Heartbeat, 'beat' | 'signals' | 'usage'>;

/** Left of a lease when its holder stops by itself: what the lane's end may take. */
const fenceMarginMs = 2_000;

export function keepLease(options: LeaseOptions): Lease {
  const { clock, grant, plane } = options;
  const beatMs = Math.max(1, Math.min(Math.floor(options.ttlMs / 3), beatMsMax));
  const wanted = new AbortController();
  const hurried = new AbortController();
  const ended = new AbortController();
  let stop: LeaseStop | null = null;
  let count = 0;
  const stopFor = (why: LeaseStop) => {
    stop ??= why;
    wanted.abort();
  };
  const heed = (told: Extract<HeartbeatAnswer, { ok: true }>) => {
    const { now, cancel, pause, answer, nudges } = told;
    if (now === true) hurried.abort();
    if (answer !== undefined) options.onAnswer?.(answer);
    if (nudges !== undefined) options.onNudges?.(nudges);
    if (cancel || pause) stopFor({ why: 'cancel' });
  };
  const fence = fenceOf(options, () => {
    hurried.abort();
    stopFor({ why: 'refused', reason: lapsed });
  });
  const beat = async () => {
    count += 1;
    const sentAtMs = fence.nowMs();
    const message = { ...grant, beat: count, signals: options.signals(), usage: options.usage() };
    try {
      const answer = await plane.heartbeat(message);
      if (answer.ok) fence.renewed(sentAtMs);
      if (answer.ok) heed(answer);
      else stopFor({ why: 'refused', reason: answer.reason });
    } catch (error: unknown) {
      options.onFailure(error);
      if (isTooOld(error)) options.onTooOld?.(message);
    }
  };
  const beating = (async () => {
    while (!ended.signal.aborted) {
      await clock.sleep(beatMs, ended.signal);
      if (!ended.signal.aborted) await beat();
    }
  })();
  const watching = fence.watch(ended.signal);
  return {
    get stop() {
      return stop;
    },
    signal: wanted.signal,
    hurry: hurried.signal,
    beat,
    async end() {
      ended.abort();
      await Promise.all([beating, watching]);
    },
  };
}

interface Fence {
  /** The time it counts by. */
  nowMs(): number;
  /** The store has renewed it by a beat that was sent then. */
  renewed(sentAtMs: number): void;
  watch(signal: AbortSignal): Promise<void>;
}

/**
 * A margin that fits leases of seconds as well. The lease runs on while this machine sleeps, and
 * its monotonic clock and all timers stand still: what it slept is counted, and looked for often.
 */
function fenceOf({ clock, ttlMs, fencedFromMs }: LeaseOptions, lapse: () => void): Fence {
  const sleptMs = sleptSince(clock);
  const nowMs = () => clock.monotonicMs() + sleptMs();
  if (fencedFromMs === undefined) {
    return { nowMs, renewed: () => undefined, watch: async () => undefined };
  }
  const lifeMs = ttlMs - Math.min(fenceMarginMs, ttlMs / 2);
  let untilMs = fencedFromMs + lifeMs;
  return {
    nowMs,
    renewed: (sentAtMs) => {
      untilMs = Math.max(untilMs, sentAtMs + lifeMs);
    },
    async watch(signal) {
      while (!signal.aborted) {
        const leftMs = untilMs - nowMs();
        if (leftMs <= 0) return lapse();
        await clock.sleep(Math.min(leftMs, lookMs), signal);
      }
    },
  };
}

const lookMs = 1_000;
