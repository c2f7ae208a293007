import { expect, test } from 'vitest';
import type { ModelApi, RefusalReason } from '../../ports/models-door.ts';
import { allowedQuery, routeOf } from './api.ts';
import { gate } from './gate.ts';
import { towardsLane, towardsService } from './headers.ts';
import { meter } from './meter.ts';
import { priceOf } from './price.ts';
import { gatewayError, refusal } from './refusal.ts';

const tokens = {
  input: 1_000,
  cacheRead: 0,
  cacheWrite: 0,
  output: 100,
  reasoning: 0,
  cacheWriteHour: 0,
};

test.each<[string, string, string]>([
  ['POST', '/v1/messages', 'model anthropic'],
  ['POST', '/v1/chat/completions', 'model chat'],
  ['POST', '/v1/responses', 'model responses'],
  ['POST', '/v1/responses/compact', 'model responses'],
  ['POST', '/v1beta/models/gemini-2.5-pro:streamGenerateContent', 'model gemini'],
  ['POST', '/v1beta/models/gemini-2.5-pro:generateContent', 'model gemini'],
  ['POST', '/v1/messages/count_tokens', 'free anthropic'],
  ['POST', '/v1beta/models/m:countTokens', 'free gemini'],
  ['GET', '/v1/models', 'free chat'],
  ['GET', '/v1beta/models', 'free gemini'],
  ['HEAD', '/api/hello', 'head'],
  ['POST', '/v1/messages/batches', 'none anthropic'],
  ['POST', '/v1/files', 'none chat'],
  ['GET', '/v1/organizations/api_keys', 'none chat'],
  ['GET', '/v1/responses/resp_1', 'none responses'],
  ['DELETE', '/v1/responses', 'none responses'],
  ['POST', '/v1beta/cachedContents', 'none gemini'],
  ['POST', '/v1beta/models/m:batchGenerateContent', 'none gemini'],
  ['POST', '/v1/../admin/v1/messages', 'none chat'],
  ['POST', '/v1//messages', 'none chat'],
  ['POST', '/v1/%6dessages', 'none chat'],
  ['POST', '/v1/models/..:generateContent', 'none chat'],
])('%s %s is %s', (method, path, wanted) => {
  const route = routeOf(method, path, false);
  expect('api' in route ? `${route.kind} ${route.api}` : route.kind).toBe(wanted);
});

test('a key in the address stays here', () => {
  expect(allowedQuery('key=SECRET&alt=sse&beta=true&access_token=x')).toBe('?alt=sse&beta=true');
  expect(allowedQuery('')).toBe('');
});

test('towards the service: named headers alone, one credential, identity encoding (XP-28)', () => {
  const inbound = {
    host: '127.0.0.1:1',
    authorization: 'Bearer dummy',
    'x-api-key': 'dummy',
    'x-goog-api-key': 'dummy',
    cookie: 'a=b',
    connection: 'keep-alive',
    'accept-encoding': 'zstd',
    'content-length': '9',
    'x-forwarded-for': 'me',
    'openai-organization': 'other',
    'x-http-method-override': 'DELETE',
    'x-codex-turn-metadata': '/home/me/secret-project',
    'anthropic-beta': 'a,b',
    'anthropic-version': '2023-06-01',
    'content-type': 'application/json',
  };
  const credential = { name: 'x-api-key', value: 'REAL' };
  expect(towardsService({ inbound, credential, bodyBytes: 9 })).toEqual({
    'accept-encoding': 'identity',
    'anthropic-beta': 'a,b',
    'anthropic-version': '2023-06-01',
    'content-length': '9',
    'content-type': 'application/json',
    'x-api-key': 'REAL',
  });
  const passed = towardsService({ inbound, credential: null, bodyBytes: null });
  expect(passed).toMatchObject({ authorization: 'Bearer dummy', 'x-api-key': 'dummy' });
  expect(passed).not.toHaveProperty('cookie');
});

test('towards the lane: nothing of the account, nothing that holds the key (D-108)', () => {
  const answer = {
    'content-type': 'application/json',
    'request-id': 'r1',
    'retry-after': '5',
    'set-cookie': ['a=b'],
    'openai-organization': 'acme',
    'www-authenticate': 'Bearer',
    'transfer-encoding': 'chunked',
    'x-echo': 'you sent REAL-KEY',
  };
  expect(towardsLane(answer, 'REAL-KEY')).toEqual({
    'content-type': 'application/json',
    'request-id': 'r1',
    'retry-after': '5',
  });
});

const apis: readonly ModelApi[] = ['anthropic', 'chat', 'responses', 'gemini'];

