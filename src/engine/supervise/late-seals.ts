/**
 * Finishing instead of doing again: where the execution that is to be begun replaces one whose host
 * sealed its result on this machine before it died, that seal is handed in, and the new one ends
 * from it (X7). The sweep does this for executions that are still open; this is for those that
 * another driver has lost meanwhile, as of a lease that ran out while the store was away.
 *
 * Promises: only for a turn of a lane, never for a verdict; nothing is sealed in anybody's stead;
 * handed in again it changes nothing. Who has begun the new one already goes on.
 */
import type { ExecutionStatus } from '../../domain/execution/state.ts';
import type { ExecutionId } from '../../domain/ids.ts';
import type { Lanes } from '../../ports/lanes.ts';
import type { Plane, PlaneAnswer } from '../../ports/plane.ts';
import type { ExecutionRow, Store } from '../../ports/store.ts';
import { messageOf } from '../words.ts';

export interface LateSeals {
  /** Whether the row needs no host any more. */
  finish(row: Pick<ExecutionRow, 'id' | 'run' | 'n' | 'role'>): Promise<boolean>;
}

export interface LateSealsOptions {
  readonly executions: Pick<Store, 'execution'>;
  readonly plane: Pick<Plane, 'result'>;
  readonly lanes: Pick<Lanes, 'sealLeft'>;
  readonly log: (line: string) => void;
}

const lost: readonly ExecutionStatus[] = ['FAILED', 'EXHAUSTED'];
/** Of which nothing came; forgetting them all only asks once more. */
const vainMax = 4_096;

export function lateSeals({ executions, plane, lanes, log }: LateSealsOptions): LateSeals {
  /** One that ended by its own seal, as with a question or at a limit, is gone on with. */
  const isLost = async (before: ExecutionId): Promise<boolean> =>
    lost.includes((await executions.execution(before))?.status ?? 'DISPATCHED');
  const vain = new Set<ExecutionId>();
  /** Null: nothing is left that could be handed in. */
  const handIn = async (before: ExecutionId): Promise<PlaneAnswer | null> => {
    const left = await lanes.sealLeft(before);
    if (left === null || left.result.kind !== 'executed') return null;
    const { grantId, seal, result } = left;
    return plane.result({ execution: before, grantId, seal, result });
  };
  const finish = async (before: ExecutionId, by: ExecutionId): Promise<boolean> => {
    const answer = await handIn(before);
    if (answer === null) return false;
    // What was accepted in its time is accepted again, and ends nothing.
    const ends = answer.ok && (await executions.execution(by))?.status !== 'DISPATCHED';
    const said = ends ? `${by} ends by it` : answer.ok ? 'nothing ends by it' : answer.reason;
    log(`${before} sealed before it was lost: ${said}`);
    if (ends) return true;
    if (vain.size >= vainMax) vain.clear();
    vain.add(before);
    return false;
  };
  return {
    finish: async ({ id, run, n, role }) => {
      const before = `${run}.${n - 1}` as ExecutionId;
      if (role !== 'execute' || n < 2 || vain.has(before)) return false;
      try {
        return (await isLost(before)) && (await finish(before, id));
      } catch (error: unknown) {
        // Its work can be done again, and is.
        log(`${before} seal: ${messageOf(error)}`);
        return false;
      }
    },
  };
}
