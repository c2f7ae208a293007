/** Goal: what is too old, too full or open to others is said; what cannot be told is unknown (L-O7). */
import { chmodSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { freeCheck, gitCheck, machineChecks, nodeCheck, privacyCheck } from './health.ts';

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
  [null, 'fail'],
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
    platform: 'freebsd',
    nodeVersion: process.version,
    env: { PATH: home },
    finds: () => true,
    home,
  });
  expect([git?.state, disk?.state, awake?.state]).toEqual(['fail', 'unknown', 'warn']);
});
