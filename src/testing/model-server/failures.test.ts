/**
 * Goal: every failure looks to a client as it is named. Method: a plain fetch client that knows
 * nothing of ours; where nothing is to come any more, the client's own reading is what settles.
 */
import { request as httpRequest } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import type { ApiName } from './api.ts';
import { type Failing, type FailureName, failures } from './failures.ts';
import { type ModelServer, modelServer } from './model-server.ts';

const open: ModelServer[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});

const answered = 'a text of some length, so that there is a middle of it';
async function failing(fails: Failing): Promise<ModelServer> {
  const server = await modelServer({ script: { '/s/x': () => ({ text: answered, fails }) } });
  open.push(server);
  return server;
}

const apis: readonly ApiName[] = ['anthropic', 'chat', 'responses', 'gemini'];
const paths: Readonly<Record<ApiName, string>> = {
  anthropic: '/v1/messages',
  chat: '/v1/chat/completions',
  responses: '/v1/responses',
  gemini: '/v1beta/models/m:streamGenerateContent?alt=sse',
};
const last: Readonly<Record<ApiName, string>> = {
  anthropic: '"message_stop"',
  chat: '[DONE]',
  responses: '"response.completed"',
  gemini: '"finishReason"',
};

function ask(server: ModelServer, api: ApiName, isStreamed = true): Promise<Response> {
  const body = JSON.stringify({ stream: isStreamed, messages: [], input: 'x', contents: [] });
  const path = isStreamed ? paths[api] : paths[api].replace(/streamG(.*)\?.*/, 'g$1');
  return fetch(`${server.url}/s/x${path}`, { method: 'POST', body });
}

/** What came of the body, and how it ended: by itself or by an error. */
async function read(response: Response): Promise<{ readonly text: string; readonly end: string }> {
  const decoder = new TextDecoder();
  let text = '';
  try {
    for await (const chunk of response.body ?? []) text += decoder.decode(chunk as Uint8Array);
    return { text, end: 'clean' };
  } catch (error: unknown) {
    return { text, end: error instanceof Error ? error.message : String(error) };
  }
}

