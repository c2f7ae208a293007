/** What must never be broken was broken; see oracle.ts. */
export class Violation extends Error {
  override readonly name = 'Violation';
}

export function holds(condition: boolean, invariant: string, what: string): asserts condition {
  if (!condition) throw new Violation(`${invariant}: ${what}`);
}
