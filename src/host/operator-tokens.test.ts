/** Goal: a token is told once, kept as a digest, and worth what it was made for (DESIGN 11a). */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Instant } from '../ports/words.ts';
import { diskOperatorTokens } from './operator-tokens.ts';

let home = '';
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'pawl-operator-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const at = (ms: number) => ms as Instant;
const directory = () => join(home, 'operator');
const tokens = () => diskOperatorTokens({ directory: directory() });
const made = () =>
  tokens().create({ by: 'me', scope: ['approve', 'land'], forMs: 1_000, now: at(5_000) });

test('the secret is nowhere on the disk, and nobody else may read the rest', async () => {
  const { token, secret } = await made();
  const path = join(directory(), `${token.id}.json`);
  expect(readFileSync(path, 'utf8')).not.toContain(secret.split('_').at(-1));
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(statSync(directory()).mode & 0o777).toBe(0o700);
  expect(readdirSync(directory())).toEqual([`${token.id}.json`]);
});

test('it is worth its scope until it expires or is revoked', async () => {
  const { token, secret } = await made();
  expect(await tokens().check(secret, at(5_999))).toEqual({ ok: true, token });
  expect(token).toMatchObject({ by: 'me', scope: ['approve', 'land'], expiresAt: 6_000 });
  expect(await tokens().check(secret, at(6_000))).toEqual({
    ok: false,
    why: 'it expired at 1970-01-01T00:00:06.000Z',
  });
  expect(await tokens().revoke(token.id)).toBe(true);
  expect(await tokens().revoke(token.id)).toBe(false);
  expect(await tokens().check(secret, at(5_999))).toMatchObject({ ok: false });
});

test('another secret, another form and a path as an id open nothing', async () => {
  const { token, secret } = await made();
  for (const given of [
    `${secret.slice(0, -1)}${secret.endsWith('A') ? 'B' : 'A'}`,
    `pawl_op_../../etc/pw_${'a'.repeat(43)}`,
    token.id,
    '',
  ]) {
    expect(await tokens().check(given, at(5_001))).toMatchObject({ ok: false });
  }
  expect(await tokens().revoke('../../x')).toBe(false);
});

test('a file that was tampered with opens nothing, and a verb that is none is none', async () => {
  const { token, secret } = await made();
  const path = join(directory(), `${token.id}.json`);
  const kept: Record<string, unknown> = JSON.parse(readFileSync(path, 'utf8'));
  writeFileSync(path, JSON.stringify({ ...kept, scope: ['everything'] }));
  expect(await tokens().check(secret, at(5_001))).toMatchObject({ token: { scope: [] } });
  writeFileSync(path, '{');
  expect(await tokens().check(secret, at(5_001))).toMatchObject({ ok: false });
});

test('those that have not expired are listed, the newest first', async () => {
  expect(await tokens().list(at(0))).toEqual([]);
  const first = await made();
  const second = await tokens().create({ by: 'me', scope: [], forMs: 9_000, now: at(5_500) });
  const ids = async (now: number) => (await tokens().list(at(now))).map(({ id }) => id);
  expect(await ids(5_900)).toEqual([second.token.id, first.token.id]);
  expect(await ids(6_000)).toEqual([second.token.id]);
});