/** A stream is whole by its last event, a body when it can be parsed. */
function isWhole(text: string, api: ApiName, isStreamed: boolean): boolean {
  if (isStreamed) return text.includes(last[api]);
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

interface Refusal {
  readonly status: number;
  readonly headers: Headers;
  readonly body: { readonly error: Readonly<Record<string, unknown>> };
}
async function refusal(by: FailureName, api: ApiName, resetsInSeconds = 400): Promise<Refusal> {
  const server = await failing({ by, resetsInSeconds });
  const response = await ask(server, api);
  const body = (await response.json()) as Refusal['body'];
  return { status: response.status, headers: response.headers, body };
}

describe('a refusal has the form of its vendor', () => {
  const forms: readonly (readonly [FailureName, number, Readonly<Record<ApiName, string>>])[] = [
    ['unauthorized', 401, of('authentication_error', 'invalid_api_key', 'UNAUTHENTICATED')],
    ['payment_required', 402, of('billing_error', 'invalid_request_error', 'FAILED_PRECONDITION')],
    [
      'context_overflow',
      400,
      of('invalid_request_error', 'context_length_exceeded', 'INVALID_ARGUMENT'),
    ],
    ['rate_limited', 429, of('rate_limit_error', 'rate_limit_exceeded', 'RESOURCE_EXHAUSTED')],
    [
      'rate_limited_until',
      429,
      of('rate_limit_error', 'rate_limit_exceeded', 'RESOURCE_EXHAUSTED'),
    ],
    ['quota_exhausted', 429, of('rate_limit_error', 'insufficient_quota', 'RESOURCE_EXHAUSTED')],
    ['usage_limit', 429, of('rate_limit_error', 'usage_limit_reached', 'RESOURCE_EXHAUSTED')],
    ['server_error', 500, of('api_error', 'server_error', 'INTERNAL')],
    ['overloaded', 529, of('overloaded_error', 'server_error', 'UNAVAILABLE')],
  ];
  const cases = forms.flatMap(([by, status, words]) =>
    apis.map((api) => [by, api, status, words[api]] as const),
  );
  test.each(cases)('%s over %s: %i %s', async (by, api, status, word) => {
    const found = await refusal(by, api);
    expect(found.status).toBe(status);
    const { type, code, status: canonical } = found.body.error;
    expect([type, code, canonical]).toContain(word);
    const refused = failures[by];
    const tells = 'tellsReset' in refused && refused.tellsReset;
    const said = `${JSON.stringify([...found.headers])} ${JSON.stringify(found.body)}`;
    expect(/retry-after|retryDelay|resets_at/.test(said)).toBe(tells);
  });

  function of(anthropic: string, openai: string, gemini: string) {
    return { anthropic, chat: openai, responses: openai, gemini };
  }

  test('Anthropic tells the reset by headers: seconds, an ISO time, and for plans an epoch', async () => {
    const before = Math.floor(Date.now() / 1000);
    const { headers, body } = await refusal('rate_limited_until', 'anthropic');
    expect(headers.get('retry-after')).toBe('400');
    const reset = headers.get('anthropic-ratelimit-requests-reset') ?? '';
    expect(reset).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    expect(Date.parse(reset) / 1000).toBeGreaterThanOrEqual(before + 400);
    expect(headers.get('anthropic-ratelimit-requests-remaining')).toBe('0');
    expect(body).toMatchObject({ type: 'error', request_id: headers.get('request-id') });

    const plan = (await refusal('usage_limit', 'anthropic')).headers;
    expect(plan.get('anthropic-ratelimit-unified-status')).toBe('rejected');
    const epoch = Number(plan.get('anthropic-ratelimit-unified-reset'));
    expect(epoch).toBeGreaterThanOrEqual(before + 400);
  });

  test.each([
    [5, '5s'],
    [400, '6m40s'],
    [7265, '2h1m5s'],
  ])('OpenAI tells a reset in %i seconds as the span %s', async (seconds, span) => {
    const { headers } = await refusal('rate_limited_until', 'chat', seconds);
    expect(headers.get('x-ratelimit-reset-requests')).toBe(span);
    expect(headers.get('retry-after')).toBe(String(seconds));
  });

  test('a plan of OpenAI tells its reset in the body alone', async () => {
    const before = Math.floor(Date.now() / 1000);
    const { headers, body } = await refusal('usage_limit', 'responses');
    expect(headers.get('retry-after')).toBeNull();
    expect(body.error['resets_at']).toBeGreaterThanOrEqual(before + 400);
  });

  test('Gemini tells everything in the details and nothing by a header', async () => {
    const { headers, body } = await refusal('rate_limited_until', 'gemini');
    expect(headers.get('retry-after')).toBeNull();
    expect(body.error['details']).toMatchObject([
      { '@type': 'type.googleapis.com/google.rpc.QuotaFailure' },
      { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '400s' },
    ]);
    const perDay = await refusal('quota_exhausted', 'gemini');
    expect(JSON.stringify(perDay.body)).toContain('PerDay');
  });
});

describe.each(apis)('over %s', (api) => {
  test('hang: nothing comes, not even a head, until the client gives up', async () => {
    const server = await failing({ by: 'hang' });
    const client = new AbortController();
    const path = `${server.url}/s/x${paths[api]}`;
    const seen: string[] = [];
    const outgoing = httpRequest(path, { method: 'POST', signal: client.signal });
    outgoing.on('response', () => seen.push('response'));
    outgoing.on('error', (error: Error) => seen.push(error.name));
    outgoing.end('{}');
    await expect.poll(() => server.requests().length).toBe(1);
    expect(server.open()).toBe(1);
    client.abort();
    await expect.poll(() => server.open()).toBe(0);
    expect(seen).toEqual(['AbortError']);
  });

  test('stall: half of it comes, then silence on an open connection', async () => {
    const server = await failing({ by: 'stall' });
    const response = await ask(server, api);
    const reader = response.body?.getReader();
    const first = new TextDecoder().decode((await reader?.read())?.value);
    expect(first).toMatch(/data: /);
    expect(server.open()).toBe(1);
    await reader?.cancel();
    await expect.poll(() => server.open()).toBe(0);
  });

  test('drop_at_once: the socket ends before a head', async () => {
    await expect(ask(await failing({ by: 'drop_at_once' }), api)).rejects.toThrow('fetch failed');
  });

  test.each([true, false])('drop: what was sent arrives, then the socket ends (%s)', async (is) => {
    const found = await read(await ask(await failing({ by: 'drop' }), api, is));
    expect(found.end).toBe('terminated');
    expect(found.text.length).toBeGreaterThan(20);
    expect(isWhole(found.text, api, is)).toBe(false);
  });

  test.each([true, false])('malformed: no event and no body can be read (%s)', async (is) => {
    const response = await ask(await failing({ by: 'malformed' }), api, is);
    expect(response.status).toBe(200);
    expect(await read(response)).toEqual({
      text: is ? 'data: {"oops": [1,2,,}\n\n' : '{"oops": [1,2,,}',
      end: 'clean',
    });
  });

  test('malformed_midway: good events, a broken one, a clean end', async () => {
    const { text, end } = await read(await ask(await failing({ by: 'malformed_midway' }), api));
    expect(text).toMatch(/data: \{"[\s\S]*data: \{"oops": \[1,2,,\}\n\n$/);
    expect(end).toBe('clean');
  });

  test('error_event: good events, the error of the API, a clean end', async () => {
    const { text, end } = await read(await ask(await failing({ by: 'error_event' }), api));
    const events = text.split('\n\n').filter((event) => event !== '');
    expect(events.length).toBeGreaterThan(1);
    expect(JSON.stringify(JSON.parse(events.at(-1)?.split('data: ')[1] ?? ''))).toContain('error');
    expect(end).toBe('clean');
  });

  test.each([true, false])('truncated: a clean end without the last event (%s)', async (is) => {
    const { text, end } = await read(await ask(await failing({ by: 'truncated' }), api, is));
    expect(end).toBe('clean');
    expect(text.length).toBeGreaterThan(20);
    expect(isWhole(text, api, is)).toBe(false);
  });

  test.each([true, false])('trickle: all of it comes, bit by bit (%s)', async (is) => {
    const slow = await read(await ask(await failing({ by: 'trickle', everyMs: 1 }), api, is));
    const server = await modelServer({ script: { '/s/x': () => ({ text: answered }) } });
    open.push(server);
    expect(slow).toEqual(await read(await ask(server, api, is)));
    expect(isWhole(slow.text, api, is)).toBe(true);
  });
});

test('a trickle ends when its client goes away', async () => {
  const server = await failing({ by: 'trickle', everyMs: 600_000 });
  const response = await ask(server, 'chat');
  await response.body?.cancel();
  await expect.poll(() => server.open()).toBe(0);
});

test('closing the server ends what hangs', async () => {
  const server = await failing({ by: 'hang' });
  const pending = ask(server, 'chat').catch((error: Error) => error.message);
  await expect.poll(() => server.open()).toBe(1);
  await server.close();
  open.splice(0);
  expect(await pending).toBe('fetch failed');
});

test('a failure ends after its times, counted for each prefix and turn', async () => {
  const fails = { by: 'server_error', times: 2 } as const;
  const turns = [{ text: 'one', fails }];
  const server = await modelServer({ script: { '/s/x': turns, '/s/y': turns } });
  open.push(server);
  const tools = [{ type: 'function', function: { name: 'bash' } }];
  const status = async (prefix: string) => {
    const body = JSON.stringify({ messages: [{ role: 'user', content: 'x' }], tools });
    const at = `${server.url}${prefix}/v1/chat/completions`;
    return (await fetch(at, { method: 'POST', body })).status;
  };
  const seen = [];
  for (const prefix of ['/s/x', '/s/x', '/s/y', '/s/x', '/s/y', '/s/y', '/s/x']) {
    seen.push(await status(prefix));
  }
  expect(seen).toEqual([500, 500, 500, 200, 500, 200, 200]);
  const logged = server.requests().map(({ failure }) => failure);
  expect(logged.filter((failure) => failure === null)).toHaveLength(3);
});

test('an upgrade to a web socket is refused with 426', async () => {
  const server = await failing({ by: 'hang' });
  const status = await new Promise((resolve, reject) => {
    const headers = { connection: 'Upgrade', upgrade: 'websocket' };
    const outgoing = httpRequest(`${server.url}/s/x/v1/responses`, { headers });
    outgoing.on('response', (response) => resolve(response.statusCode));
    outgoing.on('error', reject);
    outgoing.end();
  });
  expect(status).toBe(426);
});
