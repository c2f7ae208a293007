/**
 * Whether the holder of a lease lives, as one observer on the same machine sees it
 * (design/store.md, Leases and clocks). Pure: what was seen comes in, with the observer's own
 * monotonic clock.
 *
 * Invariants:
 *   S1. Dead is a fact of the machine (another boot, no such process), acted on at once.
 *   S2. Silent needs the same beat for the whole ttl in at least two looks of one unbroken watch.
 *   S3. A gap between looks that is much longer than planned (sleep, a stopped observer) starts the
 *       watch anew: silence of the machine is not silence of the holder.
 *   S4. A new beat, or another grant, is life.
 */
import type { GrantId } from '../ids.ts';

export interface Look {
  readonly grant: GrantId;
  readonly beat: number;
  /** The same boot, and a process of that pid and start time. */
  readonly isThere: boolean;
  /** The observer's monotonic clock. */
  readonly atMs: number;
}

/** What the observer remembers between looks. */
export interface Watch {
  readonly grant: GrantId;
  readonly beat: number;
  /** When this beat was first seen in this unbroken watch. */
  readonly sinceMs: number;
  readonly lastLookMs: number;
  readonly looks: number;
}

export type Liveness = 'alive' | 'silent' | 'dead';

export interface Patience {
  readonly ttlMs: number;
  /** The planned time between two looks. */
  readonly everyMs: number;
}

/** How much longer than planned a gap may be before the watch starts anew. */
const gapFactor = 3;

export function observe(
  watch: Watch | null,
  look: Look,
  patience: Patience,
): { readonly watch: Watch; readonly liveness: Liveness } {
  const next = goesOn(watch, look, patience) ? again(watch, look) : begin(look);
  return { watch: next, liveness: livenessOf(next, look, patience) };
}

function goesOn(watch: Watch | null, look: Look, { everyMs }: Patience): watch is Watch {
  if (watch === null || watch.grant !== look.grant || watch.beat !== look.beat) return false;
  const gapMs = look.atMs - watch.lastLookMs;
  return gapMs >= 0 && gapMs <= everyMs * gapFactor;
}

const begin = ({ grant, beat, atMs }: Look): Watch => ({
  grant,
  beat,
  sinceMs: atMs,
  lastLookMs: atMs,
  looks: 1,
});

const again = (watch: Watch, { atMs }: Look): Watch => ({
  ...watch,
  lastLookMs: atMs,
  looks: watch.looks + 1,
});

function livenessOf(watch: Watch, look: Look, { ttlMs }: Patience): Liveness {
  if (!look.isThere) return 'dead';
  return watch.looks >= 2 && look.atMs - watch.sinceMs >= ttlMs ? 'silent' : 'alive';
}
