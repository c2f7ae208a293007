import { expect, test } from 'vitest';
import type { Digest } from '../domain/ids.ts';
import { WorldError } from '../kernel/errors.ts';
import {
  definitionOf,
  definitionOrNull,
  legibleOf,
  snapshotOf,
  verdictOf,
} from './artifact-text.ts';

const digest = (n: number) => `sha256:${String(n).padStart(64, '0')}` as Digest;

function reader(texts: Readonly<Record<string, string>>) {
  const asked: string[] = [];
  const get = (name: Digest) => {
    asked.push(name);
    const text = texts[name];
    return Promise.resolve(text === undefined ? null : new TextEncoder().encode(text));
  };
  return { asked, get };
}

test('a definition is read once from its store, and never taken for that of another one', async () => {
  const one = reader({ [digest(1)]: '{"version":1,"name":"one"}' });
  const other = reader({ [digest(1)]: '{"version":1,"name":"other"}' });
  const first = await snapshotOf(one, digest(1));
  expect(await snapshotOf(one, digest(1))).toBe(first);
  expect(one.asked).toEqual([digest(1)]);
  expect(await definitionOf(other, digest(1))).toMatchObject({ name: 'other' });
});

test('what is not there is looked for again, and what is no definition is none', async () => {
  const there: Record<string, string> = { [digest(2)]: '{"version":2}' };
  const one = reader(there);
  await expect(definitionOf(one, digest(1))).rejects.toMatchObject({ code: 'definition_missing' });
  await expect(definitionOf(one, digest(2))).rejects.toMatchObject({ code: 'definition_missing' });
  there[digest(1)] = '{"version":1}';
  expect(await definitionOf(one, digest(1))).toEqual({ version: 1 });
});

test('what is kept is bounded: what comes over the bound takes the place of the others', async () => {
  const long = (n: number) => `{"version":1,"n":${n},"text":"${'x'.repeat(3_000_000)}"}`;
  const one = reader(Object.fromEntries([1, 2, 3].map((n) => [digest(n), long(n)])));
  for (const n of [1, 2, 3, 3, 1]) await snapshotOf(one, digest(n));
  expect(one.asked).toEqual([1, 2, 3, 1].map(digest));
});

test('what is damaged is as good as gone, and what the disk refuses is not taken for that', async () => {
  const failing = (code: 'artifact_damaged' | 'store_unusable') => ({
    get: () => Promise.reject(new WorldError(code, 'of this test')),
  });
  const damaged = failing('artifact_damaged');
  expect(await definitionOrNull(damaged, digest(1))).toBeNull();
  expect(await verdictOf(damaged, digest(1))).toBeNull();
  expect(await legibleOf(damaged, digest(1))).toBeNull();
  await expect(definitionOf(damaged, digest(1))).rejects.toMatchObject({
    code: 'definition_missing',
  });
  for (const read of [definitionOrNull, verdictOf, legibleOf]) {
    await expect(read(failing('store_unusable'), digest(1))).rejects.toMatchObject({
      code: 'store_unusable',
    });
  }
});
