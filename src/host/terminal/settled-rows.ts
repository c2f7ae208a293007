/**
 * What a painted screen said, as lines for people: each row once, when it stands. A row that still
 * grows is waited for; a spinner, a timer or a counter that is painted over in place is told once.
 * Pure.
 */
import { masked } from '../../domain/liveness/screen-mask.ts';

export interface SettledRows {
  /** Of the last sample. */
  readonly rows: readonly string[];
  /** Masked, the longest untold first. */
  readonly told: ReadonlySet<string>;
}

export const noRows: SettledRows = { rows: [], told: new Set() };

/** More rows than this are not known to have been told. */
const toldMax = 2_000;

/** `now`: rows that scrolled off since the last sample, then those on the screen. */
export function settled(
  before: SettledRows,
  now: readonly string[],
): { readonly after: SettledRows; readonly stands: readonly string[] } {
  const told = new Set(before.told);
  const stands: string[] = [];
  const still = new Set(now);
  const [were, are] = [shapesOf(before.rows), shapesOf(now)];
  const isCounter = (row: string) => were.get(shape(row)) === 1 && are.get(shape(row)) === 1;
  const grows = (row: string) => now.some((other) => other.startsWith(row));
  const goesOn = (row: string) => !still.has(row) && (isCounter(row) || grows(row));
  for (const row of before.rows) {
    const key = masked(row);
    if (!/[\p{L}\p{N}]/u.test(key) || told.has(key) || goesOn(row)) continue;
    told.add(key);
    stands.push(row);
  }
  return { after: { rows: now, told: newest(told) }, stands };
}

/** Rows of one shape differ in glyphs, timers and numbers alone. */
const shape = (row: string): string => masked(row).replace(/\d+/g, '#');

/** How many rows have it. */
function shapesOf(rows: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const row of rows) counts.set(shape(row), (counts.get(shape(row)) ?? 0) + 1);
  return counts;
}

function newest(told: ReadonlySet<string>): ReadonlySet<string> {
  return told.size <= toldMax ? told : new Set([...told].slice(-toldMax));
}
