import { createPublicKey, verify } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { sessionPayload } from '../contract/plane.ts';
import { bodyOf } from '../contract/plane-refusals.ts';
import { planeWire } from '../contract/plane-words.ts';
import type { ExecutionId, GrantId } from '../domain/ids.ts';
import { type HeldGrant, httpPlane } from './http-plane.ts';
import type { Fetch } from './node-fetch.ts';
import { planeCaller } from './plane-call.ts';
import { enrol, newWorkerKey, workerSession } from './session.ts';

type Reply = { readonly status?: number; readonly body: unknown } | 'silence';
interface Request {
  readonly path: string;
  readonly body: Record<string, unknown>;
  readonly token: string | null;
}

/** A server of one answer after the other, and what it was asked. */
function scripted(...replies: readonly Reply[]) {
  const asked: Request[] = [];
  const left = [...replies];
  const fetching: Fetch = async (url, init) => {
    const token = new Headers(init?.headers).get('authorization');
    asked.push({ path: new URL(`${url}`).pathname, body: JSON.parse(`${init?.body}`), token });
    const reply = left.shift() ?? 'silence';
    if (reply === 'silence') throw new TypeError('fetch failed');
    return new Response(JSON.stringify(reply.body), { status: reply.status ?? 200 });
  };
  let now = 0;
  const clock = { monotonicMs: () => now, sleep: async () => {} };
  const caller = planeCaller({
    ...{ servers: ['http://here'] as const, clock, ids: { fraction: () => 0.5 }, fetch: fetching },
  });
  return { asked, caller, clock, pass: (ms: number) => (now += ms) };
}

const key = newWorkerKey();
const seals = { attest: () => 'signed' };
const challenge = { body: { ok: true, challenge: 'c1' } };
const session = (token: string) => ({ body: { ok: true, token, expiresInMs: 100 } });
const holder = { worker: 'w-abcd', bootId: 'boot', pid: 7, started: 1 };
const held: HeldGrant = {
  token: 't1',
  claim: { execution: 'run1.1' as ExecutionId, holder, nonce: 'n1' },
  binding: {
    ...{ run: 'run1', dispatch: 'run1.1:5', execution: 'run1.1', job: 'execute', attempt: 1 },
    ...{ implementation: 'fixer@demo/-', fence: 1, grantId: 'g' },
  },
};
const granted = { execution: 'run1.1' as ExecutionId, grantId: 'g' as GrantId };

function planeOf(here: ReturnType<typeof scripted>) {
  const { caller, clock } = here;
  const own = workerSession({ caller, clock, worker: 'w-abcd', bootId: 'boot', key });
  const plane = httpPlane({ caller, session: own, seals });
  plane.hold(held);
  return { plane, own };
}

test('a worker proves itself by its key, once for many calls (XP-12)', async () => {
  const here = scripted(challenge, session('s1'), challenge, session('s2'));
  const { own } = planeOf(here);
  expect([await own.token(), await own.token()]).toEqual(['s1', 's1']);
  const { signature } = here.asked[1]?.body ?? {};
  const payload = sessionPayload({ worker: 'w-abcd', bootId: 'boot', challenge: 'c1' });
  const publicKey = createPublicKey({
    ...{ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x: key.publicKey } },
  });
  const bytes = Buffer.from(`${signature}`, 'base64url');
  expect(verify(null, Buffer.from(payload), publicKey, bytes)).toBe(true);
  here.pass(90);
  expect(await own.token()).toBe('s2');
});

test('an enrolment that is refused says so, with the code of the refusal', async () => {
  const here = scripted({ status: 401, body: bodyOf('code.invalid') });
  const asked = { code: 'x', name: 'n', labels: [], slots: 1 };
  const enrolling = enrol(here.caller, key, asked);
  await expect(enrolling).rejects.toMatchObject({
    message: expect.stringContaining('code.invalid'),
    details: { next: expect.stringContaining('pawl worker enroll') },
  });
});

test('who was revoked, or is known to another store, is told so by every question (XP-12)', async () => {
  const unknown = { status: 401, body: bodyOf('worker.unknown') } as const;
  const wanted = { labels: [], capabilities: [], slots: 1, free: 1, waitMs: 0 };
  for (const replies of [
    [challenge, unknown],
    [challenge, session('s1'), unknown],
  ]) {
    const asking = planeOf(scripted(...replies)).plane.offer(wanted);
    await expect(asking).rejects.toMatchObject({ code: 'not_enrolled' });
  }
});

test('silence is no refusal: what is the same again is said again, bounded (XP-15)', async () => {
  const ok = { body: { ok: true } };
  const here = scripted('silence', { status: 503, body: bodyOf('plane.busy') }, ok);
  const start = { ...granted, rung: 'x', pid: 7 };
  expect(await planeOf(here).plane.start(start)).toEqual({ ok: true });
  expect(here.asked).toHaveLength(3);
  await expect(planeOf(here).plane.start(start)).rejects.toThrow('no answer');
  expect(here.asked).toHaveLength(7);
});

test('a secret is waited for as long as its command may take, and asked for once (XP-15)', async () => {
  let asked = 0;
  const slow: Fetch = async (_, init) => {
    asked += 1;
    // Long past what another call waits; a deadline that comes first is the end of it.
    await sleep(200, undefined, { signal: init?.signal ?? undefined });
    return new Response(JSON.stringify({ ok: true, value: 'v' }));
  };
  const { clock } = scripted();
  const means = {
    servers: ['http://here'] as const,
    clock,
    ids: { fraction: () => 0.5 },
    callMs: 20,
  };
  const { plane } = planeOf({ ...scripted(), caller: planeCaller({ ...means, fetch: slow }) });
  expect(await plane.credential({ ...granted, name: 'A' })).toBe('v');
  expect(asked).toBe(1);
});

