import { afterEach, expect, test } from 'vitest';
import { asking, doorRig, fetched, geminiWhole, realKey } from '../../../test/support/door-rig.ts';
import type { ModelApi } from '../../ports/models-door.ts';
import type { Turn } from '../../testing/model-server/script.ts';

const rig = doorRig();
afterEach(() => rig.close());

const apis: readonly ModelApi[] = ['anthropic', 'chat', 'responses', 'gemini'];
const usage = {
  inputTokens: 1_000,
  cachedTokens: 600,
  cacheWriteTokens: 100,
  outputTokens: 50,
  reasoningTokens: 10,
};
const turn: Turn = { text: 'a longer text, 日本語 too 🎉', usage };

function pathOf(api: ModelApi, isStreamed: boolean): string {
  return api === 'gemini' && !isStreamed ? geminiWhole : asking[api].path;
}

test.each(apis.flatMap((api) => [[api, true] as const, [api, false] as const]))(
  '%s, streamed %s: bytes pass unchanged, usage is exact with its cache (L-F4)',
  async (api, isStreamed) => {
    const { url } = await rig.serving([turn]);
    const { door, post, kinds, faults } = await rig.door({ upstream: url });
    const path = pathOf(api, isStreamed);
    const body = asking[api].body(isStreamed);
    const direct = await fetched(`${url}${path}`, body);
    const through = await post(path, body);
    expect(through).toMatchObject({ status: 200, isWhole: true, text: direct.text });
    expect(through.headers['content-type']).toBe(direct.headers['content-type']);
    const cacheWrite = api === 'gemini' ? 0 : 100;
    expect(door.usage()).toMatchObject({
      calls: 1,
      inexact: 0,
      unpriced: [],
      usage: { tokensIn: 400 - cacheWrite, cacheRead: 600, cacheWrite, tokensOut: 50 },
    });
    expect(door.usage().usage.costUsd).toBeGreaterThan(0);
    expect(kinds()).toEqual(['requested', 'headers', 'first_byte', 'ended']);
    expect(door.state()).toMatchObject({ inFlight: [], closed: null });
    expect(faults).toEqual([]);
  },
);

test('usage grows over the calls of an execution and never falls (L-F7)', async () => {
  const { url } = await rig.serving([turn]);
  const { door, post } = await rig.door({ upstream: url });
  for (const calls of [1, 2, 3]) {
    await post(asking.chat.path, asking.chat.body(true));
    expect(door.usage()).toMatchObject({ calls, usage: { tokensOut: 50 * calls } });
  }
});

test('the key is put in on the way out and the lane never sees it (XP-28, XP-29, D-108)', async () => {
  const server = await rig.serving([turn]);
  const { door, post, signals } = await rig.door({ upstream: server.url });
  for (const api of apis) {
    const { path, body } = asking[api];
    const got = await post(`${path}${path.includes('?') ? '&' : '?'}key=dummy`, body(true), {
      headers: { authorization: 'Bearer dummy', 'x-goog-api-key': 'dummy', cookie: 'c=1' },
    });
    expect(JSON.stringify(got)).not.toContain(realKey);
  }
  const sent = server.requests().map(({ headers, path }) => ({ headers, path }));
  expect(JSON.stringify(sent)).not.toContain('dummy');
  expect(sent.map(({ headers }) => headers['accept-encoding'])).toEqual(apis.map(() => 'identity'));
  expect(
    sent.map(({ headers: h }) => h['x-api-key'] ?? h['authorization'] ?? h['x-goog-api-key']),
  ).toEqual([realKey, `Bearer ${realKey}`, `Bearer ${realKey}`, realKey]);
  expect(JSON.stringify(signals)).not.toContain(realKey);
  expect(JSON.stringify(signals)).not.toContain(door.token);
});

test('in mode pass the lane is authorised by its own word, and no key is asked for', async () => {
  const server = await rig.serving([turn]);
  const { post } = await rig.door({ upstream: server.url, mode: 'pass' });
  const { path, body } = asking.anthropic;
  const headers = { authorization: 'Bearer sk-ant-oat01-x', 'anthropic-beta': 'oauth-2025-04-20' };
  expect(await post(path, body(true), { headers })).toMatchObject({ status: 200 });
  expect(server.requests()[0]?.headers).toMatchObject(headers);
});

test('no token, a wrong one, a foreign host, a page: one constant refusal, nothing asked (L-N7)', async () => {
  const server = await rig.serving([turn]);
  const { door } = await rig.door({ upstream: server.url });
  const origin = new URL(door.url).origin;
  const { path, body } = asking.anthropic;
  const tries = await Promise.all([
    fetched(`${origin}${path}`, body(true)),
    fetched(`${origin}/x/${'a'.repeat(32)}${path}`, body(true)),
    fetched(`${origin}/x/${door.token}x${path}`, body(true)),
    fetched(`${origin}/x/${path}`, body(true)),
    fetched(`${door.url}${path}`, body(true), { headers: { host: 'evil.example' } }),
    fetched(`${door.url}${path}`, body(true), { headers: { origin: 'https://evil.example' } }),
    fetched(`${door.url}${path}`, body(true), { headers: { origin: 'null' } }),
    fetched(`${door.url}${path}`, body(true), { headers: { 'sec-fetch-site': 'cross-site' } }),
  ]);
  for (const got of tries)
    expect(got).toMatchObject({ status: 403, text: '{"error":"forbidden"}' });
  expect(server.requests()).toEqual([]);
});

