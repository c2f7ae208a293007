import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { r0Plain, temporary } from '../../test/support/repositories.ts';
import { exists } from './files.ts';
import { gitRunner } from './git.ts';
import { heldTo } from './proof.ts';

vi.setConfig({ testTimeout: 60_000 });

function machine(env: Record<string, string> = {}) {
  const { path: folder, remove } = temporary();
  onTestFinished(remove);
  const all = { PATH: process.env['PATH'] ?? '', HOME: folder, ...env };
  return { folder, git: gitRunner({ env: all, exists }) };
}

/** A git that is a script of ours. */
function fakeGit(body: string) {
  const { path: folder, remove } = temporary();
  onTestFinished(remove);
  mkdirSync(join(folder, 'bin'));
  writeFileSync(join(folder, 'bin/git'), `#!/bin/sh\n${body}\n`);
  chmodSync(join(folder, 'bin/git'), 0o755);
  const path = `${join(folder, 'bin')}:${process.env['PATH']}`;
  return { folder, git: gitRunner({ env: { PATH: path, HOME: folder }, exists }) };
}

test('nothing of the caller’s git leaks in', async () => {
  const { folder, git } = machine({ GIT_DIR: '/elsewhere', GIT_INDEX_FILE: '/x', GIT_TRACE: '1' });
  const fixture = r0Plain(folder);
  const call = { cwd: fixture.root };
  expect(await git.text(['rev-parse', '--show-toplevel'], call)).toBe(fixture.root);
  const fake = fakeGit('env | grep -E "^(GIT_|LC_ALL|SSH_ASKPASS)" | sort');
  expect(await fake.git.text(['x'], { cwd: fake.folder })).toBe(
    [
      'GIT_ASKPASS=',
      'GIT_EDITOR=true',
      'GIT_NO_REPLACE_OBJECTS=1',
      'GIT_OPTIONAL_LOCKS=0',
      'GIT_TERMINAL_PROMPT=0',
      'LC_ALL=C',
    ].join('\n'),
  );
});

test('a failure carries git’s own words', async () => {
  const { folder, git } = machine();
  const fixture = r0Plain(folder);
  await expect(git.run(['rev-parse', 'nothing'], { cwd: fixture.root })).rejects.toMatchObject({
    code: 'git_failed',
    message: expect.stringContaining('unknown revision'),
  });
  expect(await git.maybe(['rev-parse', '-q', '--verify', 'x'], { cwd: fixture.root })).toBeNull();
});

test('a missing git, a missing folder and a full disk are told apart', async () => {
  const { folder, git } = machine();
  const none = gitRunner({ env: { PATH: folder }, exists });
  await expect(none.run(['status'], { cwd: folder })).rejects.toMatchObject({
    code: 'git_missing',
  });
  const gone = { cwd: join(folder, 'gone') };
  await expect(git.run(['status'], gone)).rejects.toMatchObject({ code: 'workspace_lost' });
  const full = fakeGit('echo "fatal: No space left on device" >&2; exit 128');
  await expect(full.git.run(['x'], { cwd: full.folder })).rejects.toMatchObject({
    code: 'disk_full',
  });
});

test('a git that hangs is ended with its children at the deadline (L-D17)', async () => {
  const { folder, git } = fakeGit('sleep 300 & echo $! > "$HOME/child"; wait');
  const call = { cwd: folder, deadlineMs: 500 };
  await expect(git.run(['x'], call)).rejects.toThrow('did not end within 0.5 s');
  const pid = Number(readFileSync(join(folder, 'child'), 'utf8'));
  await vi.waitFor(() => expect(isRunning(pid)).toBe(false));
});

/** A zombie has ended; nobody has asked for its status yet. */
function isRunning(pid: number): boolean {
  if (!existsSync(`/proc/${pid}/stat`)) return false;
  try {
    return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z');
  } catch {
    return false;
  }
}

test('a call can be called off', async () => {
  const { folder, git } = fakeGit('sleep 300');
  const controller = new AbortController();
  const running = git.run(['x'], { cwd: folder, signal: controller.signal });
  controller.abort();
  await expect(running).rejects.toThrow('was cancelled');
});

test('output has a bound: beyond it the call fails or is cut, and memory stays small (L-I1)', async () => {
  const { folder, git } = fakeGit('yes');
  const call = { cwd: folder, outputBytesMax: 1000 };
  await expect(git.run(['x'], call)).rejects.toThrow('more than 1000 bytes');
  const cut = await git.run(['x'], { ...call, cut: true });
  expect(cut.bytes.length).toBe(1000);
  expect(cut.isCut).toBe(true);
  const loud = fakeGit('head -c 50000000 /dev/zero | tr "\\\\0" x >&2; exit 1');
  await expect(loud.git.run(['x'], { cwd: loud.folder })).rejects.toMatchObject({
    details: { found: expect.stringMatching(/^x{16384}$/) },
  });
});

test('nothing waits for input', async () => {
  const { folder, git } = fakeGit('cat; echo end');
  expect(await git.text(['x'], { cwd: folder })).toBe('end');
});

test('git held to a folder finds no repository around it (L-C4)', async () => {
  const { folder, git } = machine();
  const fixture = r0Plain(folder);
  mkdirSync(join(fixture.root, 'inner'));
  const call = heldTo(join(fixture.root, 'inner'));
  await expect(git.run(['add', '-A'], call)).rejects.toThrow('not a git repository');
});

test('names are never patterns, and ignore rules can be asked all the same', async () => {
  const { folder, git } = machine();
  const fixture = r0Plain(folder);
  const call = { cwd: fixture.root };
  fixture.write('[ab].txt', 'x');
  fixture.write('a.txt', 'x');
  await git.run(['add', '--', '[ab].txt'], call);
  expect(await git.list(['diff', '--cached', '--name-only', '-z'], call)).toEqual(['[ab].txt']);
  const asked = { ...call, input: '.env\0a.txt\0' };
  expect(await git.list(['check-ignore', '-z', '--stdin'], asked)).toEqual(['.env']);
});
