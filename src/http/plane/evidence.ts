/**
 * Refusals that the engine never saw: no token, a forged one, bytes that do not fit their digest.
 * What names an execution of this store is kept as its evidence (bounded there); everything else,
 * and more than a number a second, is counted only, so that asking costs nobody a disk.
 */
import type { PlaneRefusalCode } from '../../contract/plane-refusals.ts';
import type { Engine } from '../../engine/engine.ts';
import type { Digest, ExecutionId } from '../../ports/words.ts';

export interface Refused {
  readonly verb: string;
  readonly code: PlaneRefusalCode;
  readonly execution: string | null;
  readonly grantId: string | null;
  readonly digest: string | null;
  readonly isKept: boolean;
}

export interface RefusalLog {
  record(refused: Refused): Promise<void>;
  /** Since the start, by code; every refusal is in it. */
  counts(): ReadonlyMap<PlaneRefusalCode, number>;
}

const writesMax = 20;
const windowMs = 1_000;
const form = /^[a-z0-9-]{4,64}\.[1-9]\d{0,9}$/;

export function refusalLog({ store, clock }: Pick<Engine, 'store' | 'clock'>): RefusalLog {
  const counts = new Map<PlaneRefusalCode, number>();
  let window = { from: clock.monotonicMs(), writes: 0 };
  const mayWrite = (): boolean => {
    const now = clock.monotonicMs();
    if (now - window.from >= windowMs) window = { from: now, writes: 0 };
    window.writes += 1;
    return window.writes <= writesMax;
  };
  return {
    counts: () => counts,
    record: async ({ verb, code, execution, grantId, digest, isKept }) => {
      counts.set(code, (counts.get(code) ?? 0) + 1);
      if (isKept || execution === null || !form.test(execution) || !mayWrite()) return;
      const id = execution as ExecutionId;
      if ((await store.execution(id)) === null) return;
      await store.recordEvidence({
        ...{ execution: id, verb, reason: code, grantPresented: grantId },
        digest: digest as Digest | null,
        at: clock.now(),
      });
    },
  };
}
