import { expect, test } from 'vitest';
import type { OperatorToken } from '../ports/operator-tokens.ts';
import type { Instant } from '../ports/words.ts';
import { atGate, callers } from './callers.ts';

const now = 5 as Instant;
const token = (scope: OperatorToken['scope']): OperatorToken => ({
  ...{ id: '0123', by: 'ada', scope },
  createdAt: now,
  expiresAt: now,
});
const of = (known: OperatorToken) =>
  callers({ now: () => now, tokens: { check: async () => ({ ok: true, token: known }) } });

test.each([undefined, '', 'Basic YTpi', 'Bearer ', 'Bearer a b'])(
  'without a bearer token nobody is anybody: %s',
  async (authorization) => {
    const asked = of(token(['land'])).of(authorization);
    await expect(asked).rejects.toMatchObject({ code: 'token_missing' });
  },
);

test('a token that is not good tells why and nothing of others', async () => {
  const tokens = { check: async () => ({ ok: false, why: 'it expired' }) as const };
  const asked = callers({ now: () => now, tokens }).of('Bearer abc');
  await expect(asked).rejects.toMatchObject({
    code: 'token_refused',
    details: { found: 'it expired' },
  });
});

test('a token speaks for the human who made it, at the gates of its scope alone', async () => {
  const caller = await of(token(['land'])).of('Bearer abc');
  expect(caller.principal).toMatchObject({ kind: 'human', actor: 'ada (token 0123)' });
  expect(atGate(caller, 'land')).toMatchObject({ isHuman: true, principal: { kind: 'human' } });
  const other = atGate(caller, 'prune');
  expect(other).toMatchObject({ isHuman: false, principal: { kind: 'automation' } });
});

test('a token without a scope is a program, by the name of who made it', async () => {
  const caller = await of(token([])).of('Bearer abc');
  expect(caller.principal).toMatchObject({ kind: 'automation', actor: 'ada', channel: 'token' });
  expect(atGate(caller, 'approve').isHuman).toBe(false);
});
