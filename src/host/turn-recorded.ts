/** Lets a program write down the turn that it ended, before its stdin is closed. */
import type { CancelSignal } from '../kernel/cancel-signal.ts';
import type { Clock } from '../ports/clock.ts';

export interface RecordedMeans {
  readonly clock: Clock;
  readonly spans: {
    /** How long it is waited for. */
    readonly recordingMs: number;
    /** Between two looks at its record. */
    readonly recordWatchMs: number;
  };
  readonly talk: { isRecorded(): boolean };
  readonly journal: { note(text: string): void };
  readonly onJournalFailure: (error: unknown) => void;
}

/**
 * Resolves when its own record of the conversation holds the turn, after a bounded time, or when
 * `over` aborts. A turn that is not in it stands all the same: its next one may not know of it.
 */
export async function untilRecorded(means: RecordedMeans, over: CancelSignal): Promise<void> {
  const { clock, spans, talk } = means;
  const begun = clock.monotonicMs();
  while (!over.aborted && !talk.isRecorded()) {
    if (clock.monotonicMs() - begun >= spans.recordingMs) return tell(means);
    await clock.sleep(spans.recordWatchMs, over);
  }
}

function tell({ journal, onJournalFailure }: RecordedMeans) {
  try {
    journal.note('it did not write down the end of its turn: its next one may not know of it');
  } catch (error: unknown) {
    onJournalFailure(error);
  }
}
