/**
 * What a forger, a thief and a replay get of the worker plane: a refusal with its code, kept, and
 * nothing moved. Prints its table.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { planeHeaders, planePrefix } from '../../src/contract/plane.ts';
import { limits, planeWire } from '../../src/contract/plane-words.ts';
import type { ExecutionId, GrantId, RunId } from '../../src/domain/ids.ts';
import { driverPrincipal } from '../../src/engine/command.ts';
import { sealAttestor } from '../../src/verify/seal-attestor.ts';
import { type Signer, signerOf } from '../../src/verify/signer.ts';
import type { HeldGrant } from '../../src/worker/http-plane.ts';
import { prepared, sealOf } from '../sim/bench-of-one.ts';
import {
  claimed,
  executionOf,
  type PlaneServer,
  planeServer,
  type RemoteWorker,
  startedRun,
  ttlMs,
} from '../support/plane-server.ts';

let server: PlaneServer;
let worker: RemoteWorker;
let run: RunId;
let held: HeldGrant;
const table: string[] = [];

beforeAll(async () => {
  server = await planeServer();
  worker = await server.worker({ slots: 16 });
});
afterAll(async () => {
  process.stdout.write(
    `${['forged                          answer  code', ...table].join('\n')}\n`,
  );
  await server.close();
});

async function grantOf(of: RunId, n = 1): Promise<HeldGrant> {
  const { granted } = await claimed(worker.plane, worker.id, executionOf(of, n));
  const grant = worker.plane.held(granted.execution);
  if (grant === null) throw new Error('no grant');
  return grant;
}

interface Forged {
  readonly token?: string | null;
  readonly message?: object;
  readonly verb?: string;
}

async function say({ token = held.token, message = {}, verb = 'start' }: Forged) {
  const start = { wire: planeWire, binding: held.binding, rung: 'x', pid: 7 };
  const response = await fetch(`${server.url}${planePrefix}/${verb}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify({ ...start, ...message }),
  });
  return { status: response.status, body: (await response.json()) as { readonly code?: string } };
}

async function state() {
  const { engine, client } = server.here;
  const events = await client.events(run, 0, 1_000);
  const row = await engine.store.execution(held.binding.execution as ExecutionId);
  return JSON.stringify([events, row]);
}

async function kept(): Promise<readonly string[]> {
  const rows = await server.here.engine.store.evidence(held.binding.execution as ExecutionId);
  return rows.map(({ reason }) => reason);
}

const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
const withHeader = (token: string, header: object, signature?: string): string => {
  const [, payload, own] = token.split('.');
  return [encoded(header), payload, signature ?? own].join('.');
};

async function refused(name: string, forged: () => Promise<Awaited<ReturnType<typeof say>>>) {
  const before = await state();
  const count = (await kept()).length;
  const { status, body } = await forged();
  table.push(`${name.padEnd(32)}${String(status).padEnd(8)}${body.code ?? ''}`);
  expect(await state()).toBe(before);
  const evidence = await kept();
  expect(evidence).toHaveLength(count + 1);
  expect(evidence.at(-1)).toBe(body.code);
  return body.code;
}

test('whoever forges, steals or repeats is refused, kept, and moves nothing (XP-12…XP-14, D-32)', async () => {
  run = await startedRun(server);
  const other = await grantOf(await startedRun(server));
  held = await grantOf(run);
  const session = await server.tokens.worker({ worker: worker.id, bootId: 'boot-1' });
  const [header = ''] = held.token.split('.');
  const { kid } = JSON.parse(Buffer.from(header, 'base64url').toString('utf8'));
  const none = withHeader(held.token, { alg: 'none', kid }, '');
  const symmetric = withHeader(held.token, { alg: 'HS256', kid });
  const odd = withHeader(held.token, { alg: 'EdDSA', kid: 'unknown' });
  const codes = [
    await refused('no token', () => say({ token: null })),
    await refused('a token of a worker', () => say({ token: session.token })),
    await refused('algorithm none', () => say({ token: none })),
    await refused('algorithm HS256', () => say({ token: symmetric })),
    await refused('an unknown key', () => say({ token: odd })),
    await refused("another execution's token", () => say({ token: other.token })),
    await refused('another fence', () =>
      say({ message: { binding: { ...held.binding, fence: 99 } } }),
    ),
    await refused('another grant', () =>
      say({ message: { binding: { ...held.binding, grantId: 'g' } } }),
    ),
    await refused('a key nobody knows', () => say({ message: { more: 1 } })),
    await refused('another wire', () => say({ message: { wire: 2 } })),
  ];
  expect(codes).toEqual([
    ...['token.missing', 'token.invalid', 'token.invalid', 'token.invalid', 'token.invalid'],
    ...['token.other', 'token.other', 'token.other', 'message.invalid', 'wire.unsupported'],
  ]);
});

async function ask(digest: string, { token, binding }: HeldGrant = held) {
  const response = await fetch(`${server.url}${planePrefix}/artifacts/${digest}`, {
    headers: {
      ...{ authorization: `Bearer ${token}`, [planeHeaders.wire]: String(planeWire) },
      [planeHeaders.execution]: binding.execution,
      [planeHeaders.grant]: binding.grantId,
    },
  });
  const isBytes = response.status === 200;
  return {
    status: response.status,
    body: (isBytes ? {} : await response.json()) as { readonly code?: string },
  };
}

test('artifacts are had of the own run alone; others are answered like none (XP-16, XP-18)', async () => {
  run = await startedRun(server);
  held = await grantOf(run);
  const { artifacts, store } = server.here.engine;
  const own = (await store.loadRun(run))?.aggregate.run;
  if (own === undefined || own.status === 'unborn') throw new Error('no run');
  expect((await ask(own.definition)).status).toBe(200);
  const foreign = await artifacts.put('the output of another run', 'output');
  const another = await grantOf(await startedRun(server));
  const theirs = await worker.plane
    .artifacts({
      execution: another.binding.execution as ExecutionId,
      grantId: another.binding.grantId as GrantId,
    })
    .put('put by another execution', 'output');
  expect((await ask(theirs, another)).status).toBe(200);
  const codes = [
    await refused('a digest of nobody', () => ask(foreign)),
    await refused("another run's artifact", () => ask(theirs)),
    await refused('a digest of nothing', () => ask(`sha256:${'0'.repeat(64)}`)),
    await refused('a tampered digest', () => ask(`${own.definition.slice(0, -1)}g`)),
  ];
  const unknown = 'artifact.unknown';
  expect(codes).toEqual([unknown, unknown, unknown, 'message.invalid']);
  const rows = await store.evidence(held.binding.execution as ExecutionId);
  expect(rows.slice(0, 2).map(({ digest }) => digest)).toEqual([foreign, theirs]);
});

test('repeated, reordered and expired messages move nothing (XP-11, XP-14, XP-15)', async () => {
  run = await startedRun(server);
  held = await grantOf(run);
  const beat = { rung: undefined, pid: undefined, beat: 5, signals: '{}', usage: null };
  expect((await say({ verb: 'heartbeat', message: beat })).status).toBe(200);
  const replay = () => say({ verb: 'heartbeat', message: beat });
  expect(await refused('a beat again', replay)).toBe('beat.replayed');
  const ack = { rung: undefined, pid: undefined, proof: 'kernel' };
  const early = await say({ verb: 'cancel-ack', message: ack });
  expect(early.body.code).toBe('execution.not_open');
  table.push(`${'out of order'.padEnd(32)}${String(early.status).padEnd(8)}${early.body.code}`);
  server.here.pass(2 * ttlMs + 1_000);
  expect(await refused('an expired token', () => say({}))).toBe('token.expired');
});

test('whoever holds the lease comes back after any time; nobody else does with what he kept (XP-9, XP-22)', async () => {
  run = await startedRun(server);
  held = await grantOf(run);
  const { execution, grantId } = held.binding;
  const granted = { execution: execution as ExecutionId, grantId: grantId as GrantId };
  const start = { ...granted, rung: 'x', pid: 7 };
  server.here.pass(2 * ttlMs + 1_000);
  const thief = await server.worker();
  thief.plane.hold(held);
  expect(await thief.plane.start(start)).toEqual({ ok: false, reason: 'token.expired' });
  const artifact = () => thief.plane.artifacts(granted).put('x', 'note');
  await expect(artifact()).rejects.toMatchObject({ details: { found: 'token.expired' } });
  expect(await worker.plane.start(start)).toEqual({ ok: true });
  server.here.pass(2 * ttlMs + 1_000);
  const digest = await worker.plane.artifacts(granted).put('{}', 'note');
  expect(await server.here.artifacts.get(digest)).not.toBeNull();
  const { token: last, ...same } = held;
  const now = worker.plane.held(granted.execution);
  expect(now).toMatchObject(same);
  expect(now?.token).not.toBe(last);
});

test('an old grant is refused by the row, whatever its token says (XP-11, D-30)', async () => {
  run = await startedRun(server);
  held = await grantOf(run);
  const { engine } = server.here;
  const at = engine.clock.now();
  const principal = driverPrincipal;
  const lost = { type: 'lose', class: 'lane_died', proof: 'kernel', detail: 'gone', at } as const;
  const execution = held.binding.execution as ExecutionId;
  await engine.issue({
    ...{ kind: 'execution', run, execution, at, actor: 'driver', principal, command: lost },
  });
  expect(await refused('an old grant', () => say({}))).toBe('grant.stale');
  const seal = { rung: undefined, pid: undefined, seal: sealOf('a'), result: prepared };
  const late = () => say({ verb: 'result', message: seal });
  expect(await refused('a late result', late)).toBe('grant.stale');
  const bare = { rung: undefined, pid: undefined };
  const quiet = {
    events: { ...bare, from: 1, rows: [{ at: 0, kind: 'said', text: 'x' }] },
    credential: { ...bare, name: 'KEY' },
    'budget-reserve': { ...bare, costUsd: 0, tokens: 0 },
  };
  for (const [verb, message] of Object.entries(quiet)) {
    expect(await refused(`${verb}, late`, () => say({ verb, message }))).toBe('grant.stale');
  }
  // Nor has anybody of a new execution the fence alone: the row of its lease is asked.
  expect(await server.here.engine.store.execution(execution)).toMatchObject({ lease: null });
});

test('a token is good for its own audience alone, though the same server signed it (XP-12, XP-13)', async () => {
  run = await startedRun(server);
  held = await grantOf(run);
  const { tokens } = server;
  const session = (await tokens.worker({ worker: worker.id, bootId: 'boot-1' })).token;
  const challenge = await tokens.challenge(worker.id);
  const proofs = { proveChallenge: challenge, proveWorker: session, proveExecution: held.token };
  const names = Object.keys(proofs) as readonly (keyof typeof proofs)[];
  for (const prove of names) {
    for (const of of names) {
      const proof = await tokens[prove](proofs[of]);
      expect(proof.ok, `${prove} of what is for ${of}`).toBe(prove === of);
    }
  }
  const offer = { labels: [], capabilities: [], slots: 1, free: 1, waitMs: 0 };
  const message = { binding: undefined, rung: undefined, pid: undefined, ...offer };
  expect((await say({ verb: 'offer', message })).body.code).toBe('token.invalid');
  expect((await say({ verb: 'offer', message, token: session })).status).toBe(200);
});

test('a seal that its own worker has not signed is refused, whoever hands it in (XP-14, XP-16…XP-18)', async () => {
  run = await startedRun(server);
  held = await grantOf(run);
  const execution = held.binding.execution as ExecutionId;
  const message = { execution, grantId: held.binding.grantId as GrantId, seal: sealOf('a') };
  const sealed = { ...message, result: prepared };
  const { clock } = server.here.engine;
  const own = { ...signerOf(worker.key.privateKey), worker: worker.id };
  const by = (signer: Signer, of = sealed) => sealAttestor(signer, clock).attest(of);
  const handIn = (attestation: string | undefined) => () =>
    say({
      verb: 'result',
      message: {
        rung: undefined,
        pid: undefined,
        seal: sealed.seal,
        result: prepared,
        attestation,
      },
    });
  const other = await server.worker();
  const thief = { ...signerOf(other.key.privateKey), worker: worker.id };
  const codes = [
    await refused('a seal without a statement', handIn(undefined)),
    await refused('a statement of another key', handIn(by(thief))),
    await refused('a statement of another seal', handIn(by(own, { ...sealed, seal: sealOf('b') }))),
    await refused(
      'a statement of another result',
      handIn(by(own, { ...sealed, result: { ...prepared, summary: 'all pass' } })),
    ),
  ];
  expect(codes).toEqual(Array.from({ length: 4 }, () => 'seal.unattested'));
  const signed = by(own);
  expect((await handIn(signed)()).status).toBe(200);
  // The same again is acknowledged again.
  expect((await handIn(signed)()).status).toBe(200);
  const events = await server.here.client.events(run, 0, 1_000);
  const ended = events.flatMap(({ event }) =>
    event.type === 'execution.succeeded' ? [event] : [],
  );
  const [{ attestation } = { attestation: undefined }] = ended;
  expect(ended).toHaveLength(1);
  const bytes = await server.here.artifacts.get(attestation ?? sealed.seal);
  expect(Buffer.from(bytes ?? []).toString('utf8')).toBe(signed);
});

test('tampered, oversized and foreign artifacts leave nothing (XP-14, XP-16)', async () => {
  run = await startedRun(server);
  held = await grantOf(run);
  const digest = sealOf('whole');
  const put =
    (body: Uint8Array, kind = 'journal', token = held.token) =>
    async () => {
      const response = await fetch(`${server.url}${planePrefix}/artifacts/${digest}`, {
        method: 'PUT',
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/octet-stream',
          [planeHeaders.wire]: String(planeWire),
          [planeHeaders.execution]: held.binding.execution,
          [planeHeaders.grant]: held.binding.grantId,
          [planeHeaders.kind]: kind,
        },
        body: Buffer.from(body),
      });
      return { status: response.status, body: (await response.json()) as { code?: string } };
    };
  const whole = Buffer.from('whole');
  expect(await refused('tampered bytes', put(Buffer.from('part')))).toBe('artifact.mismatch');
  expect(await refused('a kind of the engine', put(whole, 'definition'))).toBe('message.invalid');
  const large = new Uint8Array(limits.artifactBytes + 1);
  expect(await refused('an oversized bundle', put(large, 'bundle'))).toBe('message.too_large');
  // Whoever cannot prove himself is refused before a byte of it is read.
  const strange = put(large, 'bundle', 'strange');
  expect(await refused('the same of a stranger', strange)).toBe('token.invalid');
  expect(await server.here.artifacts.get(digest)).toBeNull();
  expect((await put(whole)()).status).toBe(200);
  expect(await server.here.artifacts.get(digest)).not.toBeNull();
});