test.each([
  ['DEPTH_ZERO_SELF_SIGNED_CERT', /not trusted here/, /NODE_EXTRA_CA_CERTS/],
  ['ERR_TLS_CERT_ALTNAME_INVALID', /another name/, /a name that its certificate has/],
  ['EPROTO', /no TLS/, /http:/],
  ['ECONNREFUSED', /^no answer from http:..here$/, undefined],
])('why nobody answered is told: %s', async (code, message, next) => {
  const failing: Fetch = async () => {
    throw new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) });
  };
  const { clock } = scripted();
  const means = {
    servers: ['http://here'] as const,
    clock,
    ids: { fraction: () => 0.5 },
    fetch: failing,
  };
  const asking = planeCaller(means).call('challenge', { wire: planeWire, worker: 'w-abcd' });
  await expect(asking).rejects.toMatchObject({
    ...{ code: 'plane_unreachable', message: expect.stringMatching(message) },
    details: {
      found: code,
      ...(next === undefined ? {} : { next: expect.stringMatching(next) }),
    },
  });
});

test('of several servers the next is asked where one does not answer, until that one does not', async () => {
  const asked: string[] = [];
  const gone = new Set(['a']);
  const answering: typeof fetch = async (url) => {
    const { hostname } = new URL(`${url}`);
    asked.push(hostname);
    if (gone.has(hostname)) throw new TypeError('fetch failed');
    return new Response(JSON.stringify({ ok: true, challenge: 'c1' }));
  };
  const { clock } = scripted();
  const servers = ['http://a', 'http://b/'] as const;
  const caller = planeCaller({ servers, clock, ids: { fraction: () => 0.5 }, fetch: answering });
  const ask = (tries: number) =>
    caller.call('challenge', { wire: planeWire, worker: 'w-abcd' }, { tries });
  expect(await ask(2)).toMatchObject({ ok: true });
  expect(await ask(1)).toMatchObject({ ok: true });
  gone.add('b').delete('a');
  await expect(ask(1)).rejects.toMatchObject({ message: 'no answer from http://b/' });
  expect(await ask(1)).toMatchObject({ ok: true });
  expect(asked).toEqual(['a', 'b', 'b', 'b', 'a']);
});

test('a refusal is final, and a beat is not said again by itself (XP-10)', async () => {
  const here = scripted({ status: 409, body: bodyOf('grant.stale') }, 'silence');
  const { plane } = planeOf(here);
  const beat = { ...granted, beat: 1, signals: '{}', usage: null };
  expect(await plane.heartbeat(beat)).toEqual({ ok: false, reason: 'grant.stale' });
  await expect(plane.heartbeat(beat)).rejects.toMatchObject({ code: 'plane_unreachable' });
  expect(here.asked).toHaveLength(2);
});

test('a beat brings the token of the next message', async () => {
  const renewed = { ok: true, cancel: true, pause: false, token: 't2', tokenExpiresInMs: 9, at: 7 };
  const here = scripted({ body: renewed }, { body: { ok: true } });
  const { plane } = planeOf(here);
  const beat = { ...granted, beat: 1, signals: '{}', usage: null };
  expect(await plane.heartbeat(beat)).toEqual({ ok: true, cancel: true, pause: false });
  await plane.cancelAck({ ...granted, proof: 'kernel' });
  expect(here.asked.map(({ token }) => token)).toEqual(['Bearer t1', 'Bearer t2']);
  expect(plane.held(granted.execution)?.token).toBe('t2');
});

test('a beat that is answered tells what time it is for the server (D-39)', async () => {
  const renewed = { ok: true, cancel: false, pause: false, token: 't2', tokenExpiresInMs: 9 };
  const here = scripted({ body: { ...renewed, at: 700_000 } }, 'silence');
  const { caller, clock } = here;
  const told: unknown[] = [];
  const session = workerSession({ caller, clock, worker: 'w-abcd', bootId: 'boot', key });
  const time = { monotonicMs: clock.monotonicMs, heard: (one: unknown) => told.push(one) };
  const plane = httpPlane({ caller, session, seals, time });
  plane.hold(held);
  here.pass(40);
  const beat = { ...granted, beat: 1, signals: '{}', usage: null };
  await plane.heartbeat(beat);
  await expect(plane.heartbeat(beat)).rejects.toThrow('no answer');
  expect(told).toEqual([{ at: 700_000, sentMs: 40, heardMs: 40 }]);
});

test('what is not of the contract is not believed, and no grant is none', async () => {
  const here = scripted({ body: { ok: true, more: 1 } });
  const { plane } = planeOf(here);
  const ack = { ...granted, proof: 'kernel' } as const;
  await expect(plane.cancelAck(ack)).rejects.toMatchObject({ code: 'plane_refused' });
  const other = { ...ack, execution: 'run1.2' as ExecutionId };
  expect(await plane.cancelAck(other)).toEqual({ ok: false, reason: 'grant.stale' });
});

test('an artifact is put with its digest and its kind', async () => {
  const here = scripted({ body: {} });
  const { plane } = planeOf(here);
  const digest = await plane.artifacts(granted).put('{}', 'journal');
  expect(here.asked[0]?.path).toBe(`/plane/v1/artifacts/${digest}`);
});
