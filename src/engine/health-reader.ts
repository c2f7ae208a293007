/**
 * How all open runs stand with the run-health invariant, by three reads of the store whatever
 * their number. It needs no driver: whoever can read the rows can say whether anybody is stuck. A
 * run that would be stuck is read again, so that one which moved meanwhile is not accused.
 */
import { jobOf } from '../domain/health/health.ts';
import {
  type HealthState,
  healthStates,
  type Standing,
  type StuckBy,
  standingOf,
} from '../domain/health/standing.ts';
import type { ExecutionId, Instant, RunId } from '../domain/ids.ts';
import type { TimerKind } from '../domain/run/message.ts';
import type { OpenExecution, RunRow } from '../ports/store.ts';
import { isCheck } from './admission.ts';
import type { Engine } from './engine.ts';
import { readySince } from './run-health.ts';
import { toldOf } from './supervise/lane-facts.ts';

export interface RunsHealth {
  readonly byState: Readonly<Record<HealthState, number>>;
  readonly stuckBy: ReadonlyMap<StuckBy, number>;
  readonly pastGrace: number;
  /** Of the one that is stuck longest; 0: none is. */
  readonly longestMs: number;
}

export interface HealthReader {
  /** Of at most the first 10 000 open runs. */
  read(): Promise<RunsHealth>;
}

const runsMax = 10_000;
const timersMax = 50_000;
const everAfter = Number.MAX_SAFE_INTEGER as Instant;

interface Rows {
  readonly open: ReadonlyMap<ExecutionId, OpenExecution>;
  readonly timers: ReadonlyMap<RunId, readonly TimerKind[]>;
}

/** `ttlMs`: how long a beat may stand still before its holder is silent. */
export function healthReader({ store, clock }: Pick<Engine, 'store' | 'clock'>, ttlMs: number) {
  const silence = sameBeats(() => clock.monotonicMs());
  const standing = (row: RunRow, rows: Rows): Standing | null => {
    const { run } = row.aggregate;
    if (run.status === 'unborn') return null;
    const now = clock.now();
    const job = jobOf(run);
    const open = job === null ? undefined : rows.open.get(job);
    const isQueued = open !== undefined && hasCompany(open, rows.open);
    const execution =
      open === undefined ? null : { status: open.status, readyMs: now - readySince(open) };
    return standingOf(run, {
      rows: { execution, timers: rows.timers.get(row.id) ?? [], isQueued },
      ...{ updatedAt: row.updatedAt, now, ttlMs },
      told: open?.lease == null ? null : toldOf(open),
      silentMs: open?.lease == null ? 0 : silence.of(open),
    });
  };
  const self: HealthReader = {
    read: async () => {
      const runs = await store.runs({ open: true, limit: runsMax });
      const open = new Map((await store.openExecutions()).map((one) => [one.id, one]));
      const timers = byRun(await store.timersDue(everAfter, timersMax));
      const told: Standing[] = [];
      for (const row of runs) {
        const found = standing(row, { open, timers });
        if (found === null) continue;
        const isMoved =
          found.state === 'stuck' && (await store.loadRun(row.id))?.version !== row.version;
        told.push(isMoved ? { state: 'advancing' } : found);
      }
      silence.keep(open);
      return tallyOf(told);
    },
  };
  return self;
}

function tallyOf(all: readonly Standing[]): RunsHealth {
  const byState = Object.fromEntries(healthStates.map((state) => [state, 0])) as Record<
    HealthState,
    number
  >;
  const stuckBy = new Map<StuckBy, number>();
  let pastGrace = 0;
  let longestMs = 0;
  for (const one of all) {
    byState[one.state] += 1;
    if (one.state !== 'stuck') continue;
    stuckBy.set(one.by, (stuckBy.get(one.by) ?? 0) + 1);
    pastGrace += one.isPastGrace ? 1 : 0;
    longestMs = Math.max(longestMs, one.forMs);
  }
  return { byState, stuckBy, pastGrace, longestMs };
}

function byRun(
  timers: readonly { readonly run: RunId; readonly kind: TimerKind }[],
): ReadonlyMap<RunId, readonly TimerKind[]> {
  const kinds = new Map<RunId, TimerKind[]>();
  for (const { run, kind } of timers) kinds.set(run, [...(kinds.get(run) ?? []), kind]);
  return kinds;
}

/** Somebody works on others that the same hosts take up. */
function hasCompany(row: OpenExecution, open: Rows['open']): boolean {
  return [...open.values()].some(
    (other) => other.lease !== null && isCheck(other) === isCheck(row),
  );
}

/**
 * For how long this observer has seen the same beat. Whoever asks for metrics asks as seldom as he
 * likes, so a long gap between two looks counts here, other than for a sweep that ends somebody.
 */
function sameBeats(nowMs: () => number) {
  const seen = new Map<ExecutionId, { readonly beat: string; readonly atMs: number }>();
  return {
    of({ id, beat, lease }: OpenExecution): number {
      const now = `${lease?.grantId ?? ''} ${beat}`;
      const before = seen.get(id);
      if (before?.beat === now) return nowMs() - before.atMs;
      seen.set(id, { beat: now, atMs: nowMs() });
      return 0;
    },
    keep(open: Rows['open']): void {
      for (const id of seen.keys()) if (!open.has(id)) seen.delete(id);
    },
  };
}
