import type { ServerResponse } from 'node:http';
import { afterEach, expect, test } from 'vitest';
import { asking, doorRig, realKey } from '../../../test/support/door-rig.ts';
import type { ModelApi } from '../../ports/models-door.ts';
import type { FailureName } from '../../testing/model-server/failures.ts';
import type { Turn } from '../../testing/model-server/script.ts';

const rig = doorRig();
afterEach(() => rig.close());

const apis: readonly ModelApi[] = ['anthropic', 'chat', 'responses', 'gemini'];
const each = apis.map((api) => [api] as const);
const long = 'word '.repeat(200);
const failing = (by: FailureName, times?: number): Turn => ({
  text: long,
  fails: { by, ...(times === undefined ? {} : { times }) },
});
const ask = (api: ModelApi) => [asking[api].path, asking[api].body(true)] as const;

const refusedStatus = { anthropic: 402, chat: 402, responses: 400, gemini: 403 } as const;

test.each(each)('%s: a hang before the first byte becomes a 504', async (api) => {
  const { url } = await rig.serving([failing('hang', 1)]);
  const { post, signals, door } = await rig.door({
    upstream: url,
    spans: { firstByteStreamedMs: 50 },
  });
  const got = await post(...ask(api));
  expect(got.status).toBe(504);
  expect(got.text).toContain('[door:upstream_timeout]');
  expect(signals.at(-1)).toMatchObject({ kind: 'ended', how: 'hung', metered: { exact: false } });
  // What was sent and never answered is not taken for free.
  expect(door.usage()).toMatchObject({ inexact: 1 });
  expect(door.usage().usage.tokensIn).toBeGreaterThan(0);
});

test.each(each)('%s: a stall in the stream destroys the connection', async (api) => {
  const { url } = await rig.serving([failing('stall')]);
  const { post, signals } = await rig.door({ upstream: url, spans: { idleMs: 50 } });
  const got = await post(...ask(api));
  expect(got).toMatchObject({ status: 200, isWhole: false });
  expect(signals.at(-1)).toMatchObject({ kind: 'ended', how: 'hung', metered: { exact: false } });
});

test.each(
  apis.flatMap((api) =>
    (['truncated', 'drop', 'malformed', 'error_event'] as const).map((by) => [api, by] as const),
  ),
)('%s: a stream that is %s never ends cleanly, and is charged by estimate', async (api, by) => {
  const { url } = await rig.serving([failing(by)]);
  const { post, door, signals } = await rig.door({ upstream: url });
  const got = await post(...ask(api));
  // Responses has an event for a failure, which is a proper end of an answer.
  const isEnd = api === 'responses' && by === 'error_event';
  expect(got).toMatchObject({ status: 200, isWhole: isEnd });
  const how = isEnd ? 'done' : 'cut';
  expect(signals.at(-1)).toMatchObject({ kind: 'ended', how, metered: { exact: false } });
  expect(door.usage()).toMatchObject({ calls: 1, inexact: 1 });
  expect(door.usage().usage.tokensIn).toBeGreaterThan(0);
});

test.each(each)('%s: a trickle is passed on as it comes, not taken for a hang', async (api) => {
  const { url } = await rig.serving([{ text: 'slow', fails: { by: 'trickle', everyMs: 5 } }]);
  const { post, door } = await rig.door({ upstream: url });
  expect(await post(...ask(api))).toMatchObject({ status: 200, isWhole: true });
  expect(door.usage()).toMatchObject({ calls: 1, inexact: 0 });
});

test.each(each)('%s: a short limit passes untouched, and is told with its end', async (api) => {
  const { url } = await rig.serving([failing('rate_limited_until', 1)]);
  const { post, signals, door } = await rig.door({ upstream: url });
  const before = Date.now();
  const got = await post(...ask(api));
  expect(got.status).toBe(429);
  expect(got.text).not.toContain('[door:');
  const told = signals.find((signal) => signal.kind === 'limit_waiting');
  expect(told?.kind === 'limit_waiting' && told.until).toBeGreaterThanOrEqual(before + 4_000);
  expect(door.state().closed).toBeNull();
  expect(await post(...ask(api))).toMatchObject({ status: 200, isWhole: true });
  expect(door.usage()).toMatchObject({ calls: 1 });
});

