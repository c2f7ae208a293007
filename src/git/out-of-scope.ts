/** Which paths lie outside of what a run may write, wherever their content is read from. */
import { dirname, isAbsolute, join, resolve } from 'node:path';
import type { FindingPolicy } from '../ports/workspace.ts';
import { isWithin, realpathOf } from './files.ts';
import { matcher } from './scope.ts';

export interface Drifted {
  readonly path: string;
  /** A sentence about a link that leads out of the tree; null: its name alone is out of scope. */
  readonly why: string | null;
}

export interface ScopeRequest {
  /** The tree that the paths are of. */
  readonly directory: string;
  readonly policy: Omit<FindingPolicy, 'protected'>;
  /** Target of a symbolic link; null for everything else. */
  readonly linkAt: (path: string) => Promise<string | null>;
}

/** A link that leads out of the tree is out of scope wherever it lies itself. */
export async function outOfScope(
  paths: readonly string[],
  { directory, policy, linkAt }: ScopeRequest,
): Promise<readonly Drifted[]> {
  const isInScope = policy.fileScope.length === 0 ? () => true : matcher(policy.fileScope);
  const isAllowed = matcher(policy.allowed);
  const outside: Drifted[] = [];
  for (const path of paths) {
    if (isAllowed(path)) continue;
    const target = await linkAt(path);
    const leadsOut = target !== null && (await isOut(directory, path, target));
    const why = leadsOut ? `${path} is a link out of the tree, to ${target}` : null;
    if (!isInScope(path) || why !== null) outside.push({ path, why });
  }
  return outside;
}

/** By its words, or by where the links on its way lead. */
async function isOut(directory: string, path: string, target: string): Promise<boolean> {
  const folder = dirname(join(directory, path));
  if (!isWithin(directory, resolve(folder, target))) return true;
  const end = await realpathOf(isAbsolute(target) ? target : `${folder}/${target}`);
  return end !== null && !isWithin(directory, end);
}
