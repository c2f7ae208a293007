/**
 * Whether a screen, or the lines of a plain output, show work or only repaint. Bytes say nothing (a
 * hung program repaints more than a working one); never-seen rows do (research/liveness.md §1, §4).
 *
 * Invariants:
 *   N1. A repaint, whatever its glyphs and timers, is never work.
 *   N2. One new row alone never is: three samples, a second apart, within twenty seconds are.
 *   N3. What was shown once is never new again while it is remembered; memory is bounded.
 *   N4. What the host itself caused (a resize, an echo of what it typed) is not counted.
 *   N5. A counter alone is believed for as long as a tool without progress is, and no longer: rows
 *       that are new by their digits only are work for so long after one that was new without them.
 */
import type { LivenessFigures } from './figures.ts';
import { isTelling, masked, withoutDigits } from './screen-mask.ts';

export interface ScreenWatch {
  /** Masked rows, the longest unseen first. */
  readonly seen: ReadonlySet<string>;
  /** The same without their digits. */
  readonly shapes: ReadonlySet<string>;
  /** The newest moment at which a row was new without its digits, too. */
  readonly shapedMs: number | null;
  /** When a sample with a new row was counted; only those within the window. */
  readonly countedMs: readonly number[];
  /** The newest moment at which the screen was producing. */
  readonly producedMs: number | null;
  /** Samples until then are remembered but not counted. */
  readonly mutedUntilMs: number;
  /** The next sample only refreshes the memory. */
  readonly isResized: boolean;
}

export const blankScreen: ScreenWatch = {
  seen: new Set(),
  shapes: new Set(),
  shapedMs: null,
  countedMs: [],
  producedMs: null,
  mutedUntilMs: Number.NEGATIVE_INFINITY,
  isResized: false,
};

export function sampled(
  watch: ScreenWatch,
  rows: readonly string[],
  nowMs: number,
  figures: LivenessFigures,
): ScreenWatch {
  const now = rows.map(masked).filter((row) => row !== '');
  const isNew = now.some((row) => isNovel(row, watch.seen));
  const isOurs = watch.isResized || nowMs < watch.mutedUntilMs;
  const shapes = now.map(withoutDigits);
  const isShaped = isNew && !isOurs && shapes.some((row) => isNovel(row, watch.shapes));
  const shapedMs = isShaped ? nowMs : (watch.shapedMs ?? nowMs);
  const counts = isNew && !isOurs && nowMs - shapedMs <= figures.toolProgressMs;
  const recent = watch.countedMs.filter((at) => nowMs - at <= figures.screenWindowMs);
  const last = recent.at(-1);
  const isApart = last === undefined || nowMs - last >= figures.screenApartMs;
  const countedMs = counts && isApart ? [...recent, nowMs] : recent;
  const isProducing = counts && countedMs.length >= figures.screenSamplesMin;
  return {
    seen: remembering(watch.seen, now, figures.screenRowsMax),
    shapes: remembering(watch.shapes, shapes, figures.screenRowsMax),
    shapedMs,
    countedMs,
    producedMs: isProducing ? nowMs : watch.producedMs,
    mutedUntilMs: watch.mutedUntilMs,
    isResized: false,
  };
}

export function isProducing(
  { countedMs }: ScreenWatch,
  nowMs: number,
  { screenWindowMs, screenSamplesMin }: LivenessFigures,
): boolean {
  return countedMs.filter((at) => nowMs - at <= screenWindowMs).length >= screenSamplesMin;
}

export const resized = (watch: ScreenWatch): ScreenWatch => ({ ...watch, isResized: true });

/** The host wrote to the terminal. */
export const echoing = (
  watch: ScreenWatch,
  nowMs: number,
  { screenEchoMs }: LivenessFigures,
): ScreenWatch => ({ ...watch, mutedUntilMs: nowMs + screenEchoMs });

/** A program may be caught in the middle of a repaint: the beginning of a seen row is not new. */
function isNovel(row: string, seen: ReadonlySet<string>): boolean {
  if (seen.has(row) || !isTelling(row)) return false;
  for (const known of seen) if (known.startsWith(row)) return false;
  return true;
}

/** The same set when nothing is new: most samples are. */
function remembering(
  seen: ReadonlySet<string>,
  rows: readonly string[],
  rowsMax: number,
): ReadonlySet<string> {
  if (rows.every((row) => seen.has(row))) return seen;
  const next = new Set(seen);
  for (const row of rows) {
    next.delete(row);
    next.add(row);
  }
  for (const oldest of next) {
    if (next.size <= rowsMax) break;
    next.delete(oldest);
  }
  return next;
}
