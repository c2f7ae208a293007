import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { gitCheckTrees } from '../../src/git/check-trees.ts';
import { gitWorkspace } from '../../src/git/workspace.ts';
import type { Commit, ExecutionId, RunId } from '../../src/ports/words.ts';
import type { CheckTrees, TreeRequest, Workspace } from '../../src/ports/workspace.ts';
import { type Fixture, temporary } from './repositories.ts';

export interface Rig {
  /** Holds the fixtures. */
  readonly folder: string;
  readonly home: string;
  readonly workspace: Workspace;
  readonly checks: CheckTrees;
}

/**
 * A machine of its own: a temporary folder, an empty home of pawl, git without anybody's settings.
 */
export function rig(
  options: { readonly path?: string; readonly gitconfig?: string; readonly max?: number } = {},
): Rig {
  const { path: folder, remove } = temporary();
  onTestFinished(remove);
  const home = join(folder, 'home');
  mkdirSync(join(folder, 'user'));
  writeFileSync(join(folder, 'user/.gitconfig'), options.gitconfig ?? '');
  const path = options.path ?? process.env['PATH'] ?? '/usr/bin:/bin';
  const env = { PATH: path, HOME: join(folder, 'user') };
  return {
    folder,
    home,
    workspace: gitWorkspace({ home, env, untrackedBytesMax: options.max ?? 50 * 1024 * 1024 }),
    checks: gitCheckTrees({ home, env }),
  };
}

export function requestFor(fixture: Fixture, more: Partial<TreeRequest> = {}): TreeRequest {
  const head = fixture.git('rev-parse', 'HEAD') as Commit;
  return {
    root: fixture.root,
    run: 'abcdefghjkmn' as RunId,
    name: 'fix-add',
    short: 'abcd',
    from: more.base ?? head,
    base: head,
    isolation: 'worktree',
    submodules: 'auto',
    copy: [],
    fresh: null,
    ...more,
  };
}

/** The n-th of several runs. */
export const runNumber = (n: number): Pick<TreeRequest, 'run' | 'short'> => ({
  run: `run${n}`.padEnd(12, 'x') as RunId,
  short: `r${n}xx`,
});

export const execution = (id: string): ExecutionId => id as ExecutionId;
export const asCommit = (id: string): Commit => id as Commit;

export function put(directory: string, path: string, content: string | Uint8Array): void {
  mkdirSync(dirname(join(directory, path)), { recursive: true });
  writeFileSync(join(directory, path), content);
}
