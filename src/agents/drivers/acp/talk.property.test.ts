import fc from 'fast-check';
import { expect, test } from 'vitest';
import { acpAgent, session } from '../../../../test/support/acp-rig.ts';

const runs = { numRuns: Number(process.env['PROPERTY_RUNS'] ?? 300) };
const word = fc.constantFrom(
  'session/update',
  'session/request_permission',
  '$/cancel_request',
  'tool_call',
  'tool_call_update',
  'agent_message_chunk',
  'usage_update',
  'current_mode_update',
  'config_option_update',
  'pending',
  'completed',
  session,
  'a',
);
const leaf = fc.oneof(
  word,
  fc.string(),
  fc.integer(),
  fc.double(),
  fc.constant(null),
  fc.boolean(),
);
const key = fc.constantFrom(
  ...['jsonrpc', 'id', 'method', 'params', 'result', 'error', 'code', 'message', 'data', 'update'],
  ...['sessionId', 'sessionUpdate', 'content', 'text', 'toolCallId', 'status', 'title', 'rawInput'],
  ...['toolCall', 'options', 'optionId', 'kind', 'stopReason', 'usage', 'cost', 'amount'],
  ...['configOptions', 'modes', 'currentModeId', 'requestId', '__proto__', 'constructor'],
);
const value = fc.letrec((tie) => ({
  any: fc.oneof({ depthSize: 'small' }, leaf, tie('list'), tie('object')),
  list: fc.array(tie('any'), { maxLength: 4 }),
  object: fc.dictionary(key, tie('any'), { maxKeys: 6 }),
})).any;
const line = fc.oneof(
  fc.string(),
  value.map((one) => JSON.stringify(one) ?? ''),
  fc
    .record({ id: fc.integer({ min: 0, max: 6 }), result: value })
    .map((one) => JSON.stringify(one)),
  fc.record({ id: fc.integer({ min: 0, max: 6 }), error: value }).map((one) => JSON.stringify(one)),
  fc
    .record({
      method: word,
      id: fc.option(fc.integer({ min: 0, max: 3 }), { nil: undefined }),
      params: fc.record({ sessionId: fc.constant(session), update: value, toolCall: value }),
    })
    .map((one) => JSON.stringify(one)),
);

test('no line that an agent prints throws, and what is written is a message (L-I2)', () => {
  fc.assert(
    fc.property(fc.array(line, { maxLength: 60 }), fc.boolean(), (lines, opens) => {
      const agent = acpAgent({ settings: [{ kind: 'mode', value: 'a' }] });
      if (opens) {
        agent.opens();
        agent.answers({});
      }
      for (const [n, text] of lines.entries()) {
        agent.prints(text);
        if (n % 7 === 3) agent.takes(agent.talk.decide(String(n % 4), 'allow'));
      }
      agent.takes(agent.talk.cancel());
      expect(agent.talk.end({ exit: 1, signal: null }, null)).toHaveProperty('outcome');
      expect(agent.events.filter(({ kind }) => kind === 'turn_finished').length).toBeLessThan(2);
    }),
    runs,
  );
});

test('every tool that is said to end began before, and ends once', () => {
  const status = fc.constantFrom('pending', 'in_progress', 'completed', 'failed', 'odd', null);
  const update = fc.record({
    sessionUpdate: fc.constantFrom('tool_call', 'tool_call_update'),
    toolCallId: fc.constantFrom('a', 'b', 'c'),
    status,
  });
  fc.assert(
    fc.property(fc.array(update, { maxLength: 40 }), (updates) => {
      const agent = acpAgent();
      agent.opens();
      for (const one of updates) agent.updates(one);
      agent.answers({ stopReason: 'end_turn' });
      for (const id of ['a', 'b', 'c']) {
        const seen = agent.events.flatMap((event) =>
          'id' in event && event.id === id ? [event.kind] : [],
        );
        expect([[], ['tool_started', 'tool_finished']]).toContainEqual(seen);
      }
    }),
    runs,
  );
});

test('what an endless turn says does not pile up', () => {
  const agent = acpAgent();
  agent.opens();
  const text = 'x'.repeat(10_000);
  const content = { type: 'text', text };
  for (let n = 0; n < 2_000; n += 1) {
    agent.talk.line(
      JSON.stringify({
        method: 'session/update',
        params: { update: { sessionUpdate: 'agent_message_chunk', content } },
      }),
    );
  }
  agent.answers({ stopReason: 'end_turn' });
  const end = agent.talk.end({ exit: 0, signal: null }, null);
  expect('text' in end ? end.text?.length : 0).toBe(64 * 1024);
});
