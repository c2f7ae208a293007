import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { Holder, JobResult } from '../domain/execution/state.ts';
import type { ExecutionId, GrantId } from '../domain/ids.ts';
import { holderLives, selfHolder } from './identity.ts';
import { readSeal, writeSeal } from './seal.ts';
import { openSpool, ownerOf, recordsIn, spoolPath } from './spool.ts';

const root = mkdtempSync(join(tmpdir(), 'pawl-spool-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const self = selfHolder('here');
const id = (text: string) => text as ExecutionId;
const dead: Holder = { ...self, started: self.started - 1 };

test('a spool is its owner alone, and readable by nobody else', () => {
  const path = spoolPath(root, id('aaaa.1'));
  const spool = openSpool(path, self, holderLives);
  expect(ownerOf(path)).toEqual(self);
  expect(statSync(path).mode & 0o077).toBe(0);
  expect(statSync(spool?.turn ?? '').mode & 0o077).toBe(0);
});

test('a living owner is left alone; one whose pid was reused is dead (L-K5)', () => {
  const path = spoolPath(root, id('aaaa.2'));
  expect(openSpool(path, self, holderLives)).not.toBeNull();
  expect(openSpool(path, { ...self, pid: 1 }, holderLives)).toBeNull();
  const other = spoolPath(root, id('aaaa.3'));
  openSpool(other, dead, holderLives);
  expect(openSpool(other, self, holderLives)).not.toBeNull();
  expect(ownerOf(other)).toEqual(self);
});

test('an owner file that a crash left half-written does not hold the spool for ever (L-K9)', () => {
  const path = spoolPath(root, id('aaaa.4'));
  openSpool(path, dead, holderLives);
  writeFileSync(join(path, 'owner'), '{"boot');
  expect(openSpool(path, self, holderLives)).not.toBeNull();
});

test('of many takers of a dead owner one wins', () => {
  const path = spoolPath(root, id('aaaa.5'));
  openSpool(path, dead, holderLives);
  const takers = Array.from({ length: 20 }, (_, n) => ({ ...self, worker: `w${n}` }));
  const won = takers.filter((taker) => openSpool(path, taker, holderLives) !== null);
  expect(won).toHaveLength(1);
});

test('an id that is not one never becomes a path', () => {
  expect(() => spoolPath(root, id('../../etc.1'))).toThrow();
  expect(() => spoolPath(root, id('a/b.1'))).toThrow();
});

test('a seal reads back with the same digest; damage and another execution are no seal', () => {
  const path = spoolPath(root, id('bbbb.1'));
  openSpool(path, self, holderLives);
  const result: JobResult = {
    kind: 'failed',
    class: 'lane_died',
    detail: '',
    proof: 'kernel',
    commit: null,
    usage: null,
    text: null,
  };
  const grantId = 'g' as GrantId;
  const fields = { version: 1, execution: id('bbbb.1'), grantId, result } as const;
  const sealed = writeSeal(path, { ...fields, lastSeq: 3, sealedAt: 1 });
  expect(readSeal(path, id('bbbb.1'))).toEqual(sealed);
  expect(readSeal(path, id('bbbb.2'))).toBeNull();
  writeFileSync(join(path, 'seal.json'), '{"version":1,"execution":"bbbb.1"');
  expect(readSeal(path, id('bbbb.1'))).toBeNull();
  expect(readSeal(spoolPath(root, id('cccc.1')), id('cccc.1'))).toBeNull();
});

test('containment records are read by their name and shape', () => {
  const path = spoolPath(root, id('dddd.1'));
  openSpool(path, self, holderLives);
  const record = { rung: 'guard', bootId: 'b', execution: 'dddd.1', pid: 5 };
  writeFileSync(join(path, 'containment-5.json'), JSON.stringify(record));
  writeFileSync(join(path, 'containment-6.json'), '{');
  writeFileSync(join(path, 'containment-x.json'), JSON.stringify(record));
  expect(recordsIn(path)).toEqual([record]);
});