test('a refusal has the form that every measured CLI gives up on at once (§4.2)', () => {
  const forms = apis.map((api) => {
    const { status, body } = refusal(api, 'budget_exceeded', 'cost');
    return [api, status, JSON.parse(String(body))];
  });
  const message =
    '[door:budget_exceeded=cost] The budget of this run is spent; ' +
    'no further model requests are accepted until it is raised.';
  const code = 'budget_exceeded';
  expect(forms).toEqual([
    [
      'anthropic',
      402,
      { type: 'error', error: { type: 'billing_error', message }, request_id: 'req_door' },
    ],
    ['chat', 402, { error: { message, type: 'insufficient_quota', param: null, code } }],
    ['responses', 400, { error: { message, type: 'invalid_request_error', param: null, code } }],
    ['gemini', 403, { error: { code: 403, message, status: 'PERMISSION_DENIED' } }],
  ]);
});

test('no refusal is one that a CLI retries: never 401, 408, 422, 429 or 5xx, no headers', () => {
  const reasons: readonly RefusalReason[] = [
    'budget_exceeded',
    'limit_until',
    'credential_refused',
    'upstream_down',
    'server_tools',
    'unreadable_body',
    'body_too_large',
    'not_allowed',
  ];
  for (const api of apis) {
    for (const reason of reasons) {
      const reply = refusal(api, reason);
      expect([400, 402, 403, 404, 413]).toContain(reply.status);
      expect(reply.headers).toBeUndefined();
    }
    expect(gatewayError(api, 504).status).toBe(504);
  }
});

test('prices count a cache read once and know no family of an unknown model (L-F4, L-F6)', () => {
  const at = new Date(Date.UTC(2026, 8, 1));
  const openai = priceOf({ vendor: 'openai', base: 'https://api.openai.com' });
  const cached = { ...tokens, input: 20_000, cacheRead: 80_000, output: 1_000 };
  expect(openai('gpt-5', cached, at)).toBeCloseTo(0.045, 6);
  expect(openai('gpt-99', cached, at)).toBeNull();
  const anthropic = priceOf({ vendor: 'anthropic', base: 'http://127.0.0.1:1' });
  const written = { ...tokens, input: 700, cacheRead: 200, cacheWrite: 100, output: 10 };
  expect(anthropic('claude-sonnet-4-5', written, at)).toBeCloseTo(0.002685, 8);
  const hour = { ...written, cacheWriteHour: 50 };
  expect(anthropic('claude-sonnet-4-5', hour, at)).toBeCloseTo(0.0027975, 8);
  const google = priceOf({ vendor: 'google', base: 'https://generativelanguage.googleapis.com' });
  expect(google('gemini-2.5-pro', tokens, at)).toBeCloseTo(0.00225, 6);
  const router = priceOf({ vendor: 'openai', base: 'https://openrouter.ai/api' });
  expect(router('qwen/qwen3-coder', tokens, at)).toBeCloseTo(0.0004, 6);
});

test('the sum says which models have no price, and what was estimated (ruling 18)', () => {
  const sums = meter();
  const call = { api: 'chat', model: 'gpt-5', tokens, exact: true, costUsd: 0.5 } as const;
  sums.add(call);
  sums.add({ ...call, model: 'home-made', costUsd: null, exact: false });
  expect(sums.usage()).toEqual({
    usage: {
      costUsd: 0.5,
      source: 'metered',
      tokensIn: 2_000,
      tokensOut: 200,
      cacheRead: 0,
      cacheWrite: 0,
    },
    calls: 2,
    inexact: 1,
    unpriced: ['home-made'],
  });
  const unknown = meter();
  expect(unknown.usage().usage.costUsd).toBe(0);
  unknown.add({ ...call, costUsd: null });
  expect(unknown.usage().usage.costUsd).toBeNull();
});

test('a limit opens the door again at its reset; every other cause waits to be lifted (L-E12)', () => {
  const door = gate();
  door.limited({ untilMs: 100_000, isTerminal: false }, 0);
  expect(door.refused(99_999)).toEqual({
    reason: 'limit_until',
    detail: '1970-01-01T00:01:40.000Z',
  });
  expect(door.refused(100_000)).toBeNull();
  door.budgetSpent('cost');
  expect(door.refused(1e15)).toEqual({ reason: 'budget_exceeded', detail: 'cost' });
  door.reopen();
  expect(door.refused(0)).toBeNull();
});

test('three failures in a row close the door, an answer in between does not (D-87)', () => {
  const door = gate();
  expect([door.failed(), door.failed()]).toEqual([false, false]);
  door.answered();
  expect([door.failed(), door.failed(), door.failed()]).toEqual([false, false, true]);
  expect(door.refused(0)).toEqual({ reason: 'upstream_down', detail: '' });
});
