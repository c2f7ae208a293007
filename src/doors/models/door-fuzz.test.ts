import fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import { asking, doorRig } from '../../../test/support/door-rig.ts';
import type { ModelApi } from '../../ports/models-door.ts';

const rig = doorRig();
afterEach(() => rig.close());

const api = fc.constantFrom<ModelApi>('anthropic', 'chat', 'responses', 'gemini');
const piece = fc.oneof(
  fc.uint8Array({ minLength: 1, maxLength: 60 }),
  fc
    .constantFrom(
      'data: [DONE]\n\n',
      'data: {"type":"message_stop"}\n\n',
      'data: {"type":"message_start","message":{"usage":{"input_tokens":-1}}}\n\n',
      'data: {"type":"response.completed","response":{"usage":null}}\n\n',
      'data: {"candidates":[{"finishReason":"STOP"}],"usageMetadata":[]}\n\n',
      'data: {"usage":{"prompt_tokens":1e999}}\n\n',
      '{"error":',
      'data: {"__proto__":{"isTerminal":true},"usage":{"__proto__":1}}\n\n',
    )
    .map((text) => Buffer.from(text)),
);
const answer = fc.record({
  status: fc.constantFrom(200, 200, 200, 204, 302, 400, 404, 413, 429, 500, 529),
  type: fc.constantFrom('text/event-stream', 'application/json', undefined),
  pieces: fc.array(piece, { maxLength: 6 }),
  end: fc.constantFrom('end', 'cut'),
});

test('whatever a service answers, its bytes pass unchanged or not at all, and the call is settled', async () => {
  let next: { status: number; type: string | undefined; pieces: Uint8Array[]; end: string } | null =
    null;
  const upstream = await rig.upstream((incoming, outgoing) => {
    incoming.resume();
    const say = next;
    if (say === null) return;
    outgoing.writeHead(say.status, say.type === undefined ? {} : { 'content-type': say.type });
    for (const bytes of say.pieces) outgoing.write(bytes);
    if (say.end === 'end') outgoing.end();
    else outgoing.destroy();
  });
  const { door, post, faults, signals } = await rig.door({ upstream });
  await fc.assert(
    fc.asyncProperty(api, answer, async (of, said) => {
      next = said;
      door.reopen();
      const before = signals.length;
      const got = await post(asking[of].path, asking[of].body(true));
      const whole = Buffer.concat(said.pieces).toString();
      if (got.status === 200) {
        expect(whole.startsWith(got.text.replace(/\uFFFD+$/, ''))).toBe(true);
        if (got.isWhole) expect(got.text).toBe(whole);
      }
      if (said.status === 429 && said.end === 'end') {
        expect([429, 402, 400, 403]).toContain(got.status);
      }
      expect(got.headers).not.toHaveProperty('location');
      const told = signals.slice(before).map(({ kind }) => kind);
      expect(told.filter((kind) => kind === 'ended')).toHaveLength(1);
      expect(door.state().inFlight).toEqual([]);
      expect(faults).toEqual([]);
    }),
    { numRuns: 150 },
  );
  const { usage } = door.usage();
  for (const count of [usage.tokensIn, usage.tokensOut, usage.costUsd ?? 0]) {
    expect(Number.isFinite(count) && count >= 0).toBe(true);
  }
});

test('whatever a lane sends, the door answers or hangs up, and lives', async () => {
  const upstream = await rig.upstream((incoming, outgoing) => {
    incoming.resume();
    outgoing.end('{}');
  });
  const { post, faults } = await rig.door({ upstream });
  const path = fc.oneof(
    fc.constantFrom('/v1/messages', '/v1/responses', '/v1/chat/completions', '/v1beta/models/m:x'),
    fc.webPath(),
  );
  const body = fc.oneof(
    fc.json(),
    fc.uint8Array({ maxLength: 80 }).map((bytes) => Buffer.from(bytes)),
  );
  await fc.assert(
    fc.asyncProperty(
      path,
      body,
      fc.constantFrom('POST', 'PUT', 'GET'),
      async (at, sent, method) => {
        const got = await post(at, sent, { method });
        expect([200, 400, 402, 403, 404, 413, 502]).toContain(got.status);
        expect(faults).toEqual([]);
      },
    ),
    { numRuns: 150 },
  );
});
