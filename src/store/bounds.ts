/** Bounds that every store keeps; the figures are of design/store.md. */
export const bounds = {
  /** Commands of one transaction. */
  commandsMax: 128,
  /** Rows of refusals that one execution may fill; further ones are counted. */
  evidenceRowsMax: 50,
  /** Of each text of a refusal: it was written by someone who was refused. */
  evidenceTextMax: 200,
  /** Signals of a heartbeat. */
  signalsBytesMax: 1024,
} as const;

/** Statuses that an execution does not leave; UNKNOWN waits for a reconciliation and is open. */
export const endedExecution: readonly string[] = ['SUCCEEDED', 'FAILED', 'CANCELLED', 'EXHAUSTED'];

export const endedRun: readonly string[] = ['complete', 'cancelled'];
