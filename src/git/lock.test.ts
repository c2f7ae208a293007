import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { temporary } from '../../test/support/repositories.ts';
import { isLocked, tryLock, waitFor, withLock } from './lock.ts';
import { lives, self } from './owner.ts';

function place(): string {
  const { path, remove } = temporary();
  onTestFinished(remove);
  return join(path, 'locks/x.lock');
}

test('one holder at a time; the release frees it and leaves nothing', async () => {
  const path = place();
  const held = await tryLock(path);
  expect(await tryLock(path)).toBeNull();
  expect(await isLocked(path)).toBe(true);
  await held?.release();
  expect(await isLocked(path)).toBe(false);
  const again = await tryLock(path);
  await held?.release();
  expect(await isLocked(path), 'a late release of an old holder takes nothing').toBe(true);
  await again?.release();
  expect(readdirSync(join(path, '..'))).toEqual([]);
});

test.each([
  ['another boot', { boot: 'another' }],
  ['a pid that was used again', { started: 1 }],
  ['pid 1 of an earlier start', { pid: 1, started: 1 }],
])('a lock of %s is taken over, by exactly one (L-K5)', async (_what, dead) => {
  const path = place();
  mkdirSync(join(path, '..'));
  writeFileSync(path, JSON.stringify({ ...self(), nonce: 'x', ...dead }));
  const takers = await Promise.all(Array.from({ length: 20 }, () => tryLock(path)));
  expect(takers.filter((held) => held !== null).length).toBeLessThanOrEqual(1);
  const held = takers.find((taker) => taker !== null) ?? (await tryLock(path));
  expect(held).not.toBeNull();
  expect(await tryLock(path)).toBeNull();
});

test('a lock cut short by a power loss, and an orphaned takeover, block nobody (L-K9)', async () => {
  const path = place();
  mkdirSync(join(path, '..'));
  writeFileSync(path, '');
  writeFileSync(`${path}.takeover`, JSON.stringify({ ...self(), nonce: 'x', boot: 'another' }));
  const held = await waitFor(() => tryLock(path), { waitMs: 5000 });
  expect(held).not.toBeNull();
  expect(existsSync(`${path}.takeover`)).toBe(false);
});

test('a lock of a living process is kept however old it is; the wait is bounded and named', async () => {
  const path = place();
  const held = await tryLock(path);
  const work = withLock(path, { waitMs: 30 }, () => Promise.resolve('in'));
  await expect(work).rejects.toMatchObject({ code: 'workspace_busy' });
  await held?.release();
  expect(await withLock(path, { waitMs: 30 }, () => Promise.resolve('in'))).toBe('in');
  const failing = withLock(path, { waitMs: 30 }, () => Promise.reject(new Error('broke')));
  await expect(failing).rejects.toThrow('broke');
  expect(await isLocked(path)).toBe(false);
});

test('fifty at once take turns', async () => {
  const path = place();
  let inside = 0;
  let most = 0;
  await Promise.all(
    Array.from({ length: 50 }, () =>
      withLock(path, { waitMs: 60_000 }, async () => {
        inside += 1;
        most = Math.max(most, inside);
        await new Promise(setImmediate);
        inside -= 1;
      }),
    ),
  );
  expect(most).toBe(1);
}, 60_000);

test('this process lives; the same pid with another start does not', () => {
  const me = self();
  expect(lives(me)).toBe(true);
  expect(lives({ ...me, started: me.started + 1 })).toBe(me.started === 0);
  expect(lives({ ...me, boot: 'another' })).toBe(false);
});
