/**
 * Goal: where the state of a user cannot lie, a sentence says so, in both forms; and it may lie on
 * another file system than the repository. And a driver that somebody else started changes nothing.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { binary, type Pawl, pawl } from '../support/pawl.ts';
import { r0Plain } from '../support/repositories.ts';

let it: Pawl;
beforeEach(() => {
  it = pawl();
});
afterEach(() => it.close());

const isElsewhere = (folder: string): boolean =>
  statSync(folder, { throwIfNoEntry: false })?.dev !== statSync(tmpdir()).dev;
const other = '/dev/shm';

test.each([
  ['is a file', 'store_unusable', 1, (root: string) => join(root, 'file')],
  ['is below a file', 'store_unusable', 1, (root: string) => join(root, 'file/below')],
  ['may not be made', 'store_unusable', 1, () => '/proc/no/such'],
  ['is no absolute path', 'bad_value', 2, () => 'here'],
])(
  'a PAWL_HOME that %s is refused as %s, with and without --json (L-I10)',
  async (_, code, exit, home) => {
    writeFileSync(join(it.root, 'file'), '');
    const env = { PAWL_HOME: home(it.root) };
    const plain = await it.run(['status'], { env });
    expect(plain).toMatchObject({ exit, stdout: '' });
    expect(plain.stderr).toContain(`error[${code}]`);
    expect(plain.stderr).not.toMatch(/^ +at |node:/m);
    const json = await it.run(['status', '--json'], { env });
    expect(json).toMatchObject({ exit, stderr: '' });
    expect(json.json()).toMatchObject({ exit, error: { code } });
  },
);

test('a PAWL_HOME that is set to nothing is not set', async () => {
  const env = { PAWL_HOME: '', XDG_STATE_HOME: join(it.root, 'xdg') };
  expect(await it.run(['status'], { env })).toMatchObject({ exit: 0 });
  expect(statSync(join(it.root, 'xdg/pawl')).isDirectory()).toBe(true);
});

test('a shell whose folder is gone gets its answer all the same', () => {
  const gone = join(it.root, 'gone');
  mkdirSync(gone);
  const line = `cd '${gone}' && rmdir '${gone}' && exec '${process.execPath}' '${binary}' status`;
  const { status, stderr } = spawnSync('sh', ['-c', line], { env: it.env, encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});

test.runIf(isElsewhere(other))(
  'the state may lie on another file system than the repository',
  async () => {
    const home = mkdtempSync(join(other, 'pawl-test-'));
    try {
      const { root } = r0Plain(it.root);
      const check = 'node --test';
      const agent = 'sh -c \'echo "export const add = (a, b) => a + b;" > src/add.mjs\'';
      symlinkSync(home, it.home);
      const args = ['run', 'add', '--check', check, '--agent-cmd', agent, '-n', '1', '--json'];
      const done = await it.run(args, { cwd: root });
      expect(done.json()).toMatchObject({ status: 'complete', verification: 'passed' });
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  },
);

test('agent and check find the programs of who started the run, whoever started the driver', async () => {
  const { root } = r0Plain(it.root);
  const bin = join(it.root, 'bin');
  mkdirSync(bin);
  const script = '#!/bin/sh\necho "export const add = (a, b) => a + b;" > src/add.mjs\n';
  writeFileSync(join(bin, 'my-agent'), script, { mode: 0o755 });
  writeFileSync(join(bin, 'my-check'), '#!/bin/sh\nexec node --test\n', { mode: 0o755 });
  const args = ['run', 'add', '-n', '1', '--json', '--check'];
  // The driver that this starts has never heard of `bin`.
  await it.run([...args, 'node --test', '--agent-cmd', 'true'], { cwd: root });
  const env = { PATH: `${bin}:${it.env['PATH']}` };
  const done = await it.run([...args, 'my-check', '--agent-cmd', 'my-agent'], { cwd: root, env });
  expect(done.json()).toMatchObject({ status: 'complete', verification: 'passed' });
});

test('a run sees the variables of who started it; one that is not stored is asked for by name', async () => {
  const { root } = r0Plain(it.root);
  const text = 'version: 1\nenv: { allow: [MODE, MY_TOKEN] }\nbaseline: green-ok\n';
  writeFileSync(join(root, 'pawl.yaml'), text);
  const agent = ['--agent-cmd', 'sh -c \'echo "$MODE $HTTP_PROXY" > said.txt\''];
  const start = (mode: string, env: Record<string, string> = {}) =>
    it.run(['run', mode, '--check', 'true', ...agent, '-n', '1', '--json'], {
      cwd: root,
      env: { MODE: mode, HTTP_PROXY: `http://${mode}`, ...env },
    });
  const said = (done: Awaited<ReturnType<typeof start>>) =>
    spawnSync('git', ['-C', root, 'show', `${done.json()['head']}:said.txt`]).stdout.toString();
  expect(said(await start('one'))).toBe('one http://one\n');
  expect(said(await start('two'))).toBe('two http://two\n');
  const third = await start('three', { MY_TOKEN: 's3cret' });
  expect(third.json()).toMatchObject({ status: 'needs_operator', reason: 'auth_required' });
  expect(third.json()['detail']).toMatch(/^MY_TOKEN is not set for the driver/);
  const kept = spawnSync('grep', ['-rl', 's3cret', it.home]).stdout.toString();
  expect(kept).toBe('');
});
