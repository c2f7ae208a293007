/**
 * Goal: two servers of one database whose machines' clocks are twenty minutes apart are one server
 * to a worker and to a run.
 * Method: the shipped store over real PostgreSQL, opened twice, each with a wall clock of its own.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from 'vitest';
import type { Instant } from '../../src/domain/ids.ts';
import { planeWorkers } from '../../src/engine/plane-workers.ts';
import { type PlaneTokens, planeTokens } from '../../src/http/plane/tokens.ts';
import { operatorTokens } from '../../src/main/operator.ts';
import type { Surroundings } from '../../src/main/surroundings.ts';
import { openPostgres, type Postgres } from '../../src/store/postgres/postgres-store.ts';
import { emptyStore } from '../support/postgres.ts';
import { command, decideTest, runId } from './deciding.ts';
import { wallClock } from './opened.ts';

const minutes = 60_000;
const ttlMs = 30_000;

interface Replica extends Pick<Postgres, 'store' | 'clock'> {
  readonly tokens: PlaneTokens;
}

let url: string;
let ahead: Replica;
let behind: Replica;

beforeAll(async () => {
  url = await emptyStore(inject('postgres'));
  ahead = await replica(url, 10 * minutes);
  behind = await replica(url, -10 * minutes);
});
afterAll(async () => {
  await ahead.store.close();
  await behind.store.close();
});

async function replica(url: string, byMs: number): Promise<Replica> {
  const now = () => (wallClock.now() + byMs) as Instant;
  const { store, clock } = await openPostgres({ url, clock: { ...wallClock, now } });
  const nonce = () => `${byMs < 0 ? 'b' : 'a'}${Math.random()}`;
  return {
    store,
    clock,
    tokens: planeTokens({ clock, keys: planeWorkers({ store, clock }), nonce }),
  };
}

test('each proves what the other signed, and what has expired for one has for both (D-39, XP-13)', async () => {
  const who = { worker: 'w-1234', bootId: 'b' };
  const binding = { execution: 'abcd.1' } as never;
  for (const [signing, proving] of [
    [ahead, behind],
    [behind, ahead],
  ] as const) {
    const challenge = await signing.tokens.challenge('w-1234');
    expect(await proving.tokens.proveChallenge(challenge)).toMatchObject({ ok: true });
    const { token } = await signing.tokens.worker(who);
    expect(await proving.tokens.proveWorker(token)).toMatchObject({ ok: true, claims: who });
    const held = await signing.tokens.execution({ ...who, binding }, ttlMs);
    expect(await proving.tokens.proveExecution(held.token)).toMatchObject({ ok: true });
    const over = await signing.tokens.execution({ ...who, binding }, -1_000);
    const expired = { ok: false, code: 'token.expired' };
    expect(await proving.tokens.proveExecution(over.token)).toEqual(expired);
  }
});

test('a code of one enrols at the other (D-39)', async () => {
  const enrolment = { id: 'w-1', name: 'box', publicKey: 'x'.repeat(43), labels: [], slots: 1 };
  for (const [giving, taking, digest] of [
    [behind, ahead, 'a'],
    [ahead, behind, 'b'],
  ] as const) {
    const expiresAt = (giving.clock.now() + minutes) as Instant;
    await planeWorkers({ store: giving.store, clock: giving.clock }).addCode({
      digest,
      expiresAt,
    });
    const workers = planeWorkers({ store: taking.store, clock: taking.clock });
    const enrolled = await workers.enrol({ codeDigest: digest, ...enrolment, id: `w-${digest}` });
    expect(enrolled).not.toBeNull();
  }
});

test('what one offers is the other’s as soon as the offer has lapsed, and not before (D-39, D-40)', async () => {
  const run = runId('skewed');
  await ahead.store.transact(
    [command(run, { type: 'start' }), command(run, { type: 'dispatch' })],
    decideTest,
  );
  const id = `${run}.1` as Parameters<Postgres['store']['offer']>[0];
  const offer = ({ store, clock }: Replica, forMs: number) => {
    const now = clock.now();
    return store.offer(id, now, (now + forMs) as Instant);
  };
  expect(await offer(behind, minutes)).toBe(true);
  expect(await offer(ahead, 0)).toBe(false);
  const seenBy = async ({ store }: Replica, at: Instant) =>
    (await store.dispatchable(at, 10)).map((row) => row.id);
  expect(await seenBy(ahead, ahead.clock.now())).toEqual([]);
  expect(await seenBy(ahead, (behind.clock.now() + minutes) as Instant)).toEqual([id]);
});

test('an operator token is dated by the database, whatever its maker takes for now (RR-9)', async () => {
  const home = mkdtempSync(join(tmpdir(), 'pawl-skew-'));
  onTestFinished(() => rmSync(home, { recursive: true }));
  const tokens = operatorTokens({ home, database: url, env: {} } as unknown as Surroundings);
  const wrong = (wallClock.now() - 10 * minutes) as Instant;
  const asked = { by: 'me', scope: ['approve'], forMs: 5 * minutes, now: wrong } as const;
  const { token, secret } = await tokens.create(asked);
  expect(token.createdAt).toBeGreaterThan(wrong + 5 * minutes);
  expect(await tokens.check(secret, (wrong + 20 * minutes) as Instant)).toMatchObject({ ok: true });
  expect(await tokens.list(wrong)).toHaveLength(1);
});
