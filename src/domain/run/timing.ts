/**
 * How long a run waits for others before it acts by itself. Deadlines, so that no state is for
 * ever.
 */
import type { Instant } from '../ids.ts';
import type { RunState } from './state.ts';

/** From asking a lane to end until its end is no longer awaited: protocol, signals, proof. */
export const stopMs = 120_000;

/** Whether its job was asked to end, and the time for that is over. */
export function isOverdue(run: RunState, at: Instant): boolean {
  const since = stopSince(run);
  return since !== null && at >= since + stopMs;
}

function stopSince(run: RunState): Instant | null {
  if (run.status === 'cancelling') return run.since;
  if (run.status !== 'active' || run.stage.phase === 'waiting') return null;
  return run.stage.stop?.since ?? null;
}

/** The host ends a job at its own deadline; only when that did not happen does the run act. */
export const windowGraceMs = 120_000;

const reminderFirstMs = 3_600_000;
const reminderMostMs = 24 * 3_600_000;

/** Until the next reminder of an open gate: an hour, doubling, at most daily. */
export function reminderMs(count: number): number {
  return Math.min(reminderMostMs, reminderFirstMs * 2 ** Math.min(count, 10));
}

/** Until a limit is tried again when the agent did not say when it ends. */
export const limitUnknownMs = 300_000;

/** The shortest wait for a limit, whatever the agent said. */
export const limitLeastMs = 60_000;

/** Reminders of one gate; after them the gate stays open in silence. */
export const remindersMax = 30;

/** Of one opinion: its lane is ended after it. */
export const opinionMs = 600_000;

/** From asking for an opinion until it is not awaited longer: a host, its lane, and its end. */
export const opinionWaitMs = 3 * opinionMs + windowGraceMs;
