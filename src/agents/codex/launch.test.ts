import { expect, test } from 'vitest';
import { turnSetting } from '../../../test/support/turn-setting.ts';
import { codexAdapter } from './adapter.ts';

const argv = (...more: Parameters<typeof turnSetting>) =>
  codexAdapter.launch(turnSetting(...more)).argv;
/** What is overridden by `-c`. */
const overridden = (words: readonly string[]) =>
  words.filter((_, at) => at > 0 && words[at - 1] === '-c');

test('the prompt goes to stdin, whatever its size (RR-19, L-J4)', () => {
  const prompt = 'x'.repeat(200_000);
  const launch = codexAdapter.launch(turnSetting({ dispatch: { prompt } }));
  expect(launch.stdin).toBe(prompt);
  expect(launch.argv.slice(0, 4)).toEqual([
    '/bin/codex',
    'exec',
    '--json',
    '--skip-git-repo-check',
  ]);
  expect(launch.argv.at(-1)).toBe('-');
});

test('provider server-side tools, updates and reports are off (PL-92)', () => {
  for (const permissions of ['workspace', 'trusted'] as const) {
    expect(overridden(argv({ permissions }))).toEqual(
      expect.arrayContaining([
        ...['web_search="disabled"', 'check_for_update_on_startup=false'],
        ...['analytics.enabled=false', 'approval_policy="never"'],
        ...['features.image_generation=false', 'features.plugins=false'],
        ...['features.daemon_auto_start=false', 'features.apps=false'],
      ]),
    );
  }
});

test('each permission is a sandbox of its own; a judge reads only (UX 1.5)', () => {
  const sandbox = (words: readonly string[]) =>
    overridden(words).find((word) => word.startsWith('sandbox_mode')) ?? null;
  expect(sandbox(argv({ permissions: 'workspace' }))).toBe('sandbox_mode="workspace-write"');
  for (const role of ['judge', 'consult'] as const) {
    expect(sandbox(argv({ job: { role } }))).toBe('sandbox_mode="read-only"');
  }
  expect(sandbox(argv({ permissions: 'ask' }))).toBe('sandbox_mode="read-only"');
  expect(sandbox(argv({ permissions: 'trusted' }))).toBe(null);
  const bypass = '--dangerously-bypass-approvals-and-sandbox';
  expect(argv({ permissions: 'trusted' })).toContain(bypass);
  expect(argv({ permissions: 'workspace' })).not.toContain(bypass);
});

test('with a key it has a home and a configuration of its own', () => {
  const env = {
    OPENAI_API_KEY: 'held',
    OPENAI_BASE_URL: 'http://127.0.0.1:1/t/v1',
    TMPDIR: '/tmp',
  };
  const keyed = codexAdapter.launch(turnSetting({ role: { models: 'inject' }, env }));
  expect(keyed.env['CODEX_HOME']).toBe('/homes/run/execute');
  expect(keyed.env['TMPDIR']).toBe(undefined);
  const [seed] = keyed.seeds ?? [];
  expect(seed).toMatchObject({ path: 'config.toml' });
  expect(seed !== undefined && 'text' in seed ? seed.text : '').toContain(
    'base_url = "http://127.0.0.1:1/t/v1"\nenv_key = "OPENAI_API_KEY"\nwire_api = "responses"\n',
  );
  expect(keyed.argv).not.toContain('--ignore-user-config');
});

test('a home among temporary files brings a place for those, or no command would run', () => {
  const env = { OPENAI_API_KEY: 'held', TMPDIR: '/homes/run' };
  const { env: given, seeds } = codexAdapter.launch(
    turnSetting({ role: { models: 'inject' }, env }),
  );
  expect(given['TMPDIR']).toBe('/homes/run/execute/temporary');
  expect(seeds?.map(({ path }) => path)).toContain('temporary/.keep');
});

test("with the user's login nothing is put anywhere, and personal configuration is left out", () => {
  const own = codexAdapter.launch(turnSetting({ env: { OPENAI_API_KEY: 'of the user' } }));
  expect([own.env['CODEX_HOME'], own.seeds]).toEqual([undefined, []]);
  expect(own.argv).toContain('--ignore-user-config');
});

