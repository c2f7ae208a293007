/** Who may take work from elsewhere, as every server of a store knows it. */
import { expect, test } from 'vitest';
import { bench } from '../../test/sim/bench-of-one.ts';
import type { GrantId, Instant } from '../domain/ids.ts';
import { type Enrolment, planeWorkers, standingOf } from './plane-workers.ts';

const enrolment = (id: string, more: Partial<Enrolment> = {}): Enrolment => ({
  ...{ codeDigest: 'code', id, name: 'box', publicKey: 'k', labels: ['gpu'], slots: 2 },
  ...more,
});

function servers() {
  const { engine, pass } = bench();
  const inMs = (ms: number) => (engine.clock.now() + ms) as Instant;
  return { one: planeWorkers(engine), two: planeWorkers(engine), pass, inMs };
}

test('a code enrols one worker, once, at whichever server it comes', async () => {
  const { one, two, inMs } = servers();
  await one.addCode({ digest: 'code', expiresAt: inMs(60_000) });
  const enrolled = await Promise.all([one.enrol(enrolment('w-1')), two.enrol(enrolment('w-2'))]);
  expect(enrolled.filter((worker) => worker !== null)).toHaveLength(1);
  expect(await two.list()).toHaveLength(1);
  expect(await one.enrol(enrolment('w-3'))).toBeNull();
});

test('a code that is not known, or has expired, enrols nobody', async () => {
  const { one, pass, inMs } = servers();
  await one.addCode({ digest: 'code', expiresAt: inMs(60_000) });
  expect(await one.enrol(enrolment('w-1', { codeDigest: 'another' }))).toBeNull();
  pass(60_000);
  expect(await one.enrol(enrolment('w-1'))).toBeNull();
  expect(await one.list()).toEqual([]);
});

test('a worker that was revoked is found by nobody, and an enrolment takes no id of another', async () => {
  const { one, two, inMs } = servers();
  for (const digest of ['code', 'next']) await one.addCode({ digest, expiresAt: inMs(60_000) });
  await one.enrol(enrolment('w-1'));
  expect(await one.enrol(enrolment('w-1', { codeDigest: 'next', publicKey: 'thief' }))).toBeNull();
  expect(await two.find('w-1')).toMatchObject({ publicKey: 'k', slots: 2 });
  expect(await two.revoke('w-1')).toBe(true);
  expect(await one.find('w-1')).toBeNull();
  expect(await one.revoke('w-9')).toBe(false);
  await one.seen('w-1', { labels: [], slots: 8 });
  expect(await one.find('w-1')).toBeNull();
});

test('labels that a worker tells are kept, and that it was seen; keys end with their time', async () => {
  const { one, two, pass, inMs } = servers();
  await one.addCode({ digest: 'code', expiresAt: inMs(60_000) });
  await one.enrol(enrolment('w-1'));
  pass(1_000);
  await one.seen('w-1', { labels: ['gpu', 'fast'], slots: 2 });
  expect(await two.find('w-1')).toMatchObject({ labels: ['gpu', 'fast'], seenAt: inMs(0) });
  const told = { labels: ['gpu', 'fast'], slots: 2, capabilities: ['agent:codex'] };
  await one.seen('w-1', told);
  expect(await two.find('w-1')).toMatchObject(told);
  await one.publishKey({ kid: 'a', publicKey: 'p', until: inMs(10) });
  expect(await two.keys()).toMatchObject([{ kid: 'a', publicKey: 'p' }]);
  pass(10);
  expect(await two.keys()).toEqual([]);
});

test('who was not seen for long and renews no lease is gone; one that is busy asks for nothing', () => {
  const at = (ms: number) => ms as Instant;
  const one = { id: 'w-1', state: 'enrolled', seenAt: at(0) } as const;
  const holder = { worker: 'w-1', bootId: 'b', pid: 1, started: 1 };
  const held = (status: 'RUNNING' | 'UNKNOWN') => [
    { status, lease: { grantId: 'g' as GrantId, holder } },
  ];
  expect(standingOf(one, [], at(69_999))).toBe('enrolled');
  expect(standingOf(one, [], at(70_000))).toBe('gone');
  expect(standingOf(one, held('RUNNING'), at(70_000))).toBe('enrolled');
  expect(standingOf(one, held('UNKNOWN'), at(70_000))).toBe('gone');
  expect(standingOf({ ...one, state: 'revoked' }, [], at(70_000))).toBe('revoked');
});
