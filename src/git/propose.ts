/**
 * Handing work to others: the branch is pushed as it is, never forced, and a draft pull request is
 * opened by GitHub's own program. Where that is missing or refuses, the command is given instead;
 * the text of the request lies in a file that it names. Called only when a human said so.
 */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import type { Proposal, ProposeRequest, Remote } from '../ports/workspace.ts';
import { writeWhole } from './files.ts';
import { needRepository, type Place } from './repository.ts';

const pushMs = 10 * 60_000;
const openMs = 2 * 60_000;
const wordsMax = 300;

/** The remote that the target branch follows, else `origin`, else the only one. */
export async function remoteOf(place: Place, root: string, into: string): Promise<Remote | null> {
  await needRepository(place, root);
  const call = { cwd: root };
  const followed = await place.git.maybe(['config', '--get', `branch.${into}.remote`], call);
  const all = (await place.git.text(['remote'], call)).split('\n').filter((name) => name !== '');
  const only = all.length === 1 ? all[0] : undefined;
  const name = [followed, 'origin', only].find((each) => each != null && all.includes(each));
  if (name == null) return null;
  return { name, url: await place.git.text(['remote', 'get-url', '--push', name], call) };
}

/** @throws WorldError `git_failed` when the push is refused; then nothing was opened. */
export async function propose(place: Place, request: ProposeRequest): Promise<Proposal> {
  const { root, run, remote, branch, head, into, title, body } = request;
  const ref = `${head}:refs/heads/${branch}`;
  await place.git.run(['push', remote.name, ref], { cwd: root, deadlineMs: pushMs });
  const file = join(place.home, 'proposals', `${run}.md`);
  await writeWhole(file, body);
  const args = ['pr', 'create', '--draft', '--head', branch, '--base', into];
  const argv = [...args, '--title', title, '--body-file', file];
  const command = ['gh', ...argv].map(quoted).join(' ');
  const opened = await gh(place, root, argv);
  return { remote: remote.name, command, ...opened };
}

function gh(
  place: Place,
  cwd: string,
  argv: readonly string[],
): Promise<Pick<Proposal, 'url' | 'why'>> {
  const env = { ...place.env, GH_PROMPT_DISABLED: '1', NO_COLOR: '1' };
  return new Promise((resolve) => {
    const options = { cwd, env, timeout: openMs, maxBuffer: 1024 * 1024 } as const;
    const child = execFile('gh', argv, options, (error, stdout, stderr) => {
      const url = /https?:\/\/\S+/.exec(stdout)?.[0] ?? null;
      if (error === null && url !== null) resolve({ url, why: null });
      else resolve({ url: null, why: whyOf(error, stderr) });
    });
    child.stdin?.end();
  });
}

function whyOf(error: Error | null, stderr: string): string {
  if (error === null) return 'gh named no address';
  if ('code' in error && error.code === 'ENOENT') return 'gh is not installed';
  const said = stderr.trim().split('\n')[0] ?? '';
  return said === '' ? 'gh failed' : `gh: ${said.slice(0, wordsMax)}`;
}

const quoted = (word: string): string =>
  /^[\w./:=@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
