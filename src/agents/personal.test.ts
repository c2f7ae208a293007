/** UX 1.5: what a user has for an agent beside its login is kept out, or used. */
import { expect, test } from 'vitest';
import { type SettingChange, turnSetting } from '../../test/support/turn-setting.ts';
import type { Launch } from '../ports/agent.ts';
import type { Dispatch } from '../ports/plane.ts';
import { adapterOf } from './adapters.ts';
import { personalSkills } from './personal.ts';

const definition = { env: { allow: [], set: {} } } as unknown as Dispatch['definition'];
const launched = (agent: string, change: SettingChange = {}): Launch => {
  const { env = {}, dispatch = {}, ...more } = change;
  const setting = turnSetting({
    role: { agent },
    env: { HOME: '/me', ...env },
    dispatch: { definition, ...dispatch },
    ...more,
  });
  return adapterOf(setting.role).launch(setting);
};
const seeded = ({ seeds = [] }: Launch, path: string) =>
  JSON.parse(seeds.find((seed) => seed.path === path)?.text ?? 'null');
const line = ({ argv }: Launch): string => argv.join(' ');
const user = { agentConfig: 'user' } as const;
const skill = 'name: mine\ndescription: x\n';
const skillsAt = (...folders: readonly string[]): SettingChange => ({
  folders: Object.fromEntries(folders.map((folder) => [folder, ['mine']])),
  there: folders.map((folder) => `${folder}/mine/SKILL.md`),
  files: Object.fromEntries(folders.map((folder) => [`${folder}/mine/SKILL.md`, skill])),
});

test('claude reads the settings of the repository alone, or all of them', () => {
  expect(line(launched('claude'))).toContain('--setting-sources project --strict-mcp-config');
  expect(line(launched('claude', user))).not.toMatch(/setting-sources|strict-mcp/);
});

test('codex reads no configuration of its user, runs no hook and is told each skill', () => {
  const clean = launched('codex', skillsAt('/me/.codex/skills', '/me/.agents/skills'));
  expect(clean.argv).toContain('--ignore-user-config');
  expect(clean.argv).toContain('features.hooks=false');
  expect(line(clean)).toContain(
    'skills.config=[{path="/me/.agents/skills/mine/SKILL.md", enabled=false}, ' +
      '{path="/me/.codex/skills/mine/SKILL.md", enabled=false}]',
  );
  expect(line(launched('codex'))).not.toContain('skills.config');
  const used = line(launched('codex', { ...user, ...skillsAt('/me/.codex/skills') }));
  expect(used).not.toMatch(/ignore-user-config|features\.hooks|skills\.config/);
});

test('pi loads neither extensions nor skills, or both', () => {
  const own = { permissions: 'trusted' } as const;
  expect(line(launched('pi', own))).toContain('--no-extensions --no-skills');
  expect(line(launched('pi', { ...own, ...user }))).not.toContain('--no-');
});

test('opencode looks for its configuration elsewhere, and for its login where it lies', () => {
  const { env } = launched('opencode');
  expect(env).toMatchObject({
    XDG_CONFIG_HOME: '/homes/run/execute/config',
    OPENCODE_TEST_HOME: '/homes/run/execute',
    OPENCODE_PURE: '1',
  });
  expect(env).not.toHaveProperty('XDG_DATA_HOME');
  expect(env).not.toHaveProperty('HOME');
  const names = Object.keys(launched('opencode', user).env);
  expect(names.filter((name) => /HOME|PURE/.test(name))).toEqual([]);
});

const server = { name: 'probe', command: 'node', args: [], env: {} };

test('gemini is let start no server but ours, no hook, and none of the skills of its user', () => {
  const clean = launched('gemini', {
    ...skillsAt('/me/.gemini/skills', '/me/.agents/skills'),
    servers: [server],
  });
  expect(line(clean)).toContain(
    '--extensions none --allowed-mcp-server-names pawl --allowed-mcp-server-names probe',
  );
  expect(seeded(clean, 'pawl-settings.json')).toMatchObject({
    hooksConfig: { enabled: false },
    skills: { disabled: ['mine', 'mine'] },
  });
  const used = launched('gemini', { ...user, ...skillsAt('/me/.gemini/skills') });
  expect(line(used)).not.toMatch(/extensions|allowed-mcp/);
  const settings = seeded(used, 'pawl-settings.json');
  expect([settings.hooksConfig, settings.skills]).toEqual([undefined, undefined]);
});

test('qwen is let start no server but ours and no hook, and has no tool for skills of its user', () => {
  const clean = launched('qwen', { ...skillsAt('/me/.agents/skills'), servers: [server] });
  expect(line(clean)).toContain('--extensions none');
  expect(seeded(clean, 'pawl-settings.json')).toMatchObject({
    mcp: { allowed: ['pawl', 'probe'] },
    disableAllHooks: true,
    tools: { exclude: ['skill'] },
  });
  // Those of the repository stay where its user has none.
  expect(seeded(launched('qwen'), 'pawl-settings.json').tools).not.toHaveProperty('exclude');
  const used = launched('qwen', { ...user, ...skillsAt('/me/.qwen/skills') });
  expect(line(used)).not.toContain('extensions');
  const settings = seeded(used, 'pawl-settings.json');
  expect([settings.mcp, settings.disableAllHooks, settings.tools.exclude]).toEqual([
    ...[undefined, undefined, undefined],
  ]);
});

test('copilot is told each server of its user; where its login is given it has another home', () => {
  const mine: SettingChange = {
    ...skillsAt('/me/.copilot/skills'),
    files: {
      '/me/.copilot/mcp-config.json': '{"mcpServers":{"a":{},"b":{}}}',
      '/me/.copilot/skills/mine/SKILL.md': skill,
    },
  };
  const clean = launched('copilot', mine);
  expect(line(clean)).toContain(
    '--disable-mcp-server=a --disable-mcp-server=b --excluded-tools=skill',
  );
  expect(clean.env).not.toHaveProperty('COPILOT_HOME');
  const given = launched('copilot', { env: { GH_TOKEN: 't' } });
  expect(given.env).toMatchObject({ COPILOT_HOME: '/homes/run/execute' });
  const used = launched('copilot', { ...mine, ...user, env: { GH_TOKEN: 't' } });
  expect(line(used)).not.toMatch(/disable-mcp-server|excluded-tools/);
  expect(used.env).not.toHaveProperty('COPILOT_HOME');
});

test.each(['not json', '[]', '{"mcpServers":["a"]}', '{"mcpServers":null}'])(
  'what copilot itself could not read names no server: %s',
  (text) => {
    const { argv } = launched('copilot', { files: { '/me/.copilot/mcp-config.json': text } });
    expect(argv.some((word) => word.startsWith('--disable-mcp-server'))).toBe(false);
  },
);

test('a skill has the name of its folder, and the one that it gives itself', () => {
  const { programs } = turnSetting({
    folders: { '/s': ['one', 'two', 'words', 'a-file'] },
    there: ['one', 'two', 'words'].map((name) => `/s/${name}/SKILL.md`),
    files: {
      '/s/one/SKILL.md': '---\nname: "other"\n---\n',
      '/s/two/SKILL.md': 'nothing',
      '/s/words/SKILL.md': '---\nname: My own skill\r\n---\nname: not this\n',
    },
  });
  expect(personalSkills({ programs }, ['/s', '/none'])).toEqual([
    { file: '/s/one/SKILL.md', names: ['one', 'other'] },
    { file: '/s/two/SKILL.md', names: ['two'] },
    { file: '/s/words/SKILL.md', names: ['words', 'My own skill'] },
  ]);
});
