/** Goal: a token is told once, kept as a digest, and worth what it was made for (DESIGN 11a). */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Instant } from '../ports/words.ts';
import { diskOperatorTokens, eitherTokens, storeOperatorTokens } from './operator-tokens.ts';

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

function factsIn(kept: Map<string, string>) {
  return {
    fact: async (name: string) => kept.get(name) ?? null,
    facts: async (prefix: string, limit: number) =>
      [...kept]
        .filter(([name]) => name.startsWith(prefix))
        .slice(0, limit)
        .map(([name, value]) => ({ name, value })),
    swapFact: async (name: string, expected: string | null, value: string | null) => {
      if ((kept.get(name) ?? null) !== expected) return false;
      if (value === null) kept.delete(name);
      else kept.set(name, value);
      return true;
    },
  };
}

test('one that a store keeps is known to all who have it open, and its secret is not there', async () => {
  const kept = new Map<string, string>();
  const [here, there] = [storeOperatorTokens(factsIn(kept)), storeOperatorTokens(factsIn(kept))];
  const asked = { by: 'me', scope: ['approve'], forMs: 1_000 } as const;
  const { token, secret } = await here.create({ ...asked, now: at(5_000) });
  expect([...kept.values()].join()).not.toContain(secret.split('_').at(-1));
  expect(await there.check(secret, at(5_999))).toEqual({ ok: true, token });
  expect(await there.list(at(5_999))).toEqual([token]);
  expect(await there.check(secret, at(6_000))).toMatchObject({ ok: false });
  const later = at(6_000 + 31 * 24 * 3_600_000);
  const next = await there.create({ ...asked, now: later });
  expect([...kept.keys()]).toEqual([`operator/token/${next.token.id}`]);
  expect(await here.revoke(next.token.id)).toBe(true);
  expect(await here.revoke(next.token.id)).toBe(false);
  expect(await there.check(next.secret, later)).toMatchObject({ ok: false });
});

test('of two places a token of either is known, and new ones go to the first', async () => {
  const kept = new Map<string, string>();
  const both = eitherTokens(storeOperatorTokens(factsIn(kept)), tokens());
  const old = await made();
  const now = at(5_001);
  const young = await both.create({ by: 'you', scope: [], forMs: 1_000, now });
  expect(kept.size).toBe(1);
  expect((await both.list(now)).map(({ id }) => id)).toEqual([young.token.id, old.token.id]);
  for (const one of [old, young]) {
    expect(await both.check(one.secret, now)).toMatchObject({ ok: true });
    expect(await both.revoke(one.token.id)).toBe(true);
    expect(await both.check(one.secret, now)).toMatchObject({ ok: false });
  }
});
