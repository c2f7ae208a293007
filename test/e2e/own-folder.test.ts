/** Goal: without isolation a run works in the user's own folder, repository or not, and ends. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Pawl, pawl } from '../support/pawl.ts';
import { r0Plain, r7NotGit, runGit } from '../support/repositories.ts';

let it: Pawl;
beforeEach(() => {
  it = pawl();
});
afterEach(() => it.close());

test.each([
  ['a repository', (folder: string) => r0Plain(folder).root],
  ['no repository', r7NotGit],
])('in %s work is verified where it lies, and none is told from no change', async (_, make) => {
  const root = make(it.root);
  const check = ['--check', 'test -f done.txt', '--isolation', 'none', '-n', '1', '--json'];
  const idle = await it.run(['run', 'a', ...check, '--agent-cmd', 'true'], { cwd: root });
  expect(idle.json()).toMatchObject({ status: 'needs_operator', reason: 'attempts_exhausted' });
  const agent = ['--agent-cmd', 'touch done.txt'];
  const done = await it.run(['run', 'b', ...check, ...agent], { cwd: root });
  expect(done.json()).toMatchObject({ status: 'complete', verification: 'passed', branch: null });
  expect(readFileSync(join(root, 'done.txt'), 'utf8')).toBe('');
});

test('where no change is allowed for, a tree of its own without one passes too', async () => {
  const { root } = r0Plain(it.root);
  const text = 'version: 1\nallowNoChange: true\nbaseline: green-ok\n';
  writeFileSync(join(root, 'pawl.yaml'), text);
  const args = ['run', 'look', '--check', 'true', '--agent-cmd', 'true', '-n', '1', '--json'];
  const done = await it.run(args, { cwd: root });
  expect(done.json()).toMatchObject({ status: 'complete', verification: 'passed' });
});

test.each([
  ['a repository', (folder: string) => r0Plain(folder).root],
  ['no repository', r7NotGit],
])('in %s an agent that replaces the script of the check does not complete', async (what, make) => {
  const root = make(it.root);
  writeFileSync(join(root, 'check.sh'), 'test -f done.txt\n');
  if (what === 'a repository') {
    runGit(root, 'add', '-A');
    runGit(root, 'commit', '-qm', 'check');
  }
  const args = ['--check', 'sh check.sh', '--isolation', 'none', '-n', '1', '--json'];
  const ended = await it.run(['run', 'a', ...args, '--agent-cmd', `sh -c 'echo true > check.sh'`], {
    cwd: root,
  });
  expect(ended.json()).toMatchObject({ status: 'needs_operator', reason: 'protected_changed' });
  expect(JSON.stringify(ended.json())).toContain('check.sh');
});
