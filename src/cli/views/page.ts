/** Rows of a page: a sign column, a label column, text; wrapped to the width. */
import { cut, padTo, widthOf, wrap } from '../text.ts';

export const labelColumns = 10;

/** `  label     text`, continued lines under the text. */
export function labelled(label: string, text: string, columns: number): string[] {
  const room = Math.max(10, columns - labelColumns - 2);
  return wrap(text, room).map((line, i) => `  ${padTo(i === 0 ? label : '', labelColumns)}${line}`);
}

/** Cells in columns of equal width over all rows; the last column is not padded. */
export function table(
  rows: readonly (readonly string[])[],
  columns: number,
  indent = ' ',
): string[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [i, cell] of row.entries()) widths[i] = Math.max(widths[i] ?? 0, [...cell].length);
  }
  return rows.map((row) => {
    const cells = row.map((cell, i) => (i === row.length - 1 ? cell : padTo(cell, widths[i] ?? 0)));
    return cut(`${indent}${cells.join('  ')}`.trimEnd(), columns);
  });
}

/** `a · b · c` on as few lines as there is room for; no part is broken. */
export function flowed(parts: readonly string[], columns: number, between = ' · '): string[] {
  const lines: string[] = [];
  for (const part of parts) {
    const last = lines.at(-1);
    const joined = last === undefined ? part : `${last}${between}${part}`;
    if (last === undefined) lines.push(part);
    else if (widthOf(joined) <= columns) lines[lines.length - 1] = joined;
    else lines.push(`  ${part}`);
  }
  return lines.map((line) => cut(line, columns));
}
