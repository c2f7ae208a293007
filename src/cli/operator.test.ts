/**
 * Goal: a token passes the gates that it was made for, and is made by a human at a terminal alone.
 */
import { expect, test } from 'vitest';
import { at, commit, exampleView } from '../../test/support/example-run.ts';
import { claude, human, typed } from '../../test/support/scripted-cli.ts';
import { scriptedClient } from '../../test/support/scripted-client.ts';
import type { OperatorToken, OperatorTokens, TokenCheck } from '../ports/operator-tokens.ts';
import type { ApprovalId, Instant } from '../ports/words.ts';
import { judgeGate } from './principal.ts';

const kept: OperatorToken = {
  id: 'ab12',
  by: 'me',
  scope: ['approve'],
  createdAt: 0 as Instant,
  expiresAt: 9e12 as Instant,
};
const valid: TokenCheck = { ok: true, token: kept };
const script = { ...human, stdinIsTerminal: false, stdoutIsTerminal: false } as const;

function memory() {
  const made: Parameters<OperatorTokens['create']>[0][] = [];
  const revoked: string[] = [];
  const tokens: OperatorTokens = {
    create: async (request) => {
      made.push(request);
      return { token: { ...kept, scope: request.scope }, secret: 'pawl_op_ab12_secret' };
    },
    list: async () => [kept],
    revoke: async (id) => {
      revoked.push(id);
      return id === kept.id;
    },
    check: async () => valid,
  };
  return { tokens, made, revoked };
}
const gated = () =>
  scriptedClient([
    exampleView({
      status: 'waiting_human',
      phase: null,
      gate: {
        kind: 'manual',
        approval: '7k2mab34cd56.a1' as ApprovalId,
        look: 'Look at /settings',
        commit: commit('9'),
        step: 1,
        askedAt: at(0),
        expiresAt: null,
      },
    }),
  ]);

test('a token passes its gate, and the record says who made it and by which channel (UX 0.4)', async () => {
  const client = gated();
  const principal = { ...script, operatorToken: valid };
  const { exit } = await typed(['approve', '7k2m'], { client, principal });
  expect(exit).toBe(0);
  expect(client.calls[0]?.details.at(-1)).toEqual({
    kind: 'human',
    actor: 'me (token ab12)',
    channel: 'token',
    ancestry: null,
  });
});

test.each<[string, Partial<typeof human> & { readonly operatorToken: TokenCheck }, string]>([
  [
    'reject',
    { ...script, operatorToken: valid },
    'found        the operator token ab12 is for approve',
  ],
  [
    'approve',
    { ...script, operatorToken: { ok: false, why: 'it expired at noon' } },
    'found        PAWL_OPERATOR_TOKEN: it expired at noon',
  ],
  ['approve', { ...claude, operatorToken: valid }, 'an operator token does not count there'],
])('%s is refused where the token does not reach', async (verb, principal, found) => {
  const client = gated();
  const { exit, err } = await typed([verb, '7k2m', '--note', 'x'], { client, principal });
  expect(exit).toBe(2);
  expect(err).toContain('error[human_required]');
  expect(err).toContain(found);
  expect(client.calls[0]?.verb).toBe('recordRefusal');
});

test('who sits at a terminal is a human, whatever a stale token says', () => {
  const facts = { ...human, operatorToken: { ok: false, why: 'it expired' } } as const;
  expect(judgeGate(facts, 'land')).toMatchObject({
    human: true,
    principal: { channel: 'terminal' },
  });
});

test('a token is made at a terminal, shown once, for a time and for verbs', async () => {
  const { tokens, made } = memory();
  const line = ['operator', 'token', '--for', '2h', '--scope', 'land, approve'];
  const { out, exit } = await typed(line, { tokens });
  expect(exit).toBe(0);
  expect(out.split('\n')[0]).toBe('pawl_op_ab12_secret');
  expect(made).toMatchObject([{ by: 'me', scope: ['approve', 'land'], forMs: 7_200_000 }]);
  const json = await typed([...line, '--json'], { tokens });
  expect(JSON.parse(json.out)).toMatchObject({ schema: 'pawl.operator/1', id: 'ab12' });
});

test('neither an agent nor a token makes a token', async () => {
  for (const principal of [claude, { ...script, operatorToken: valid }]) {
    const { tokens, made } = memory();
    expect((await typed(['operator', 'token'], { tokens, principal })).exit).toBe(2);
    expect(made).toEqual([]);
  }
});

test('a scope of unknown verbs and a token for ever are refused', async () => {
  const { tokens, made } = memory();
  for (const flags of [
    ['--scope', 'operator'],
    ['--scope', ','],
    ['--for', '31d'],
    ['--for', '0s'],
  ]) {
    expect((await typed(['operator', 'token', ...flags], { tokens })).exit).toBe(2);
  }
  expect(made).toEqual([]);
});

test('tokens are listed without secrets, and revoked by id', async () => {
  const { tokens, revoked } = memory();
  expect((await typed(['operator', 'list'], { tokens })).out).toMatch(
    /^ ab12 +by me +until .*approve/,
  );
  expect((await typed(['operator', 'revoke', 'ab12'], { tokens })).out).toBe('✓ revoked ab12\n');
  expect((await typed(['operator', 'revoke', 'zz'], { tokens })).err).toContain(
    'there is no token zz',
  );
  expect(revoked).toEqual(['ab12', 'zz']);
  expect((await typed(['operator', 'sell'], { tokens })).exit).toBe(2);
});
