import { expect, test } from 'vitest';
import type { AgentsHere } from '../ports/agents-here.ts';
import type { Programs } from '../ports/programs.ts';
import { type AgentSurroundings, agentsHere, installedAgents } from './agents.ts';

function around(
  versions: Readonly<Record<string, string | null>>,
  more: {
    readonly files?: readonly string[];
    readonly env?: Readonly<Record<string, string>>;
    readonly platform?: string;
  } = {},
): AgentSurroundings {
  const programs: Programs = {
    searched: ['/bin'],
    find: async (program) => (program in versions ? `/bin/${program}` : null),
    version: async (program) => versions[program] ?? null,
    hasFile: async (path) => more.files?.includes(path) === true,
  };
  return { programs, home: '/home/me', platform: more.platform ?? 'linux', env: more.env ?? {} };
}
async function told(surroundings: AgentSurroundings) {
  const agents = await installedAgents(surroundings);
  return agents.map(({ agent, version, login }) => [agent.name, version, login]);
}

test('installed agents come in the order of the table, with their version', async () => {
  const versions = { codex: 'codex-cli 0.171.0', claude: '2.1.332 (Claude Code)', other: '1.0.0' };
  expect(await told(around(versions))).toEqual([
    ['claude', '2.1.332', 'no'],
    ['codex', '0.171.0', 'no'],
  ]);
});

test('an agent that does not say its version is there all the same', async () => {
  expect(await told(around({ opencode: null }))).toEqual([['opencode', null, 'unknown']]);
});

test('one that did not answer in time is there, and that is said', async () => {
  const late = around({ pi: null });
  const version = async () => ({ notWithinMs: 10_000 });
  const [pi] = await installedAgents({ ...late, programs: { ...late.programs, version } });
  expect(pi).toMatchObject({ version: null, notWithinMs: 10_000 });
});

test.each([
  ['a login file', { files: ['/home/me/.codex/auth.json'] }, 'yes'],
  ['the name of a key variable', { env: { OPENAI_API_KEY: 'k' } }, 'yes'],
  ['an empty variable', { env: { OPENAI_API_KEY: '' } }, 'no'],
  [
    'a configuration that may hold another login',
    { files: ['/home/me/.codex/config.toml'] },
    'unknown',
  ],
  ['a variable that points elsewhere', { env: { CODEX_HOME: '/x' } }, 'unknown'],
  ['nothing', {}, 'no'],
] as const)('%s is login %s: never guessed (L-O7)', async (_, more, login) => {
  expect(await told(around({ codex: '1.0' }, more))).toEqual([['codex', '1.0', login]]);
});

test('where a key ring may hold the login the answer is unknown', async () => {
  expect(await told(around({ claude: '2.0' }, { platform: 'darwin' }))).toEqual([
    ['claude', '2.0', 'unknown'],
  ]);
});

test('an agent is advised by what its lanes would have, and by no program that is started', async () => {
  const none = { allow: [], set: {} };
  const advised = (env: Parameters<AgentsHere['of']>[0]['env'], secrets = {}, files?: string[]) => {
    const { env: _, ...here } = around({}, files === undefined ? {} : { files });
    const find = async (program: string, path?: string) =>
      path === '/run' && ['codex', 'opencode'].includes(program) ? `/run/${program}` : null;
    const version = () => Promise.reject(new Error('it was started'));
    return agentsHere({ ...here, programs: { ...here.programs, find, version } }).of({
      ...{ env, secrets },
    });
  };
  const path = '/run';
  expect(await advised({ ...none, path })).toEqual(['opencode']);
  expect(await advised({ ...none, path }, {}, ['/home/me/.codex/auth.json'])).toEqual([
    'codex',
    'opencode',
  ]);
  const both = ['codex', 'opencode'];
  expect(await advised({ ...none, path }, { OPENAI_API_KEY: 'file:/k' })).toEqual(both);
  const started = { values: {}, withheld: ['OPENAI_API_KEY'] };
  expect(await advised({ ...none, path, started })).toEqual(both);
  expect(await advised({ ...none, path: '/other', set: { PATH: path } })).toEqual(['opencode']);
  expect(await advised({ ...none, path: '/other' })).toEqual([]);
  expect(await advised(none)).toEqual([]);
});
