/** The longest free text that an event may carry (design/store.md, Hash chain). */
export const detailMax = 200;

/** An error as one bounded line for a record; never a stack. */
export const messageOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).slice(0, detailMax);
