/** A lane's program as an adapter sees it: what to spawn, and what its output means. */

import type { Usage } from '../domain/execution/state.ts';
import type { Dispatch } from './plane.ts';

/** Where things of a turn lie; all outside the work tree, 0700. */
export interface TurnFiles {
  readonly directory: string;
  readonly prompt: string;
  readonly history: string;
  readonly result: string;
  readonly home: string;
}

export interface Launch {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: string | null;
}

/** What a turn came to, before the work tree is looked at. A stop reason is not a verdict. */
export type TurnEnd =
  | {
      readonly outcome: 'turn_ended' | 'question' | 'blocked' | 'limit' | 'invalid_result';
      readonly text: string | null;
      readonly until: number | null;
      readonly usage: Usage | null;
      readonly sessionId: string | null;
    }
  | { readonly outcome: 'lane_died'; readonly detail: string; readonly usage: Usage | null };

export interface Adapter {
  readonly name: string;
  readonly version: string;
  /** Pure: what to spawn for this turn. @throws RequestError naming the field of a bad template. */
  launch(dispatch: Dispatch, files: TurnFiles, tree: string): Launch;
  /** Pure: what exit and result file say. */
  end(
    exit: { readonly exit: number | null; readonly signal: string | null },
    resultFile: string | null,
  ): TurnEnd;
}
