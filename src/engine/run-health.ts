/**
 * The run-health invariant as the store has it now (RR-13, RR-33), and what a driver does about a
 * run that breaks it: one that is without work over its grace is handed to its operator, with the
 * reason, instead of being shown as active for ever. Readers ask the same of the rows, so that
 * `status` tells it without a driver too.
 */
import { graceOf, handOver, jobOf, type NoWork, noWorkOf } from '../domain/health/health.ts';
import type { Instant, RunId } from '../domain/ids.ts';
import type { OpenExecution, RunRow, Store } from '../ports/store.ts';
import { isCheck } from './admission.ts';
import { driverPrincipal, runCommand } from './command.ts';
import type { Engine } from './engine.ts';
import { messageOf } from './words.ts';

type Rows = Pick<Store, 'execution' | 'timersOf' | 'openExecutions' | 'loadRun'>;

/**
 * Null when the run advances, waits for a human or has ended. The rows are read one after the
 * other: where the run moved on meanwhile, nothing is said against it.
 */
export async function noWorkIn(
  store: Rows,
  { id, version, aggregate }: Pick<RunRow, 'id' | 'version' | 'aggregate'>,
  now: Instant,
): Promise<NoWork | null> {
  const { run } = aggregate;
  if (run.status !== 'active' && run.status !== 'cancelling') return null;
  const job = jobOf(run);
  const row = job === null ? null : await store.execution(job);
  const timers = (await store.timersOf(id)).map(({ kind }) => kind);
  const execution = row === null ? null : { status: row.status, readyMs: now - readySince(row) };
  const found = noWorkOf(run, { execution, timers, isQueued: false });
  if (found === null) return null;
  if (found === 'unclaimed' && row !== null && (await isQueued(store, row))) return null;
  return (await store.loadRun(id))?.version === version ? found : null;
}

/** Whoever was offered it and did not come has left it as it was. */
export const readySince = ({ createdAt, offeredUntil }: OpenExecution): Instant =>
  offeredUntil !== null && offeredUntil > createdAt ? offeredUntil : createdAt;

/**
 * One host does all checks, a few at a time, and workers have slots; the hosts of lanes of this
 * machine are started each for its own.
 */
async function isQueued(store: Rows, row: OpenExecution): Promise<boolean> {
  const isSame = (other: OpenExecution) => isCheck(other) === isCheck(row);
  return (await store.openExecutions()).some((other) => isSame(other) && other.lease !== null);
}

export interface RunHealth {
  /** Looks at every open run; answers how many it handed to their operators. */
  look(): Promise<number>;
  /** Runs without work are waited for: their grace ends only while somebody looks. */
  hasSuspects(): boolean;
}

interface Suspect {
  readonly version: number;
  readonly reason: NoWork;
  readonly atMs: number;
}

const graceIn = ({ aggregate: { run } }: RunRow): number =>
  run.status === 'unborn' ? 0 : graceOf(run);

const runsMax = 10_000;

export function runHealth(engine: Engine, log: (line: string) => void): RunHealth {
  const { store, clock } = engine;
  let suspects: ReadonlyMap<RunId, Suspect> = new Map();

  const seen = async (row: RunRow): Promise<Suspect | null> => {
    const reason = await noWorkIn(store, row, clock.now());
    if (reason === null) return null;
    const before = suspects.get(row.id);
    const isSame = before?.version === row.version;
    return { version: row.version, reason, atMs: isSame ? before.atMs : clock.monotonicMs() };
  };
  /** The version that was looked at is expected: a run that moves at last is left alone. */
  const giveUp = async (id: RunId, { reason, version }: Suspect): Promise<boolean> => {
    const request = handOver(reason);
    const command = runCommand(id, driverPrincipal, clock.now(), request);
    const issued = await engine.issue({ ...command, expectedVersion: version });
    log(`${id} ${request.detail}: ${issued.kind}`);
    return issued.kind === 'committed';
  };

  /** Null: nothing is wrong, or nobody can tell now. One run's trouble is no other's. */
  const judged = async (row: RunRow): Promise<Suspect | 'handed_over' | null> => {
    try {
      const suspect = await seen(row);
      if (suspect === null) return null;
      const isOver = clock.monotonicMs() - suspect.atMs >= graceIn(row);
      return isOver && (await giveUp(row.id, suspect)) ? 'handed_over' : suspect;
    } catch (error: unknown) {
      log(`${row.id} health: ${messageOf(error)}`);
      return suspects.get(row.id) ?? null;
    }
  };

  return {
    hasSuspects: () => suspects.size > 0,
    look: async () => {
      const now = new Map<RunId, Suspect>();
      let moved = 0;
      const open = await store.runs({
        open: true,
        status: ['active', 'cancelling'],
        limit: runsMax,
      });
      for (const row of open) {
        const suspect = await judged(row);
        if (suspect === null) continue;
        if (suspect === 'handed_over') moved += 1;
        else now.set(row.id, suspect);
      }
      suspects = now;
      return moved;
    },
  };
}
