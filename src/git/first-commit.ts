/**
 * What the user may have made when a run is refused for its lack (UX 1.5): a repository, a first
 * commit. Signed by the user where git knows one, else by pawl. No hook runs, nothing is pushed.
 */
import { existsSync } from 'node:fs';
import { type Git, gitRunner, identityEnv, pawlIdentity } from './git.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** `git init`, and everything that is not ignored in one commit. */
export async function firstRepository(directory: string, env: Env): Promise<void> {
  const git = gitRunner({ env, exists: async (path) => existsSync(path) });
  await git.run(['init', '--quiet', '--initial-branch=main'], { cwd: directory });
  await git.run(['add', '--all'], { cwd: directory });
  await commit(git, directory, []);
}

/** A commit without files; the files of the checkout stay as they are. */
export async function emptyCommit(directory: string, env: Env): Promise<void> {
  const git = gitRunner({ env, exists: async (path) => existsSync(path) });
  await commit(git, directory, ['--allow-empty', '--only']);
}

async function commit(git: Git, directory: string, how: readonly string[]): Promise<void> {
  const known = await git.maybe(['config', 'user.email'], { cwd: directory });
  const env = known === null || known === '' ? identityEnv(pawlIdentity) : {};
  await git.run(['commit', '--quiet', ...how, '--message=Start'], { cwd: directory, env });
}
