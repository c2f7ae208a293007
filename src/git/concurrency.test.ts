import { spawn } from 'node:child_process';
import { existsSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { put, requestFor, rig, runNumber } from '../../test/support/git-rig.ts';
import { checkoutHash, r0Plain, runGit } from '../../test/support/repositories.ts';

vi.setConfig({ testTimeout: 120_000 });

const commits = 200;

/** A script that commits over and over and fails at the first lock it meets. */
function committing(directory: string): Promise<string> {
  const script = `
    set -e
    for n in $(seq ${commits}); do
      echo $n > work.txt
      git add work.txt
      git -c user.name=A -c user.email=a@x commit -qm $n
    done`;
  const child = spawn('sh', ['-c', script], {
    cwd: directory,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let words = '';
  child.stderr.on('data', (chunk: Buffer) => {
    words += chunk.toString();
  });
  return new Promise((resolve) => {
    child.on('close', (exit) => resolve(exit === 0 ? '' : `${exit}: ${words}`));
  });
}

/**
 * Goal: looking at a tree never takes a lock that the agent's own git needs.
 * Method: every read that a running turn may meet, over and over, while 200 commits are made.
 */
test('polling does not disturb an agent that commits (L-G11)', async () => {
  const { folder, workspace } = rig();
  const fixture = r0Plain(folder);
  const tree = await workspace.openTree(requestFor(fixture));
  const before = await workspace.fingerprint(fixture.root);
  let isDone = false;
  const ended = committing(tree.directory).then((failure) => {
    isDone = true;
    return failure;
  });
  const policy = { fileScope: ['src/**'], protected: ['test/**'], allowed: [] };
  let polls = 0;
  while (!isDone) {
    await workspace.inspect(tree.directory);
    await workspace.treeFingerprint(tree);
    await workspace.findings(tree, policy, before);
    polls += 1;
  }
  expect(await ended).toBe('');
  expect(polls).toBeGreaterThan(0);
  expect(runGit(tree.directory, 'rev-list', '--count', 'HEAD')).toBe(String(commits + 1));
});

test('no read rewrites an index, even one that is out of date (L-G11)', async () => {
  const { folder, workspace, checks } = rig();
  const fixture = r0Plain(folder);
  const tree = await workspace.openTree(requestFor(fixture));
  const indexes = [tree.directory, fixture.root].map((directory) =>
    runGit(directory, 'rev-parse', '--path-format=absolute', '--git-path', 'index'),
  );
  for (const directory of [tree.directory, fixture.root]) {
    utimesSync(join(directory, 'src/add.mjs'), 1, 1);
  }
  const inodes = indexes.map((index) => statSync(index).ino);
  const before = await workspace.fingerprint(fixture.root);
  await workspace.inspect(fixture.root);
  await workspace.inspect(tree.directory);
  await workspace.treeFingerprint(tree);
  await workspace.findings(tree, { fileScope: ['src'], protected: ['x'], allowed: [] }, before);
  await checks.ignoredPaths(tree.directory);
  expect(indexes.map((index) => statSync(index).ino)).toEqual(inodes);
});

test('four runs at once in one repository end with all their work (L-G10)', async () => {
  const { folder, workspace } = rig();
  const fixture = r0Plain(folder);
  const before = checkoutHash(fixture.root);
  const heads = await Promise.all(
    [1, 2, 3, 4].map(async (n) => {
      const tree = await workspace.openTree(requestFor(fixture, runNumber(n)));
      for (const attempt of [1, 2, 3]) {
        put(tree.directory, `run-${n}/${attempt}.txt`, 'x');
        await workspace.snapshot(tree, `attempt ${attempt}`);
      }
      return { n, tree, count: runGit(tree.directory, 'rev-list', '--count', 'main..HEAD') };
    }),
  );
  expect(heads.map(({ count }) => count)).toEqual(['3', '3', '3', '3']);
  for (const { n, tree } of heads)
    expect(existsSync(`${tree.directory}/run-${n}/3.txt`)).toBe(true);
  expect(checkoutHash(fixture.root)).toBe(before);
});
