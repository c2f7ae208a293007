/** Figures as text. */
export const fixed = (value, digits) => value.toFixed(digits);

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** `1200 (1100 to 1300)`. */
export function range(values) {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const middle = fixed(median(values), 0);
  return values.length === 1 ? middle : `${middle} (${fixed(least, 0)} to ${fixed(most, 0)})`;
}

/** Pair by pair, since both of a pair were measured one after the other. */
export const ratio = (own, others) => fixed(median(own.map((value, n) => value / others[n])), 2);

export function table(print, head, lines) {
  print(`| ${head.join(' | ')} |`);
  print(`|${head.map(() => ' --- ').join('|')}|`);
  for (const line of lines) print(`| ${line.join(' | ')} |`);
  print();
}
