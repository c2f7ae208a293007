/** The candidate closest to what was typed, when it is close enough to be a slip of the finger. */
export function nearest(typed: string, candidates: readonly string[]): string | null {
  let best: { readonly name: string; readonly distance: number } | null = null;
  for (const name of candidates) {
    const distance = closeness(typed.toLowerCase(), name.toLowerCase());
    if (best === null || distance < best.distance) best = { name, distance };
  }
  if (best === null) return null;
  return best.distance <= Math.max(2, Math.floor(best.name.length / 3)) ? best.name : null;
}

/** A word that ends in (or begins with) a candidate is near it: `maxAttempts` for `attempts`. */
function closeness(typed: string, name: string): number {
  if (name.length >= 4 && (typed.endsWith(name) || typed.startsWith(name))) return 1;
  return editDistance(typed.slice(0, 100), name);
}

/** Insertions, deletions, replacements and swaps of neighbours. */
export function editDistance(a: string, b: string): number {
  const width = b.length + 1;
  const cells = new Uint16Array((a.length + 1) * width);
  const cell = (i: number, j: number): number => cells[i * width + j] ?? 0;
  for (let i = 0; i <= a.length; i += 1) cells[i * width] = i;
  for (let j = 0; j <= b.length; j += 1) cells[j] = j;
  for (let i = 1; i <= a.length; i += 1) {
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      let least = Math.min(cell(i - 1, j) + 1, cell(i, j - 1) + 1, cell(i - 1, j - 1) + same);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        least = Math.min(least, cell(i - 2, j - 2) + 1);
      }
      cells[i * width + j] = least;
    }
  }
  return cell(a.length, b.length);
}
