/** What a sweep knows of an execution that somebody holds, as the policy wants it. */
import { isLaneRole } from '../../domain/execution/roles.ts';
import type { Execution } from '../../domain/execution/state.ts';
import type { LaneFacts, LaneTold } from '../../domain/recovery/lane.ts';
import { type LastSigns, signsIn } from '../../domain/recovery/signs.ts';
import type { LaneSighting } from '../../ports/lanes.ts';
import type { OpenExecution } from '../../ports/store.ts';

export function toldOf({
  signals,
  role,
}: Pick<OpenExecution, 'signals' | 'role'>): LastSigns | null {
  return isLaneRole(role) ? signsIn(signals) : null;
}

/** Looks of this observer, in a row, at which an execution was told as stalled. */
export interface StalledLooks {
  seen(open: Pick<OpenExecution, 'id' | 'lease' | 'beat'>, told: LaneTold | null): number;
}

const watchedMax = 4_096;

/** A look at the same beat again is the same look. */
export function stalledLooks(): StalledLooks {
  const known = new Map<string, { readonly beat: number; readonly looks: number }>();
  return {
    seen({ id, lease, beat }, told) {
      const key = `${id} ${lease?.grantId ?? ''}`;
      const before = known.get(key);
      known.delete(key);
      if (told?.state !== 'stalled') return 0;
      const isSame = before?.beat === beat;
      const looks = (before?.looks ?? 0) + (isSame ? 0 : 1);
      if (known.size >= watchedMax) known.clear();
      known.set(key, { beat, looks });
      return looks;
    },
  };
}

export interface LaneSeen {
  readonly open: OpenExecution;
  readonly sighting: LaneSighting;
  readonly looks: number;
  /** Since the store last refused a write for want of space: until then no beat could arrive. */
  readonly sinceFullMs: number;
  readonly ttlMs: number;
  /** Null: its stream does not have it. */
  readonly execution: Pick<Execution, 'nudges'> | null;
}

export function laneFacts(seen: LaneSeen): LaneFacts {
  const { open, sighting, looks, ttlMs, execution, sinceFullMs } = seen;
  const forMs = 'forMs' in sighting ? Math.min(sighting.forMs, sinceFullMs) : 0;
  return {
    sighted: sighting.state,
    forMs,
    ttlMs,
    lost: sighting.state === 'dead' ? { class: sighting.class, detail: sighting.detail } : null,
    isHumanAsked: open.status === 'WAITING_HUMAN',
    told: toldOf(open),
    nudges: execution?.nudges ?? 0,
    looks,
  };
}
