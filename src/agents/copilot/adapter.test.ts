import { expect, test } from 'vitest';
import { agentOf, replay } from '../../../test/support/acp-rig.ts';
import { type SettingChange, turnSetting } from '../../../test/support/turn-setting.ts';
import type { Dispatch } from '../../ports/plane.ts';
import { copilotAdapter } from './adapter.ts';
import { silentFailure } from './failure.ts';

const recorded = (name: string) => new URL(`./recorded/${name}.ndjson`, import.meta.url);
const definition = (set: Readonly<Record<string, string>> = {}) =>
  ({ env: { allow: [], set } }) as unknown as Dispatch['definition'];
const launched = ({ dispatch, ...more }: SettingChange = {}) =>
  copilotAdapter.launch(
    turnSetting({ ...more, dispatch: { definition: definition(), ...dispatch } }),
  );
const door = {
  ...{ OPENAI_BASE_URL: 'http://127.0.0.1:1/x/t/v1', OPENAI_API_KEY: 'held-by-pawl' },
  ...{ ANTHROPIC_BASE_URL: 'http://127.0.0.1:1/x/t', ANTHROPIC_API_KEY: 'held-by-pawl' },
};
const keyed = (model: string | null, set = {}) =>
  launched({
    ...{ role: { models: 'inject', model }, env: door },
    dispatch: { definition: definition(set) },
  }).env;

test.each([
  ['trusted', [], 'on'],
  ['workspace', ['--allow-tool=write', '--allow-tool=shell'], 'off'],
  ['ask', ['--allow-tool=write'], 'off'],
] as const)(
  '%s: what it may do unasked, and that it is read back (UX 1.5)',
  (permissions, may, all) => {
    const { argv, talk } = launched({ permissions });
    expect(argv.filter((word) => word.startsWith('--allow-tool'))).toEqual(may);
    expect(argv.includes('--disallow-temp-dir')).toBe(permissions !== 'trusted');
    expect(argv.includes('--add-dir=/spool/turn')).toBe(permissions !== 'trusted');
    const agent = agentOf(talk);
    replay(agent, recorded('allowed'));
    expect(agent.heard.map(({ params }) => params)).toContainEqual(
      expect.objectContaining({ configId: 'allow_all', value: all }),
    );
  },
);

test.each(['judge', 'consult'] as const)(
  'a %s writes nothing, and a tool that we give is not asked about',
  (role) => {
    const server = { name: 'probe', command: 'node', args: ['x'], env: { A: 'b' } };
    const judge = launched({ job: { role }, servers: [server] });
    expect(judge.argv.filter((word) => word.startsWith('--allow-tool'))).toEqual([
      ...['--allow-tool=shell', '--allow-tool=probe'],
    ]);
    expect(judge.argv).toContain('--additional-mcp-config=@/homes/run/execute/pawl-servers.json');
    expect(JSON.parse(judge.seeds?.[0]?.text ?? '')).toEqual({
      mcpServers: {
        probe: { type: 'local', command: 'node', args: ['x'], env: { A: 'b' }, tools: ['*'] },
      },
    });
  },
);

test('nothing of the prompt is in its command line: it is sent by the protocol (RR-19, L-J4)', () => {
  const prompt = 'y'.repeat(200_000);
  const { argv, stdin, talk } = launched({ dispatch: { prompt } });
  expect([stdin, argv.join(' ').includes('yy')]).toEqual([null, false]);
  const agent = agentOf(talk);
  replay(agent, recorded('allowed'));
  const asked = agent.heard.find(({ method }) => method === 'session/prompt');
  expect(asked?.params).toMatchObject({ prompt: [{ type: 'text', text: prompt }] });
});

test('the program itself is started, where npm put a launcher in front of it', () => {
  const root = '/n/node_modules/@github';
  const native = `${root}/copilot-linux-x64/copilot`;
  const programs = { copilot: `${root}/copilot/npm-loader.js` };
  expect(launched({ programs, there: [native] }).argv[0]).toBe(native);
  expect(launched({ programs }).argv[0]).toBe(programs.copilot);
  expect(() => launched({ programs: {} })).toThrow('copilot is not on the PATH');
});

test('updates, telemetry and remote control are off; nobody else is asked with a key (RR-20)', () => {
  const { argv, env } = launched();
  expect(argv).toEqual(expect.arrayContaining(['--no-auto-update', '--no-remote']));
  expect(argv).toContain('--disable-client-telemetry');
  expect(env).not.toHaveProperty('COPILOT_HOME');
  expect(keyed('gpt-5')).toMatchObject({
    ...{ COPILOT_OFFLINE: 'true', COPILOT_AUTO_UPDATE: 'false' },
    ...{ COPILOT_HOME: '/homes/run/execute', XDG_CACHE_HOME: '/homes/run/execute/cache' },
  });
});

