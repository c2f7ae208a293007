/**
 * Refusals that the engine never saw: no token, a forged one, bytes that do not fit their digest.
 * What names an execution of this store is kept as its evidence (bounded there); everything else,
 * and more than a number a second, is answered only, so that asking costs nobody a disk.
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
}

const writesMax = 20;
const windowMs = 1_000;
const form = /^[a-z0-9-]{4,64}\.[1-9]\d{0,9}$/;

export function refusalLog({ store, clock }: Pick<Engine, 'store' | 'clock'>): RefusalLog {
  let window = { from: clock.monotonicMs(), writes: 0 };
  const mayWrite = (): boolean => {
    const now = clock.monotonicMs();
    if (now - window.from >= windowMs) window = { from: now, writes: 0 };
    window.writes += 1;
    return window.writes <= writesMax;
  };
  return {
    record: async ({ verb, code, execution, grantId, digest, isKept }) => {
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
