/** What holds where a definition says nothing (DESIGN §13, RR-40); spans in milliseconds. */
export const recoveryUsual = {
  requeues: 2,
  transfers: 3,
  nudges: 2,
  silenceMs: 105_000,
  graceMs: 300_000,
} as const;

/**
 * What a definition may set of how a run helps itself (RR-40); spans in milliseconds. A lane needs
 * two looks of a sweep before it is called stalled for good, and a run without work its grace.
 */
export const recoveryBounds = {
  requeues: { least: 0, most: 20 },
  transfers: { least: 0, most: 20 },
  cleanExits: { least: 0, most: 20 },
  nudges: { least: 0, most: 5 },
  silenceMs: { least: 30_000, most: 3_600_000 },
  graceMs: { least: 60_000, most: 3_600_000 },
} as const;