test('with a key it asks the service that has the model of its role (SL-84)', () => {
  expect(keyed('gpt-5')).toMatchObject({
    ...{ COPILOT_PROVIDER_TYPE: 'openai', COPILOT_PROVIDER_WIRE_API: 'responses' },
    ...{ COPILOT_PROVIDER_BASE_URL: door.OPENAI_BASE_URL, COPILOT_MODEL: 'gpt-5' },
    COPILOT_PROVIDER_API_KEY: 'held-by-pawl',
  });
  expect(keyed('claude-x')).toMatchObject({
    ...{ COPILOT_PROVIDER_TYPE: 'anthropic', COPILOT_MODEL: 'claude-x' },
    COPILOT_PROVIDER_BASE_URL: door.ANTHROPIC_BASE_URL,
  });
  expect(keyed('qwen3', { OPENAI_BASE_URL: 'https://gateway.example/v1' })).toMatchObject({
    ...{ COPILOT_PROVIDER_WIRE_API: 'completions', COPILOT_MODEL: 'qwen3' },
  });
  expect(() => keyed(null)).toThrow(/the name of a model/);
  expect(() => launched({ role: { models: 'pass' } })).toThrow(/through the models door/);
  expect(launched({ role: { model: 'm' } }).env).toMatchObject({ COPILOT_MODEL: 'm' });
});

test('recorded: a command that was allowed; its figures are those of the turn', () => {
  const agent = agentOf(launched({ permissions: 'ask' }).talk);
  replay(agent, recorded('allowed'));
  expect(agent.events.filter(({ kind }) => /tool_|permission|started/.test(kind))).toMatchObject([
    { kind: 'started', version: '1.0.102', mode: expect.stringMatching(/#agent$/) },
    { kind: 'tool_started', id: 'call_turn_0', name: 'execute' },
    { kind: 'permission', title: 'run a command' },
    { kind: 'tool_finished', id: 'call_turn_0', status: 'completed' },
  ]);
  expect(agent.talk.end({ exit: null, signal: null }, null)).toMatchObject({
    ...{ outcome: 'turn_ended', text: 'done' },
    usage: { tokensIn: 2428, tokensOut: 112, cacheRead: 40 },
  });
});

test('recorded: a command that was denied ends the turn', () => {
  const agent = agentOf(launched({ permissions: 'ask' }).talk);
  replay(agent, recorded('denied'));
  expect(agent.events).toContainEqual({
    ...{ kind: 'tool_finished', id: 'call_turn_0', status: 'failed' },
  });
  expect(agent.talk.end({ exit: 0, signal: null }, null).outcome).toBe('turn_ended');
});

test('it has no word for a question; what it leaves as one ends its turn', () => {
  const agent = agentOf(launched({ permissions: 'ask' }).talk);
  replay(agent, recorded('allowed'));
  const left = JSON.stringify({ outcome: 'question', text: 'Which?' });
  expect(agent.talk.end({ exit: 0, signal: null }, left)).toMatchObject({
    ...{ outcome: 'question', text: 'Which?', usage: { tokensIn: 2428 } },
  });
});

test('recorded: an earlier conversation is gone on with', () => {
  const sessionId = '421e243b-b2be-4656-b166-ac75ce37d466';
  const agent = agentOf(launched({ dispatch: { sessionId } }).talk);
  replay(agent, recorded('load'), '"id":2,"result"');
  expect(agent.asked()).toContain('session/load');
  expect(agent.events.filter(({ kind }) => kind.startsWith('tool_'))).toEqual([]);
  expect(agent.talk.end({ exit: 0, signal: null }, null)).toMatchObject({
    ...{ outcome: 'turn_ended', text: 'plain answer', sessionId },
  });
});

test.each([
  ['unauthorized', { outcome: 'failed', class: 'auth_required' }],
  ['server-error', { outcome: 'failed', class: 'transport_lost' }],
  ['context-overflow', { outcome: 'failed', class: 'context_overflow' }],
  ['limited', { outcome: 'limit', until: null }],
] as const)('recorded: %s is none of the ends that it is told as (L-E3, L-E11)', (name, end) => {
  const agent = agentOf(launched().talk);
  replay(agent, recorded(name));
  expect(agent.talk.end({ exit: 0, signal: null }, null)).toMatchObject(end);
});

test.each([
  [
    'Error: Failed to get response from the AI model; retried 5 times (x) Last error: 429 x',
    'limit',
  ],
  ['Error: Failed to get response from the AI model; retried 5 times (x)', 'transport_lost'],
  ['Error: 404 no such model', 'dispatch_failed'],
  ['Error: the test fails with 401', null],
  ['The log says: Error: 500 x', null],
] as const)('%s: a beginning of its own, never a sentence (L-E3)', (lastPiece, found) => {
  const failure = silentFailure({ lastPiece });
  expect(failure?.how === 'limit' ? 'limit' : (failure?.class ?? null)).toBe(found);
});
