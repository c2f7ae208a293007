/**
 * Answers about commits, kept: what a commit is never changes, and one verification asks the same
 * of the same two commits many times, each time at the price of a process.
 */
import type { Commit } from '../domain/ids.ts';
import type { CheckTrees } from '../ports/workspace.ts';

/** Files of large repositories are long lists; a few verifications need a handful of commits. */
const keptMax = 8;

export function memoTrees(trees: CheckTrees): CheckTrees {
  return {
    ...trees,
    list: kept((root, commit) => trees.list(root, commit)),
    treeOf: kept((root, commit) => trees.treeOf(root, commit)),
  };
}

/** The newest used are kept; what failed is asked again. */
function kept<T>(ask: (root: string, commit: Commit) => Promise<T>) {
  const answers = new Map<string, Promise<T>>();
  return (root: string, commit: Commit): Promise<T> => {
    const key = `${commit} ${root}`;
    const known = answers.get(key);
    const answer = known ?? ask(root, commit);
    answers.delete(key);
    answers.set(key, answer);
    if (known === undefined) {
      answer.catch(() => answers.delete(key));
      const [oldest] = answers.keys();
      if (answers.size > keptMax && oldest !== undefined) answers.delete(oldest);
    }
    return answer;
  };
}
