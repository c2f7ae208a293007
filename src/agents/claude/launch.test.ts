import { expect, test } from 'vitest';
import { turnSetting } from '../../../test/support/turn-setting.ts';
import { claudeAdapter } from './adapter.ts';

const argv = (...more: Parameters<typeof turnSetting>) =>
  claudeAdapter.launch(turnSetting(...more)).argv;

test('the prompt goes by stdin, whatever its size; every word tells its mode (RR-19, L-J4)', () => {
  const prompt = 'x'.repeat(200_000);
  const launch = claudeAdapter.launch(turnSetting({ dispatch: { prompt } }));
  const [begin = ''] = launch.talk.begin().write;
  expect(JSON.parse(begin)).toEqual({
    type: 'user',
    message: { role: 'user', content: prompt },
  });
  expect([launch.stdin, launch.talk.isOpen]).toEqual([null, true]);
  expect(launch.argv.slice(0, 13)).toEqual([
    ...['/bin/claude', '-p', '--output-format', 'stream-json', '--verbose'],
    ...['--input-format', 'stream-json', '--permission-prompt-tool', 'stdio'],
    ...['--include-partial-messages', '--permission-mode', 'acceptEdits', '--settings'],
  ]);
  expect(launch.argv.join(' ')).toContain('--setting-sources project --strict-mcp-config');
  expect(launch.modelTimeoutMs).toBe(360_000);
});

test('provider server-side tools are off (PL-92)', () => {
  for (const permissions of ['workspace', 'trusted', 'ask'] as const) {
    const off = argv({ permissions }).find((word) => word.startsWith('--disallowedTools='));
    expect(off).toContain('WebSearch');
    const { env } = claudeAdapter.launch(turnSetting({ permissions }));
    expect(env['CLAUDE_CODE_DISABLE_ADVISOR_TOOL']).toBe('1');
  }
});

test('each permission is a mode of its own; a judge edits nothing (UX 1.5)', () => {
  const modeIn = (words: readonly string[]) =>
    words.includes('--dangerously-skip-permissions')
      ? 'all'
      : words[words.indexOf('--permission-mode') + 1];
  expect(modeIn(argv({ permissions: 'workspace' }))).toBe('acceptEdits');
  expect(modeIn(argv({ permissions: 'trusted' }))).toBe('all');
  expect(modeIn(argv({ permissions: 'ask' }))).toBe('manual');
  for (const role of ['judge', 'consult'] as const) {
    expect(modeIn(argv({ job: { role } }))).toBe('manual');
  }
  const sandbox = argv({ permissions: 'workspace' }).find((word) => word.startsWith('{'));
  expect(JSON.parse(sandbox ?? '')).toEqual({
    sandbox: { enabled: true, autoAllowBashIfSandboxed: true, allowUnsandboxedCommands: false },
  });
  expect(argv({ permissions: 'ask' }).some((word) => word.startsWith('{'))).toBe(false);
  // Without the programs that it is made of there is no sandbox, and commands are denied.
  const bare = { claude: '/bin/claude', bwrap: '/bin/bwrap' };
  expect(argv({ programs: bare })).not.toContain('--settings');
  expect(argv({ programs: bare, there: ['/usr/bin/sandbox-exec'] })).toContain('--settings');
});

test('root needs a word more to be trusted, and only then', () => {
  const env = (isRoot: boolean, permissions: 'trusted' | 'workspace') =>
    claudeAdapter.launch(turnSetting({ permissions, isRoot })).env;
  expect(env(true, 'trusted')['IS_SANDBOX']).toBe('1');
  expect([env(false, 'trusted'), env(true, 'workspace')].map((one) => one['IS_SANDBOX'])).toEqual([
    undefined,
    undefined,
  ]);
});

