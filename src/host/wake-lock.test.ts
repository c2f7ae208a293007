import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { inhibitor, systemWakeLock } from './wake-lock.ts';

const directory = mkdtempSync(join(tmpdir(), 'pawl-wake-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** A program of the system's name, in a folder of ours. */
function program(name: string, script: string): Readonly<Record<string, string>> {
  const path = join(directory, name);
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return { PATH: `${directory}:${process.env['PATH']}` };
}
const lock = (env: Readonly<Record<string, string>>, provenMs: number) =>
  systemWakeLock({ platform: 'linux', env, provenMs });

test('the argv of each system ends with us (UX 3.2)', () => {
  expect(inhibitor('linux', 'runs are active', 7)).toEqual([
    'systemd-inhibit',
    '--what=idle:sleep',
    '--who=pawl',
    '--why=runs are active',
    '--mode=block',
    'cat',
  ]);
  expect(inhibitor('darwin', 'x', 7)).toEqual(['caffeinate', '-i', '-w', '7']);
  expect(inhibitor('win32', 'x', 7)).toBeNull();
});

test('a machine without the program says so, one that refuses says why', async () => {
  const nothing = { PATH: directory };
  expect(await lock(nothing, 5_000).hold('x')).toEqual({
    held: false,
    why: 'there is no systemd-inhibit',
  });
  const env = program('systemd-inhibit', 'echo "Failed to connect to bus" >&2; exit 1');
  expect(await lock(env, 20_000).hold('x')).toEqual({
    held: false,
    why: 'systemd-inhibit exit 1: Failed to connect to bus',
  });
});

test('what is held is let go of, and its program has ended then', async () => {
  const pid = join(directory, 'pid');
  const env = program('systemd-inhibit', `echo $$ > ${pid}; exec cat`);
  const held = await lock(env, 500).hold('x');
  if (!held.held) throw new Error(held.why);
  await held.release();
  expect(existsSync(`/proc/${readFileSync(pid, 'utf8').trim()}`)).toBe(false);
  await held.release();
});
