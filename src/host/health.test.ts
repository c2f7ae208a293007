/**
 * Goal: what is too old, too full or open to others is said; what cannot be told is unknown (L-O7).
 */
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { freeCheck, gitCheck, machineChecks, nodeCheck, privacyCheck } from './health.ts';
import { syncCheck, verdict } from './sync-trace.ts';

test.each([
  ['v20.19.0', 'ok'],
  ['v22.1.0', 'ok'],
  ['v20.18.3', 'fail'],
  ['v18.20.0', 'fail'],
])('node %s is %s', (version, state) => expect(nodeCheck(version).state).toBe(state));

test.each([
  ['git version 2.43.0', 'ok'],
  ['git version 2.39.5 (Apple Git-154)', 'ok'],
  ['git version 2.30.2', 'fail'],
  ['boom', 'fail'],
  [{ why: 'no git' }, 'fail'],
])('%s is %s', (said, state) => expect(gitCheck(said).state).toBe(state));

test('a disk under 2 GB is a warning, a full one a fault (UX 5.2)', () => {
  const gigabyte = 1024 ** 3;
  expect(freeCheck(118 * gigabyte)).toMatchObject({ state: 'ok', detail: 'disk 118 GB free' });
  expect(freeCheck(1.9 * gigabyte)).toMatchObject({ state: 'warn', detail: 'disk 1.9 GB free' });
  expect(freeCheck(1_000)).toMatchObject({ state: 'fail', next: 'pawl prune' });
});

test('a store that others may read is closed by the fix alone', async () => {
  const home = mkdtempSync(join(tmpdir(), 'pawl-health-'));
  try {
    expect((await privacyCheck(home)).state).toBe('ok');
    chmodSync(home, 0o755);
    const check = await privacyCheck(home);
    expect(check).toMatchObject({ state: 'fail', detail: 'others may read it (0755)' });
    expect(statSync(home).mode & 0o777).toBe(0o755);
    await check.fix?.run();
    expect((await privacyCheck(home)).state).toBe('ok');
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
});

test('what cannot be asked is unknown, never ok (L-O7)', async () => {
  const home = '/nowhere/at/all';
  expect(await privacyCheck(home)).toMatchObject({ state: 'unknown' });
  const [, git, disk, awake] = await machineChecks({
    nodeVersion: process.version,
    env: { PATH: home },
    wakeLock: { hold: async () => ({ held: false, why: 'there is no systemd-inhibit' }) },
    home,
  });
  expect([git?.state, disk?.state, awake?.state]).toEqual(['fail', 'unknown', 'warn']);
  expect(git?.detail).toBe('no git');
});

test('a git that is there and fails is not taken for none', async () => {
  const home = mkdtempSync(join(tmpdir(), 'pawl-health-'));
  try {
    writeFileSync(join(home, 'git'), '#!/bin/sh\necho boom >&2\nexit 128\n', { mode: 0o755 });
    const [, git] = await machineChecks({
      nodeVersion: process.version,
      env: { PATH: home },
      wakeLock: { hold: async () => ({ held: false, why: 'not asked' }) },
      home,
    });
    expect(git).toMatchObject({ state: 'fail', detail: 'git --version: exit 128: boom' });
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
});

test('commits that do not reach the disk are a fault; an untraced disk is unknown', () => {
  expect(verdict(3)).toMatchObject({
    state: 'ok',
    detail: 'sync proven: 3 fsyncs for 3 commits',
  });
  expect(verdict(0)).toMatchObject({ state: 'fail' });
  expect(verdict(null)).toMatchObject({ state: 'unknown' });
});

test('a probe is counted by what it asks of the disk alone', async () => {
  const home = mkdtempSync(join(tmpdir(), 'pawl-sync-'));
  try {
    // Not a store: a program that syncs a file as often as it is told.
    const script = `const fs = require('node:fs'); fs.mkdirSync(process.argv[1]);
      const fd = fs.openSync(process.argv[1] + '/f', 'w');
      for (let n = 0; n < Number(process.argv[2]); n += 1) fs.fsyncSync(fd);`;
    const probe = (directory: string, n: number) => [
      process.execPath,
      '-e',
      script,
      directory,
      `${n}`,
    ];
    const check = await syncCheck({ probe, home, env: process.env });
    expect(['ok', 'unknown']).toContain(check.state);
    const gone = await syncCheck({ probe, home, env: { PATH: '/nowhere' } });
    expect(gone.state).toBe('unknown');
    expect(readdirSync(home)).toEqual([]);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
});
