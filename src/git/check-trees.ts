import type { CheckTrees } from '../ports/workspace.ts';

export interface GitCheckTreesOptions {
  /** `$PAWL_HOME`: the pool is `check-trees/` below it. */
  readonly home: string;
  /** As in `gitWorkspace`. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** The runtime's own trees; see {@link CheckTrees}. */
export function gitCheckTrees(options: GitCheckTreesOptions): CheckTrees {
  throw new Error(`being written: ${options.home}`);
}
