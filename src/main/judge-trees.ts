import { join } from 'node:path';
import { type GitCheckTreesOptions, gitCheckTrees } from '../git/check-trees.ts';
import type { JudgeTree } from '../host/lane-host.ts';

/** What a mirror is to be pruned with, besides its check trees. */
export const judgeHome = (home: string): string => join(home, 'judge');

/** A pool of its own: a judge is an agent, and never meets a tree in which checks run. */
export function judgeTrees(options: GitCheckTreesOptions): JudgeTree {
  const trees = gitCheckTrees({ ...options, home: judgeHome(options.home) });
  return async ({ dispatch, commit, signal }) => {
    const { project, workspace } = dispatch.definition;
    const tree = await trees.lease({
      root: project.root,
      commit,
      keep: [],
      submodules: workspace.submodules,
      slots: 4,
      signal,
    });
    return { directory: tree.directory, remove: () => tree.release() };
  };
}