test('it listens on loopback alone, whatever the environment says (L-N9)', async () => {
  const { url } = await rig.serving([turn]);
  const { door } = await rig.door({ upstream: url });
  expect(new URL(door.url).hostname).toBe('127.0.0.1');
});

test('what is no call of a model stays shut: a key opens more than that', async () => {
  const server = await rig.serving([turn]);
  const { post } = await rig.door({ upstream: server.url });
  for (const path of ['/v1/files', '/v1/messages/batches', '/v1/organizations/api_keys']) {
    expect((await post(path, {})).status).toBe(404);
  }
  expect(await post('/v1/models', '', { method: 'GET' })).toMatchObject({ status: 200 });
  expect(await post('/api/hello', '', { method: 'HEAD' })).toMatchObject({ status: 200 });
  expect(server.requests()).toEqual([]);
});

test('an upgrade is answered by 426, after which codex falls back to POST', async () => {
  const { url } = await rig.serving([turn]);
  const { post } = await rig.door({ upstream: url });
  const headers = { connection: 'Upgrade', upgrade: 'websocket' };
  const got = await post('/v1/responses', '', { method: 'GET', headers });
  expect(got).toMatchObject({ status: 426, headers: { connection: 'close' } });
});

test.each<[string, string | Buffer, Record<string, string>]>([
  ['no JSON', '{"model":', {}],
  ['a list', '[]', {}],
  ['nothing', '', {}],
  ['bytes that are no text', Buffer.from([0x7b, 0xff, 0x7d]), {}],
  ['an encoding that is not read', '{}', { 'content-encoding': 'zstd' }],
])('a body that is %s cannot be judged and does not pass', async (_name, body, headers) => {
  const server = await rig.serving([turn]);
  const { post, signals } = await rig.door({ upstream: server.url });
  const got = await post(asking.chat.path, body, { headers });
  expect(got.status).toBe(400);
  expect(signals).toMatchObject([{ kind: 'refused', reason: 'unreadable_body', call: null }]);
  expect(server.requests()).toEqual([]);
});

test.each<[ModelApi, object, number]>([
  ['anthropic', { tools: [{ type: 'web_search_20250305', name: 'web_search' }] }, 403],
  ['responses', { tools: [{ type: 'web_search', external_web_access: true }] }, 400],
  ['chat', { web_search_options: {} }, 402],
  ['gemini', { tools: [{ googleSearch: {} }] }, 403],
])(
  '%s: a tool that runs at the provider is refused by its type (PL-81, PL-92)',
  async (api, more, status) => {
    const server = await rig.serving([turn]);
    const { post, door, signals } = await rig.door({ upstream: server.url });
    const got = await post(asking[api].path, { ...asking[api].body(true), ...more });
    expect(got.status).toBe(status);
    expect(got.text).toContain('[door:server_tools=');
    expect(signals).toMatchObject([{ kind: 'refused', reason: 'server_tools' }]);
    expect(server.requests()).toEqual([]);
    // The turn goes on: only this request was refused.
    expect(door.state().closed).toBeNull();
    expect((await post(asking[api].path, asking[api].body(true))).status).toBe(200);
  },
);

test('a provider tool that ran all the same is told as a breach (PL-81)', async () => {
  const events = [
    {
      type: 'message_start',
      message: { model: 'm', usage: { input_tokens: 1, output_tokens: 1 } },
    },
    { type: 'content_block_start', content_block: { type: 'server_tool_use', name: 'web_search' } },
    { type: 'message_delta', usage: { output_tokens: 2 } },
    { type: 'message_stop' },
  ];
  const upstream = await rig.upstream((_incoming, outgoing) => {
    outgoing.writeHead(200, { 'content-type': 'text/event-stream' });
    outgoing.end(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''));
  });
  const { post, signals } = await rig.door({ upstream });
  await post(asking.anthropic.path, asking.anthropic.body(true));
  expect(signals).toContainEqual(
    expect.objectContaining({ kind: 'server_tool_seen', tool: 'web_search' }),
  );
});

test('the price of an unknown model is unknown; its tokens count (ruling 18)', async () => {
  const { url } = await rig.serving([turn]);
  const { post, door } = await rig.door({ upstream: url });
  await post(asking.chat.path, { ...asking.chat.body(true), model: 'home-made' });
  expect(door.usage()).toMatchObject({
    unpriced: ['home-made'],
    usage: { costUsd: null, tokensOut: 50 },
  });
});

test('connections to the service are kept and used again', async () => {
  const ports = new Set<number | undefined>();
  const upstream = await rig.upstream((incoming, outgoing) => {
    ports.add(incoming.socket.remotePort);
    incoming.resume();
    outgoing.end('{}');
  });
  const { post } = await rig.door({ upstream });
  for (let n = 0; n < 3; n += 1) await post(asking.chat.path, asking.chat.body(false));
  expect(ports.size).toBe(1);
});

test('a closed door listens no more, and what was open is settled', async () => {
  const server = await rig.serving([{ ...turn, fails: { by: 'hang' } }]);
  const { door, post, heard, signals } = await rig.door({ upstream: server.url });
  const got = post(asking.anthropic.path, asking.anthropic.body(true));
  await heard('requested');
  await door.close();
  expect((await got).isWhole).toBe(false);
  expect(signals.at(-1)).toMatchObject({ kind: 'ended', how: 'left', metered: { exact: false } });
  expect((await post('/v1/models', '', { method: 'GET' })).status).toBe(0);
  await door.close();
});
