/** Goal: a push happens when it is told to, as it is, and what is left to do is said. */
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { asCommit, put, requestFor, rig, runNumber } from '../../test/support/git-rig.ts';
import { r0Plain, runGit } from '../../test/support/repositories.ts';

vi.setConfig({ testTimeout: 60_000 });

/** A run with recorded work, a bare remote, and a `gh` that the script makes; '' for none. */
async function worked(gh: string) {
  const { path: bin, machine } = machineWith(gh);
  const { workspace, folder, home } = machine;
  const fixture = r0Plain(folder);
  const request = requestFor(fixture, runNumber(1));
  const tree = await workspace.openTree(request);
  put(tree.directory, 'src/new.mjs', 'export const one = 1;\n');
  const { commit } = await workspace.snapshot(tree, 'attempt 1');
  const remote = join(folder, 'remote.git');
  runGit(folder, 'init', '-q', '--bare', remote);
  fixture.git('remote', 'add', 'origin', remote);
  const head = asCommit(commit ?? '');
  const what = { root: fixture.root, run: request.run, branch: tree.branch ?? '', head };
  return { workspace, fixture, remote, what, home, bin, base: asCommit(tree.base ?? '') };
}

function machineWith(gh: string) {
  const first = rig();
  const path = join(first.folder, 'bin');
  mkdirSync(path);
  if (gh !== '') {
    writeFileSync(join(path, 'gh'), `#!/bin/sh\n${gh}\n`);
    chmodSync(join(path, 'gh'), 0o755);
  }
  return { path, machine: rig({ path: `${path}:/usr/local/bin:/usr/bin:/bin` }) };
}
const told = { into: 'main', title: "Mend 'add'", body: 'body\n' };

test('the branch is pushed and gh opens a draft with the text', async () => {
  const gh = 'printf "%s\\n" "$@" > "$(dirname "$0")/args"\necho https://example.com/pull/3';
  const { workspace, fixture, remote, what, bin } = await worked(gh);
  const to = await workspace.remote(what.root, 'main');
  expect(to).toEqual({ name: 'origin', url: remote });
  const proposal = await workspace.propose({ ...what, ...told, remote: to ?? never() });
  expect(proposal).toMatchObject({ url: 'https://example.com/pull/3', why: null });
  expect(runGit(remote, 'rev-parse', what.branch)).toBe(what.head);
  const args = readFileSync(join(bin, 'args'), 'utf8').split('\n');
  expect(args.slice(0, 7)).toEqual(
    ['pr', 'create', '--draft', '--head', what.branch, '--base', 'main'].slice(0, 7),
  );
  expect(readFileSync(args[args.indexOf('--body-file') + 1] ?? '', 'utf8')).toBe('body\n');
  expect(fixture.git('rev-parse', 'main')).not.toBe(what.head);
});

test.each([
  ['', 'gh is not installed'],
  ['echo "To get started: gh auth login" >&2; exit 4', 'gh: To get started: gh auth login'],
  ['echo done', 'gh named no address'],
])('where gh cannot (%j), the command is given', async (gh, why) => {
  const { workspace, what, remote } = await worked(gh);
  const to = { name: 'origin', url: remote };
  const proposal = await workspace.propose({ ...what, ...told, remote: to });
  expect(proposal).toMatchObject({ url: null, why });
  expect(proposal.command).toMatch(
    /^gh pr create --draft --head pawl\/.* --title 'Mend '\\''add'\\''' /,
  );
});

test('a remote branch that has gone elsewhere is not forced', async () => {
  const { workspace, fixture, what, remote } = await worked('echo https://example.com/pull/3');
  fixture.git('commit', '-q', '--allow-empty', '-m', 'of somebody else');
  fixture.git('push', '-q', 'origin', `HEAD:refs/heads/${what.branch}`);
  const to = { name: 'origin', url: remote };
  await expect(workspace.propose({ ...what, ...told, remote: to })).rejects.toMatchObject({
    code: 'git_failed',
  });
});

test('without a remote there is none to name', async () => {
  const { workspace, fixture, what } = await worked('');
  fixture.git('remote', 'remove', 'origin');
  expect(await workspace.remote(what.root, 'main')).toBeNull();
});

test('judged alone, the merge result moves nothing; kept at a landing, prune leaves the tree', async () => {
  const { workspace, fixture, what, base } = await worked('');
  fixture.git('commit', '-q', '--allow-empty', '-m', 'meanwhile');
  const before = fixture.git('rev-parse', 'main');
  const judged: string[] = [];
  const landing = { ...what, base, into: 'main', message: 'm' } as const;
  const verify = async (commit: string) => {
    judged.push(commit);
    return { passed: true, summary: '' };
  };
  const answer = await workspace.land({ ...landing, method: 'merge', verify, judgeOnly: true });
  expect(answer).toMatchObject({ ok: true, reverified: true, moved: 1 });
  expect(judged).toHaveLength(1);
  expect(fixture.git('rev-parse', 'main')).toBe(before);
  const ended = { ...runNumber(1), name: 'fix-add', ended: true, landed: true, endedAt: 0 };
  expect(await workspace.prunable(what.root, [ended])).toHaveLength(1);
  await workspace.land({ ...landing, method: 'squash', verify: null, keep: true });
  expect(await workspace.prunable(what.root, [ended])).toEqual([]);
});

function never(): never {
  throw new Error('there is a remote');
}