test('with a key it has a home of its own, every dialog answered; with a login, nothing', () => {
  const env = { ANTHROPIC_API_KEY: 'held-by-pawl-0123456789-abc', ANTHROPIC_BASE_URL: 'http://d' };
  const keyed = claudeAdapter.launch(turnSetting({ role: { models: 'inject' }, env }));
  expect(keyed.env['CLAUDE_CONFIG_DIR']).toBe('/homes/run/execute');
  expect(keyed.env['XDG_CACHE_HOME']).toBeUndefined();
  expect(keyed.seeds).toHaveLength(1);
  const [seed] = keyed.seeds ?? [];
  expect(JSON.parse(seed !== undefined && 'text' in seed ? seed.text : '')).toMatchObject({
    hasCompletedOnboarding: true,
    customApiKeyResponses: { approved: ['y-pawl-0123456789-abc'.slice(-20)] },
    projects: { '/tree': { hasTrustDialogAccepted: true } },
  });
  for (const role of [{}, { models: 'pass' as const }]) {
    const own = claudeAdapter.launch(turnSetting({ role, env }));
    expect([own.env['CLAUDE_CONFIG_DIR'], own.seeds]).toEqual([undefined, []]);
  }
});

test('a key of another service is no key for it', () => {
  const setting = turnSetting({ role: { models: 'inject' }, env: { OPENAI_API_KEY: 'x' } });
  expect(() => claudeAdapter.launch(setting)).toThrow('claude needs a key of Anthropic');
});

test('one that is not there is named', () => {
  expect(() => argv({ programs: {} })).toThrow('claude is not on the PATH');
});

test('it goes on with its own conversation, and with nothing else that is named so', () => {
  const sessionId = 'e70c4644-7820-42b4-bd79-5a60417ed282';
  expect(argv({ dispatch: { sessionId } }).join(' ')).toContain(`--resume ${sessionId}`);
  expect(argv({ dispatch: { sessionId: '--help' } })).not.toContain('--resume');
  expect(argv({})).not.toContain('--resume');
});

test('its model and further arguments are those of its role', () => {
  const words = argv({ role: { model: 'opus', args: ['--add-dir', '{cwd}'] } }).join(' ');
  expect(words).toContain('--model opus');
  expect(words).toMatch(/--add-dir \/tree$/);
});

test('servers are given in a file, with what they are given', () => {
  const server = { name: 'pawl', command: 'node', args: ['s.js'], env: { TOKEN: 'secret' } };
  const { argv: words, seeds, env } = claudeAdapter.launch(turnSetting({ servers: [server] }));
  expect(words.join(' ')).toContain('--mcp-config /homes/run/execute/pawl-servers.json');
  expect(words.join(' ')).not.toContain('secret');
  expect(seeds?.[0]).toEqual({
    path: 'pawl-servers.json',
    text: '{"mcpServers":{"pawl":{"type":"stdio","command":"node","args":["s.js"],"env":{"TOKEN":"secret"}}}}',
  });
  expect([env['ENABLE_TOOL_SEARCH'], env['XDG_CACHE_HOME']]).toEqual(['false', undefined]);
  const keyed = { role: { models: 'inject' as const }, env: { ANTHROPIC_API_KEY: 'held' } };
  const own = claudeAdapter.launch(turnSetting({ ...keyed, servers: [server] })).env;
  expect(own['XDG_CACHE_HOME']).toBe('/homes/run/execute/cache');
});

test('what it notes of servers stays in the home of its own', () => {
  const server = { name: 'pawl', command: 'node', args: [], env: {} };
  const setting = { servers: [server], role: { models: 'inject' as const } };
  const { env } = claudeAdapter.launch(
    turnSetting({ ...setting, env: { ANTHROPIC_API_KEY: 'k' } }),
  );
  expect(env['XDG_CACHE_HOME']).toBe('/homes/run/execute/cache');
});

test('its prompt is sent once it runs, which is told (RR-17)', () => {
  const { talk } = claudeAdapter.launch(turnSetting({}));
  expect(talk.prompt).toBe('told');
  expect(talk.begin().events).toEqual([{ kind: 'delivery', state: 'sent' }]);
});