test.each(each)(
  '%s: a long limit is refused at once, and so is all that follows (L-E1, L-E13)',
  async (api) => {
    const fails = { by: 'rate_limited_until', resetsInSeconds: 3_600 } as const;
    const server = await rig.serving([{ text: long, fails }]);
    const { post, signals, door } = await rig.door({ upstream: server.url });
    const before = Date.now();
    const got = await post(...ask(api));
    expect(got.status).toBe(refusedStatus[api]);
    expect(got.text).toMatch(/\[door:limit_until=20\d\d-\d\d-\d\dT[\d:.]+Z\]/);
    expect(got.headers).not.toHaveProperty('retry-after');
    const parked = signals.find((signal) => signal.kind === 'limit_parked');
    const until = parked?.kind === 'limit_parked' ? parked.until : null;
    expect(until).toBeGreaterThan(before + 3_590_000);
    expect(until).toBeLessThan(Date.now() + 3_610_000);
    for (let n = 0; n < 50; n += 1) {
      expect((await post(...ask(api))).status).toBe(refusedStatus[api]);
    }
    expect(server.requests()).toHaveLength(1);
    expect(door.usage().calls).toBe(0);
  },
);

test.each<[ModelApi, FailureName]>([
  ['chat', 'quota_exhausted'],
  ['responses', 'quota_exhausted'],
  ['responses', 'usage_limit'],
  ['gemini', 'quota_exhausted'],
  ['anthropic', 'usage_limit'],
  ['anthropic', 'payment_required'],
  ['chat', 'payment_required'],
])('%s: %s cannot be waited out by the lane and parks', async (api, by) => {
  const { url } = await rig.serving([failing(by)]);
  const { post, kinds } = await rig.door({ upstream: url });
  const got = await post(...ask(api));
  expect([got.status, got.text.includes('[door:limit_until=')]).toEqual([refusedStatus[api], true]);
  expect(kinds()).toContain('limit_parked');
});

test.each(each)('%s: limits without a time pass twice, then park', async (api) => {
  const server = await rig.serving([failing('rate_limited')]);
  const { post } = await rig.door({ upstream: server.url });
  const statuses = [];
  for (let n = 0; n < 4; n += 1) statuses.push((await post(...ask(api))).status);
  expect(statuses).toEqual([429, 429, refusedStatus[api], refusedStatus[api]]);
  expect(server.requests()).toHaveLength(3);
});

test.each(each)(
  '%s: a refused key is one refusal and one event, not minutes of retries',
  async (api) => {
    const server = await rig.serving([failing('unauthorized')]);
    const { post, signals, door } = await rig.door({ upstream: server.url });
    for (const _ of [1, 2]) {
      const got = await post(...ask(api));
      expect(got.status).toBe(refusedStatus[api]);
      expect(got.text).toContain('[door:credential_refused');
    }
    expect(signals.filter(({ kind }) => kind === 'credential_refused')).toHaveLength(1);
    expect(server.requests()).toHaveLength(1);
    door.reopen();
    await post(...ask(api));
    expect(server.requests()).toHaveLength(2);
  },
);

test.each(each)(
  '%s: failures pass until three in a row, then the door closes (D-87)',
  async (api) => {
    const server = await rig.serving([failing('overloaded')]);
    const { post, signals } = await rig.door({ upstream: server.url });
    const statuses = [];
    for (let n = 0; n < 5; n += 1) statuses.push((await post(...ask(api))).status);
    const refused = refusedStatus[api];
    expect(statuses.slice(2)).toEqual([refused, refused, refused]);
    expect(statuses.slice(0, 2).every((status) => status >= 500)).toBe(true);
    expect(server.requests()).toHaveLength(3);
    expect(signals.filter(({ kind }) => kind === 'upstream_down')).toHaveLength(1);
  },
);

test.each(each)(
  '%s: a full context is told word for word, since recoveries match it',
  async (api) => {
    const { url } = await rig.serving([failing('context_overflow')]);
    const { post, door } = await rig.door({ upstream: url });
    const got = await post(...ask(api));
    expect(got.status).toBe(400);
    expect(got.text).not.toContain('[door:');
    expect(door.usage().calls).toBe(0);
  },
);

