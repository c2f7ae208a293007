/**
 * How long a run waits for others before it acts by itself. Deadlines, so that no state is for
 * ever.
 */

/** From asking a lane to end until its end is no longer awaited: protocol, signals, proof. */
export const stopMs = 120_000;

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
