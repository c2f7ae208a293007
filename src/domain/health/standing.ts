/**
 * How a run that has not ended stands with the run-health invariant (RR-13): it is healthy when it
 * advances, waits for a stored timer or is at a human gate; else it is stuck, by something that has
 * a name. Pure, and of what anybody can read.
 */
import type { Instant } from '../ids.ts';
import type { LaneTold } from '../recovery/lane.ts';
import type { LivingRun } from '../run/state.ts';
import { graceOf, type HealthRows, type NoWork, noWorkOf } from './health.ts';

export const healthStates = ['advancing', 'waiting', 'at_gate', 'stuck'] as const;
export type HealthState = (typeof healthStates)[number];

/** Beside the reasons without work: its lane tells of no progress, or its host tells nothing. */
export type StuckBy = NoWork | 'stalled' | 'silent';

export type Standing =
  | { readonly state: Exclude<HealthState, 'stuck'> }
  | {
      readonly state: 'stuck';
      readonly by: StuckBy;
      readonly forMs: number;
      /** By now something should have been done about it. */
      readonly isPastGrace: boolean;
    };

export interface Seen {
  readonly rows: HealthRows;
  /** When anything was last recorded of the run. */
  readonly updatedAt: Instant;
  readonly now: Instant;
  /** Null: its host tells of no lane, or nobody holds its job. */
  readonly told: Pick<LaneTold, 'state' | 'stalledMs'> | null;
  /** How long whoever asks has seen the same beat of its holder. */
  readonly silentMs: number;
  /** After which a beat that stands still is a silence. */
  readonly ttlMs: number;
}

export function standingOf(run: LivingRun, seen: Seen): Standing {
  const { told, silentMs, ttlMs } = seen;
  const stuck = (by: StuckBy, forMs: number): Standing => ({
    ...{ state: 'stuck', by, forMs },
    isPastGrace: forMs >= graceOf(run),
  });
  if (run.status !== 'active' && run.status !== 'cancelling') return { state: 'at_gate' };
  const noWork = noWorkOf(run, seen.rows);
  if (noWork !== null) return stuck(noWork, sinceMs(noWork, seen));
  if (run.status === 'active' && run.stage.phase === 'waiting') return { state: 'waiting' };
  if (silentMs >= ttlMs) return stuck('silent', silentMs);
  if (told?.state === 'stalled') return stuck('stalled', told.stalledMs);
  return { state: 'advancing' };
}

function sinceMs(noWork: NoWork, { rows, now, updatedAt }: Seen): number {
  const readyMs = rows.execution?.readyMs ?? 0;
  return noWork === 'unclaimed' ? readyMs : Math.max(0, now - updatedAt);
}