test('a key of another service is no key for it', () => {
  const setting = turnSetting({ role: { models: 'inject' }, env: { ANTHROPIC_API_KEY: 'x' } });
  expect(() => codexAdapter.launch(setting)).toThrow('codex needs a key of OpenAI');
});

const thread = '01a2291f-38ee-7f61-9707-b8c41bd0ca1c';
const record = (home: string, day = '2026/11/29') => {
  const folder = `${home}/sessions/${day}`;
  const name = `rollout-2026-11-29T21-04-01-${thread}.jsonl`;
  const total = { input_tokens: 2468, cached_input_tokens: 40, output_tokens: 112 };
  const line = (info: object | null) => ({
    type: 'event_msg',
    payload: { type: 'token_count', info },
  });
  const lines = [line({ total_token_usage: total }), { type: 'turn_context' }, line(null)];
  const text = lines.map((one) => JSON.stringify(one)).join('\n');
  return { folders: { [folder]: ['other.jsonl', name] }, files: { [`${folder}/${name}`]: text } };
};
const dispatch = { sessionId: thread };

test('it goes on with its own thread where that is kept, and with nothing else', () => {
  const words = argv({ dispatch, env: { HOME: '/me' }, ...record('/me/.codex') });
  expect(words.slice(1, 3)).toEqual(['exec', 'resume']);
  expect(words.slice(-2)).toEqual([thread, '-']);
  const elsewhere = { HOME: '/me', CODEX_HOME: '/c' };
  expect(argv({ dispatch, env: elsewhere, ...record('/c') })).toContain('resume');
  const keyed = { role: { models: 'inject' as const }, env: { OPENAI_API_KEY: 'held' } };
  expect(argv({ dispatch, ...keyed, ...record('/homes/run/execute') })).toContain('resume');
  expect(argv({ dispatch, ...keyed, ...record('/me/.codex') })).not.toContain('resume');
  expect(argv({ dispatch: { sessionId: '--last' } })).not.toContain('resume');
});

test('a day is that of the wall, wherever it hangs', () => {
  for (const day of ['2026/11/28', '2026/11/29', '2026/11/30']) {
    expect(argv({ dispatch, env: { HOME: '/me' }, ...record('/me/.codex', day) })).toContain(
      'resume',
    );
  }
});

test('what its thread had used is taken off, as its record has it', () => {
  const setting = turnSetting({ dispatch, env: { HOME: '/me' }, ...record('/me/.codex') });
  const { talk } = codexAdapter.launch(setting);
  const usage = { input_tokens: 3702, cached_input_tokens: 60, output_tokens: 168 };
  talk.line(JSON.stringify({ type: 'turn.completed', usage }));
  expect(talk.end({ exit: 0, signal: null }, null).usage).toMatchObject({
    ...{ tokensIn: 1214, cacheRead: 20, tokensOut: 56 },
  });
});

test("the program itself is started, not npm's launcher, where it can be found", () => {
  const shim = '/lib/node_modules/@openai/codex/bin/codex.js';
  const beside =
    '/lib/node_modules/@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex';
  const inside =
    '/lib/node_modules/@openai/codex/node_modules/@openai/codex-darwin-arm64/vendor/aarch64-apple-darwin/bin/codex';
  const program = (...there: readonly string[]) => argv({ programs: { codex: shim }, there })[0];
  expect([program(beside), program(inside), program()]).toEqual([beside, inside, shim]);
  expect(() => argv({ programs: {} })).toThrow('codex is not on the PATH');
});

test('what servers are given stands in no argument', () => {
  const server = { name: 'pawl', command: 'node', args: ['s "x"'], env: { TOKEN: 'secret' } };
  const launch = codexAdapter.launch(turnSetting({ servers: [server] }));
  expect(overridden(launch.argv)).toEqual(
    expect.arrayContaining([
      ...['mcp_servers.pawl.command="node"', 'mcp_servers.pawl.args=["s \\"x\\""]'],
      'mcp_servers.pawl.env_vars=["TOKEN"]',
    ]),
  );
  expect(launch.argv.join(' ')).not.toContain('secret');
  expect(launch.env['TOKEN']).toBe('secret');
});

test('its model and further arguments are those of its role', () => {
  const words = argv({ role: { model: 'o9', args: ['--add-dir', '{cwd}'] } }).join(' ');
  expect(words).toMatch(/-m o9 --add-dir \/tree -$/);
});
