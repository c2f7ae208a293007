/**
 * Whether somebody will do what a run waits for: the run-health invariant (RR-13, DESIGN §13). A
 * run that is not at a human gate and has not ended must have a job that can move or a stored
 * timer (R4); where it has neither it has *no work*, and that has a name. Pure: readers ask it of
 * the rows, so that the answer does not need a driver.
 */
import type { ExecutionStatus } from '../execution/state.ts';
import { recoveryFigures } from '../recovery/figures.ts';
import type { TimerKind } from '../run/message.ts';
import type { RunFacts, RunState } from '../run/state.ts';

/** How long this run may be without work before it is handed to its operator. */
export const graceOf = ({ terms }: Pick<RunFacts, 'terms'>): number =>
  recoveryFigures(terms.recovery).graceMs;

export const noWorkReasons = {
  no_execution: 'its job has no execution that could end',
  no_deadline: 'its job has no deadline, so nothing would end it',
  no_timer: 'it waits, and no timer will wake it',
  unclaimed: 'its job is ready, and no host takes it up',
} as const satisfies Readonly<Record<string, string>>;

export type NoWork = keyof typeof noWorkReasons;

/** What hands such a run to its operator. */
export function handOver(reason: NoWork) {
  const detail = `no work: ${noWorkReasons[reason]}`;
  const type = reason === 'unclaimed' ? 'fail_dispatch' : 'park_internal_error';
  return { type, detail } as const;
}

/** The rows of one run as they are now. */
export interface HealthRows {
  /** Of the present job; null: there is no such row. */
  readonly execution: { readonly status: ExecutionStatus; readonly readyMs: number } | null;
  readonly timers: readonly TimerKind[];
  /** Somebody works on other rows that the same hosts take up: this one waits its turn. */
  readonly isQueued: boolean;
}

const ended: readonly ExecutionStatus[] = [
  'SUCCEEDED',
  'FAILED',
  'CANCELLED',
  'EXHAUSTED',
  'UNKNOWN',
];

/** Null: it advances, waits for a human, or has ended. */
export function noWorkOf(run: RunState, rows: HealthRows): NoWork | null {
  const waker = wakerOf(run);
  if (waker === null || run.status === 'unborn') return null;
  const trouble = waker === 'attempt_time' ? jobTrouble(rows, graceOf(run)) : null;
  if (trouble !== null || rows.timers.includes(waker)) return trouble;
  return waker === 'attempt_time' ? 'no_deadline' : 'no_timer';
}

/** The timer that ends the present state when nothing else does. */
function wakerOf(run: RunState): TimerKind | null {
  if (run.status === 'cancelling') return 'cancel_deadline';
  if (run.status !== 'active') return null;
  return run.stage.phase === 'waiting' ? 'wait' : 'attempt_time';
}

function jobTrouble({ execution, isQueued }: HealthRows, graceMs: number): NoWork | null {
  if (execution === null || ended.includes(execution.status)) return 'no_execution';
  const isLong = execution.status === 'DISPATCHED' && execution.readyMs >= graceMs;
  return isLong && !isQueued ? 'unclaimed' : null;
}

/** The execution that the run's present job stands or falls with; null: it needs none. */
export function jobOf(run: RunState) {
  return run.status === 'active' && run.stage.phase !== 'waiting' ? run.stage.execution : null;
}