test.each(each)(
  '%s: a budget that is spent refuses once, without a hint to try again',
  async (api) => {
    const server = await rig.serving([{ text: 'x' }]);
    const { post, door, signals } = await rig.door({
      upstream: server.url,
      limits: { costUsd: null, tokens: 1_000 },
    });
    expect((await post(...ask(api))).status).toBe(200);
    const got = await post(...ask(api));
    expect(got.status).toBe(refusedStatus[api]);
    expect(got.text).toContain('[door:budget_exceeded=tokens]');
    expect(got.headers).not.toHaveProperty('retry-after');
    expect(server.requests()).toHaveLength(1);
    expect(door.usage()).toMatchObject({ calls: 1 });
    expect(door.state().closed).toEqual({ why: 'budget', limit: 'tokens' });
    expect(signals.at(-1)).toMatchObject({ kind: 'refused', reason: 'budget_exceeded' });
  },
);

test('money brakes inside a turn, by the metered price (L-F1)', async () => {
  const spent = { inputTokens: 10_000, cachedTokens: 0, outputTokens: 1_000 };
  const server = await rig.serving([{ text: 'x', usage: spent }]);
  const { post, door } = await rig.door({
    upstream: server.url,
    limits: { costUsd: 0.05, tokens: null },
  });
  const statuses = [];
  for (let n = 0; n < 4; n += 1) statuses.push((await post(...ask('chat'))).status);
  // 10,000 in and 1,000 out of gpt-5 are $0.0225: the third call passes the brake.
  expect(statuses).toEqual([200, 200, 200, 402]);
  expect(door.usage().usage.costUsd).toBeCloseTo(0.0675, 6);
});

