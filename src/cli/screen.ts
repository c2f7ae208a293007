/**
 * A terminal where finished lines scroll up and stay, and only a small block below them is redrawn:
 * no alternate screen, so the record is there afterwards. Owns the cursor between its calls, and
 * gives it back at every end of the process. Lines are given unpainted and no wider than
 * `columns()`.
 */
import type { Io } from './io.ts';
import { columnsOf, paint, type Style } from './style.ts';
import { widthOf } from './text.ts';

export interface Screen {
  /** One less than the terminal has: a full last column makes some terminals wrap. */
  columns(): number;
  /** Puts lines above the block; they stay. */
  finish(lines: readonly string[]): void;
  /** Replaces the block; at most ten times a second, unless it is urgent. */
  block(lines: readonly string[], isUrgent: boolean): void;
  /** Takes the block away and shows the cursor; idempotent. */
  close(): void;
}

const redrawMinMs = 100;
const linesMax = 8;
const hideCursor = '\u001b[?25l';
const showCursor = '\u001b[?25h';
const clearDown = '\u001b[0J';

export function openScreen(io: Io, style: Style): Screen {
  let drawn: readonly string[] = [];
  let drawnAt = Number.NEGATIVE_INFINITY;
  let isHidden = false;
  const columns = (): number => columnsOf(io, style.isUtf8) - 1;
  const erase = (): string => {
    const rows = rowsOf(drawn, io.stdout.columns());
    return rows === 0 ? '' : `\u001b[${rows}A\r${clearDown}`;
  };
  const text = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');
  const painted = (lines: readonly string[]): string[] => lines.map((line) => paint(line, style));
  const show = (): void => {
    if (isHidden) io.stdout.write(showCursor);
    isHidden = false;
  };
  const forgetExit = io.onExit(show);
  return {
    columns,
    finish: (lines) => {
      if (lines.length > 0) io.stdout.write(erase() + text(painted(lines)) + text(drawn));
    },
    block: (lines, isUrgent) => {
      const now = io.monotonicMs();
      if (!isUrgent && now - drawnAt < redrawMinMs) return;
      drawnAt = now;
      // What has scrolled off a low terminal can never be taken away again.
      const next = painted(lines.slice(-Math.min(linesMax, io.stdout.rows() - 1)));
      const hide = isHidden ? '' : hideCursor;
      isHidden = true;
      io.stdout.write(hide + erase() + text(next));
      drawn = next;
    },
    close: () => {
      if (drawn.length > 0) io.stdout.write(erase());
      drawn = [];
      show();
      forgetExit();
    },
  };
}

/** A resized terminal has wrapped what was drawn: the rows are counted at the width of now. */
function rowsOf(lines: readonly string[], columns: number): number {
  return lines.reduce(
    (rows, line) => rows + Math.max(1, Math.ceil(widthOf(line) / Math.max(1, columns))),
    0,
  );
}
