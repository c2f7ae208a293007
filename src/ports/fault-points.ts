/**
 * A place where a test may kill the process. The shipped composition passes none, so a point costs
 * one optional call; the names are the table of `npm run test:crash`.
 */
export interface FaultPoints {
  reached(name: string): void;
}
