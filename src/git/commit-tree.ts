import type { Commit } from '../ports/words.ts';
import { identityEnv, pawlIdentity } from './git.ts';
import type { Place } from './repository.ts';

/** A commit object; no ref moves. */
export async function commitTree(
  place: Place,
  what: {
    readonly treeId: string;
    readonly parents: readonly Commit[];
    readonly message: string;
    readonly who?: { readonly name: string; readonly email: string };
  },
  call: { readonly cwd: string; readonly env?: Readonly<Record<string, string>> },
): Promise<Commit> {
  const id = await place.git.text(
    ['commit-tree', what.treeId, ...what.parents.flatMap((parent) => ['-p', parent])],
    {
      ...call,
      input: what.message.endsWith('\n') ? what.message : `${what.message}\n`,
      env: { ...call.env, ...identityEnv(what.who ?? pawlIdentity) },
    },
  );
  return id as Commit;
}
