import type { ClauseId } from './outcome.ts';
import type { Trial } from './trial.ts';

export interface Clause {
  readonly id: ClauseId;
  readonly title: string;
  /** Without these nothing could be believed of this one. */
  readonly needs: readonly ClauseId[];
  /** What is wrong, a sentence each; nothing: it holds. */
  check(trial: Trial): Promise<readonly string[]>;
}
