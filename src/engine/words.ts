/** The longest free text that an event may carry (design/store.md, Hash chain). */
export const detailMax = 200;

/** Of what a human says, with room for the mark that something was cut. */
export const noteMax = detailMax - 10;

/** An error as one bounded line for a record; never a stack. */
export const messageOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).slice(0, detailMax);
