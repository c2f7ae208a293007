/** Which run took the place of one that a retry ended. */
import type { RunId } from '../ids.ts';
import type { RunEvent } from './message.ts';
import type { LivingRun } from './state.ts';

type Ended =
  | Extract<LivingRun, { status: 'cancelled' }>
  | Extract<RunEvent, { type: 'run.cancelled' }>;

/** For people; whoever reads the record goes by the field. */
export const retriedNote = (next: RunId): string => `retried as ${next}`;

/**
 * Before there was a field, the note was all that told it. A record that has the field is believed
 * by that alone: anybody who cancels writes a note.
 */
const oldNote = /^retried as ([a-z0-9]{12})$/;

/** Null when nothing did. */
export function retriedAs({ note, retriedAs: next }: Ended): RunId | null {
  return next === undefined ? ((oldNote.exec(note)?.[1] ?? null) as RunId | null) : next;
}
