import type { Workspace } from '../ports/workspace.ts';

export interface GitWorkspaceOptions {
  /** `$PAWL_HOME`: trees go to `worktrees/` below it. */
  readonly home: string;
  /** What git inherits (PATH, HOME, XDG_CONFIG_HOME, …); `GIT_*` is removed from it. Default: a plain login's PATH and HOME. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Untracked files above this stay out of snapshots and are reported. Default 50 MB. */
  readonly untrackedBytesMax?: number;
}

/** Git's side of a run; see {@link Workspace}. */
export function gitWorkspace(options: GitWorkspaceOptions): Workspace {
  throw new Error(`being written: ${options.home}`);
}