test('calls beside each other near the end cannot all spend what is left (L-F3)', async () => {
  const server = await rig.serving([{ text: 'x' }]);
  const { post } = await rig.door({
    upstream: server.url,
    limits: { costUsd: null, tokens: 1_500 },
  });
  const got = await Promise.all(Array.from({ length: 20 }, () => post(...ask('chat'))));
  expect(got.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(server.requests()).toHaveLength(1);
});

test('a budget that does not answer lets nothing through, and that is not hidden', async () => {
  const server = await rig.serving([{ text: 'x' }]);
  const broken = async () => Promise.reject(new Error('the store is gone'));
  const { post, faults } = await rig.door({
    upstream: server.url,
    budget: { reserve: broken, settle: broken, release: broken },
  });
  expect((await post(...ask('chat'))).isWhole).toBe(false);
  expect(server.requests()).toEqual([]);
  expect(faults).toHaveLength(1);
});

test.each([0, 1])(
  'a lane that hangs up after %i bytes ends the call at the service',
  async (bytes) => {
    const server = await rig.serving([failing(bytes === 0 ? 'hang' : 'stall')]);
    const { post, heard, door } = await rig.door({ upstream: server.url });
    const got = post(...ask('anthropic'), { leaveAfter: bytes });
    const end = await heard('ended');
    await got;
    expect(end).toMatchObject({ how: 'left', metered: { exact: false } });
    expect(door.usage()).toMatchObject({ calls: 1, inexact: 1 });
    while (server.open() > 0) await new Promise((resolve) => setImmediate(resolve));
    expect(server.open()).toBe(0);
    expect(door.state().closed).toBeNull();
  },
);

test('a call is in flight for as long as it is, and says since when', async () => {
  const server = await rig.serving([failing('stall')]);
  const { post, heard, door } = await rig.door({ upstream: server.url });
  const got = post(...ask('chat'));
  const { atMs } = await heard('first_byte');
  const { inFlight, lastByteMs } = door.state();
  expect(inFlight).toMatchObject([{ api: 'chat', model: 'gpt-5', phase: 'streaming' }]);
  expect(inFlight[0]?.sinceMs).toBeLessThanOrEqual(atMs);
  expect(lastByteMs).toBeGreaterThanOrEqual(atMs - 1_000);
  await door.close();
  expect((await got).isWhole).toBe(false);
  expect(door.state().inFlight).toEqual([]);
});

test('a slow lane holds the service back: what it does not read is not fetched', async () => {
  const megabyte = Buffer.alloc(1024 * 1024, 0x20);
  let sent = 0;
  const upstream = await rig.upstream((_incoming, outgoing) => {
    outgoing.writeHead(200, { 'content-type': 'text/event-stream' });
    const write = () => {
      while (sent < 200 && !outgoing.destroyed) {
        sent += 1;
        if (!outgoing.write(megabyte)) return outgoing.once('drain', write);
      }
      return outgoing;
    };
    write();
  });
  const idleMs = 200;
  const { door, heard } = await rig.door({ upstream, spans: { idleMs } });
  const { connect } = await import('node:net');
  const url = new URL(door.url);
  const body = JSON.stringify(asking.chat.body(true));
  const lane = connect(Number(url.port), '127.0.0.1').pause();
  lane.on('error', () => undefined);
  lane.write(
    `POST ${url.pathname}/v1/chat/completions HTTP/1.1\r\nhost: ${url.host}\r\n` +
      `content-length: ${body.length}\r\n\r\n${body}`,
  );
  await heard('first_byte');
  // Nothing more is fetched for longer than the service itself may be silent.
  const counts = [-1];
  for (let look = 0; look < 20 && counts.at(-1) !== sent; look += 1) {
    counts.push(sent);
    // The deadline is of real time, and so is the stillness that must outlast it.
    await new Promise((resolve) => setTimeout(resolve, 2 * idleMs));
  }
  expect(sent).toBe(counts.at(-1));
  expect(sent).toBeLessThan(100);
  // Not the service's silence, so no deadline of the service passed meanwhile.
  expect(door.state().inFlight).toHaveLength(1);
  lane.destroy();
  expect(await heard('ended')).toMatchObject({ how: 'left' });
});

test.each<[string, (outgoing: ServerResponse) => void, number]>([
  ['a redirect', (out) => out.writeHead(302, { location: 'http://evil.example/' }).end(), 502],
  ['408, which ends gemini', (out) => out.writeHead(408).end('{}'), 504],
  ['an empty answer', (out) => out.writeHead(200).end(), 502],
  ['a dropped connection', (out) => out.destroy(), 502],
  ['a failure that never ends', (out) => out.writeHead(500).write('x') && out.destroy(), 502],
  ['a failure without bound', (out) => out.writeHead(500).end('x'.repeat(2_000_000)), 502],
])('%s is a lost answer, which every CLI tries again', async (_name, act, status) => {
  const upstream = await rig.upstream((_incoming, outgoing) => act(outgoing));
  const { post, door } = await rig.door({ upstream });
  const got = await post(...ask('anthropic'));
  expect([got.status, got.text.includes('[door:upstream_')]).toEqual([status, true]);
  expect(got.headers).not.toHaveProperty('location');
  expect(door.usage().calls).toBe(0);
});

test('a service that echoes the key in its failure does not tell the lane (D-108)', async () => {
  const upstream = await rig.upstream((incoming, outgoing) => {
    const key = String(incoming.headers['x-api-key']);
    outgoing.writeHead(400, { 'x-request': `for ${key}`, 'content-type': 'application/json' });
    outgoing.end(JSON.stringify({ error: { message: `the key ${key} may not do that` } }));
  });
  const { post } = await rig.door({ upstream });
  const got = await post(...ask('anthropic'));
  expect(got).toMatchObject({ status: 400, isWhole: true });
  expect(got.text).toContain('the key [redacted] may not do that');
  expect(JSON.stringify(got)).not.toContain(realKey);
});

test('a service that encodes all the same passes, and is counted by its bytes', async () => {
  const upstream = await rig.upstream((_incoming, outgoing) => {
    outgoing.writeHead(200, { 'content-encoding': 'gzip', 'content-type': 'text/event-stream' });
    outgoing.end('x'.repeat(400));
  });
  const { post, door } = await rig.door({ upstream });
  expect(await post(...ask('chat'))).toMatchObject({ status: 200, isWhole: true });
  expect(door.usage()).toMatchObject({ inexact: 1, usage: { tokensOut: 100 } });
});
