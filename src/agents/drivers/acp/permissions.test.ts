import { expect, test } from 'vitest';
import { acpAgent, session } from '../../../../test/support/acp-rig.ts';

const option = (optionId: string, kind: string, name = optionId) => ({ optionId, kind, name });
const options = [
  option('always', 'allow_always'),
  option('once_and_switch_to_default', 'allow_once'),
  option('once', 'allow_once'),
  option('never', 'reject_always'),
  option('no', 'reject_once'),
];
const ask = (toolCall: object, from: readonly object[] = options, isTrusted = false) => {
  const agent = acpAgent({ isTrusted });
  agent.opens();
  const params = { sessionId: session, toolCall, options: from };
  agent.prints({ id: 'p', method: 'session/request_permission', params });
  return agent;
};
const call = { toolCallId: 'a', kind: 'execute', title: 'rm x', rawInput: { b: 1, a: [2] } };

test('tells who asks for what, with a digest that the order of keys does not change', () => {
  const one = ask(call).events.at(-1);
  expect(one).toMatchObject({
    ...{ kind: 'permission', request: 'p', tool: 'execute', title: 'rm x' },
  });
  const again = { ...call, toolCallId: 'b', rawInput: { a: [2], b: 1 } };
  expect(ask(again).events.at(-1)).toMatchObject({ digest: digestOf(one) });
  const other = ask({ ...call, rawInput: { a: [3], b: 1 } }).events.at(-1);
  expect(digestOf(other)).not.toBe(digestOf(one));
});

const digestOf = (event: object | undefined) =>
  event !== undefined && 'digest' in event ? event.digest : null;

test.each([
  ['allow', options, 'once'],
  ['deny', options, 'no'],
] as const)('%s chooses what holds for this once, and switches nothing', (decision, from, id) => {
  const agent = ask(call, from);
  agent.takes(agent.talk.decide('p', decision));
  expect(agent.heard.at(-1)).toMatchObject({
    id: 'p',
    result: { outcome: { outcome: 'selected', optionId: id } },
  });
});

test.each([
  ['allow', [option('always', 'allow_always'), option('no', 'reject_once')]],
  ['deny', [option('once', 'allow_once')]],
  ['allow', []],
] as const)('%s where nothing fits calls the request off', (decision, from) => {
  const agent = ask(call, from);
  agent.takes(agent.talk.decide('p', decision));
  expect(agent.heard.at(-1)).toMatchObject({ result: { outcome: { outcome: 'cancelled' } } });
});

test('one that is trusted is not kept waiting, and asks nobody', () => {
  const agent = ask(call, options, true);
  expect(agent.heard.at(-1)).toMatchObject({ result: { outcome: { optionId: 'once' } } });
  expect(agent.events.filter(({ kind }) => kind === 'permission')).toEqual([]);
});

test('an allowed call has begun; a denied one has not (gemini emits nothing for it)', () => {
  const allowed = ask(call);
  allowed.takes(allowed.talk.decide('p', 'allow'));
  expect(allowed.events.at(-1)).toMatchObject({ kind: 'tool_started', id: 'a' });
  const denied = ask(call);
  denied.takes(denied.talk.decide('p', 'deny'));
  expect(denied.events.at(-1)).toMatchObject({ kind: 'permission' });
});

test('an answer to what nobody asked, or twice, is not sent', () => {
  const agent = ask(call);
  agent.takes(agent.talk.decide('other', 'allow'));
  agent.takes(agent.talk.decide('p', 'deny'));
  const { length } = agent.heard;
  agent.takes(agent.talk.decide('p', 'allow'));
  expect(agent.heard).toHaveLength(length);
});

test('a request that the agent takes back is answered as called off', () => {
  const agent = ask(call);
  agent.prints({ method: '$/cancel_request', params: { requestId: 'p' } });
  expect(agent.heard.at(-1)).toMatchObject({ result: { outcome: { outcome: 'cancelled' } } });
  expect(agent.events.at(-1)).toEqual({ kind: 'withdrawn', request: 'p' });
  const { length } = agent.events;
  agent.prints({ method: '$/cancel_request', params: { requestId: 'p' } });
  expect(agent.events).toHaveLength(length);
});

test('a flood of requests is bounded: the ones too many are called off', () => {
  const agent = acpAgent();
  agent.opens();
  for (let id = 0; id < 300; id += 1) {
    agent.prints({ id, method: 'session/request_permission', params: { toolCall: call } });
  }
  expect(agent.events.filter(({ kind }) => kind === 'permission')).toHaveLength(100);
  expect(agent.heard.filter(({ result }) => result !== undefined)).toHaveLength(200);
});
