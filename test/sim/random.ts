/** The only source of chance in a simulated world: the same seed gives the same world. */
export interface Random {
  /** Uniform in [0, 1). */
  next(): number;
  chance(probability: number): boolean;
  /** Whole number from `from` to `to`, both included. */
  between(from: number, to: number): number;
  pick<T>(choices: readonly [T, ...T[]]): T;
  hex(digits: number): string;
  /** An independent stream, so that one consumer's thirst does not shift the others. */
  fork(): Random;
}

/** Mulberry32: small, and good enough to choose among faults. */
export function seeded(seed: number): Random {
  let state = (seed * 0x9e3779b1) >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const between = (from: number, to: number): number => from + Math.floor(next() * (to - from + 1));
  return {
    next,
    chance: (probability) => next() < probability,
    between,
    pick: (choices) => choices[between(0, choices.length - 1)] ?? choices[0],
    hex: (digits) => Array.from({ length: digits }, () => between(0, 15).toString(16)).join(''),
    fork: () => seeded(between(1, 2 ** 31)),
  };
}
