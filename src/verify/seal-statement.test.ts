/** Goal: a seal is stated by the key of its worker alone, and for that result alone. */

import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { expect, test } from 'vitest';
import { executed } from '../../test/support/run-fixtures.ts';
import type { Digest, ExecutionId, GrantId, Instant } from '../domain/ids.ts';
import { sealAttestor } from './seal-attestor.ts';
import { openSeal, sealJudge } from './seal-statement.ts';
import { memorySigner, signerOf } from './signer.ts';

const pair = generateKeyPairSync('ed25519');
const worker = 'w-1';
const signer = { ...signerOf(pair.privateKey), worker };
const publicKey = createPublicKey(pair.privateKey).export({ format: 'jwk' }).x ?? '';
const clock = { now: () => 1_000 as Instant };
const message = {
  execution: 'run1.2' as ExecutionId,
  grantId: 'g1' as GrantId,
  seal: 'sha256:aa' as Digest,
  result: executed(),
};
const text = sealAttestor(signer, clock).attest(message);
const isOf = (envelope: string, of: object = {}, by: object = {}) =>
  sealJudge.isOf(envelope, { worker, publicKey, ...by }, { ...message, ...of });

test('it is an in-toto statement of result and commit, who made them and when (XP-16, XP-17)', () => {
  expect(isOf(text)).toBe(true);
  const statement = openSeal(text, signer.publicKeyPem);
  expect(statement).toMatchObject({
    _type: 'https://in-toto.io/Statement/v1',
    subject: [{ name: 'result of run1.2' }, { name: 'work', digest: { gitCommit: 'c1' } }],
    predicate: { worker, keyId: signer.keyId, seal: 'sha256:aa', capturedAt: expect.any(String) },
  });
  // On its way the keys of a result may change their order, and what is undefined is left out.
  const { kind, ...rest } = executed();
  expect(isOf(text, { result: { ...rest, problem: undefined, kind } })).toBe(true);
});

test('another result, seal, grant, execution or key is none of it (XP-14, XP-18)', () => {
  expect(isOf(text, { result: executed({ filesChanged: 3 }) })).toBe(false);
  expect(isOf(text, { seal: 'sha256:bb' })).toBe(false);
  expect(isOf(text, { grantId: 'g2' })).toBe(false);
  expect(isOf(text, { execution: 'run1.3' })).toBe(false);
  expect(isOf(text, {}, { worker: 'w-2' })).toBe(false);
  expect(isOf(text, {}, { publicKey: 'x' })).toBe(false);
  const thief = sealAttestor({ ...memorySigner(), worker }, clock).attest(message);
  expect(isOf(thief)).toBe(false);
  const own = sealAttestor({ ...signer, worker: 'w-2' }, clock).attest(message);
  expect(isOf(own)).toBe(false);
  const envelope = JSON.parse(text) as { payload: string };
  const payload = Buffer.from(envelope.payload, 'base64').toString('utf8');
  const bent = Buffer.from(payload.replace('turn_ended', 'question')).toString('base64');
  expect(isOf(JSON.stringify({ ...envelope, payload: bent }))).toBe(false);
  expect(isOf('{}')).toBe(false);
});
