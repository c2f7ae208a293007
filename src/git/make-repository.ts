import { existsSync } from 'node:fs';
import { gitRunner, identityEnv, pawlIdentity } from './git.ts';

/** Makes a folder a git repository on branch `main` whose one commit holds all of it. */
export async function makeRepository(
  directory: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const git = gitRunner({ env, exists: async (path) => existsSync(path) });
  const call = { cwd: directory, env: identityEnv(pawlIdentity) };
  await git.run(['init', '--quiet', '--initial-branch=main'], call);
  await git.run(['add', '--all'], call);
  await git.run(['commit', '--quiet', '--message=Start'], call);
}
