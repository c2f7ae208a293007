export interface ErrorMeaning {
  readonly means: string;
  /** What to do, step by step where there are several ways. */
  readonly remedy: string;
}
