/**
 * How Copilot is started for one turn (measured with 1.0.102). Pure. With a key it needs the name
 * of a model, of OpenAI's or Anthropic's, or behind an address that the definition sets.
 */
import { dirname, join } from 'node:path';
import { readsOnly } from '../../domain/execution/roles.ts';
import { copilotLogins } from '../../kernel/copilot-logins.ts';
import { RequestError } from '../../kernel/errors.ts';
import { fieldsOf, parsedJson } from '../../kernel/json.ts';
import type { AgentPrograms, Seed, TurnSetting } from '../../ports/agent.ts';
import { isClean, personalSkills } from '../personal.ts';
import { gatewayName, servedModel } from '../served-models.ts';

const serversFile = 'pawl-servers.json';
const configBytesMax = 1024 * 1024;

/** Updates, remote control, GitHub's own tools, and questions that nobody would hear. */
const quiet = [
  '--no-auto-update',
  '--no-remote',
  '--disable-builtin-mcps',
  '--disable-client-telemetry',
  '--no-ask-user',
];

/** @throws RequestError `agent_missing`. */
export function argvOf(setting: TurnSetting): readonly string[] {
  const { servers, files, programs } = setting;
  return [
    ...[programOf(programs), '--acp', ...quiet],
    ...(isClean(setting) ? hidden(setting) : []),
    ...permitted(setting).map((what) => `--allow-tool=${what}`),
    ...(setting.permissions === 'trusted' ? [] : narrowed(setting)),
    ...(servers.length === 0 ? [] : [`--additional-mcp-config=@${join(files.home, serversFile)}`]),
  ];
}

/**
 * Of what lies in its user's home. One skill cannot be left out, but the tool by which all are
 * used. Hooks and plugins cannot be left out at all, but by another home.
 */
function hidden(setting: TurnSetting): readonly string[] {
  const { env, programs } = setting;
  const home = env['HOME'] ?? '/';
  const own = env['COPILOT_HOME'] ?? join(home, '.copilot');
  const folders = [join(own, 'skills'), join(home, '.agents', 'skills')];
  const text = programs.tail(join(own, 'mcp-config.json'), configBytesMax) ?? '';
  const servers = Object.keys(fieldsOf(fieldsOf(parsedJson(text))['mcpServers']));
  return [
    ...servers.map((name) => `--disable-mcp-server=${name}`),
    ...(personalSkills(setting, folders).length > 0 ? ['--excluded-tools=skill'] : []),
  ];
}

/** What it has to say of its turn lies outside of the work tree. */
function narrowed({ files }: TurnSetting): readonly string[] {
  return ['--disallow-temp-dir', `--add-dir=${files.directory}`];
}

/** What a tool that we give may do is decided where it is given. */
function permitted({ permissions, servers, dispatch }: TurnSetting): readonly string[] {
  const given = servers.map(({ name }) => name);
  if (permissions === 'trusted') return given;
  const writes = readsOnly(dispatch.job.role) ? [] : ['write'];
  return [...writes, ...(permissions === 'workspace' ? ['shell'] : []), ...given];
}

const platforms = ['linux-x64', 'linux-arm64', 'linuxmusl-x64', 'darwin-x64', 'darwin-arm64'];

/** The program itself: npm's launcher in front of it leaves it behind when it is ended. */
function programOf(programs: AgentPrograms): string {
  const found = programs.find('copilot');
  if (found === null) throw new RequestError('agent_missing', 'copilot is not on the PATH');
  if (!found.endsWith('.js')) return found;
  const packageRoot = dirname(found);
  const places = platforms.flatMap((platform) => {
    const own = [`copilot-${platform}`, 'copilot'];
    return [
      join(dirname(packageRoot), ...own),
      join(packageRoot, 'node_modules', '@github', ...own),
    ];
  });
  return places.find((place) => programs.has(place)) ?? found;
}

export function envOf(setting: TurnSetting): Readonly<Record<string, string>> {
  const { role, files } = setting;
  const always = { COPILOT_AUTO_UPDATE: 'false' };
  if (role.models === 'inject') {
    const cache = join(files.home, 'cache');
    return {
      ...always,
      ...providerOf(setting),
      // Neither GitHub nor anybody else but the provider is asked.
      COPILOT_OFFLINE: 'true',
      COPILOT_HOME: files.home,
      // It unpacks itself there, and numbers the machine.
      COPILOT_CACHE_HOME: cache,
      XDG_CACHE_HOME: cache,
    };
  }
  if (role.models === 'pass') throw notPassed();
  const model = role.model === null ? {} : { COPILOT_MODEL: role.model };
  const own = isClean(setting) && hasGivenLogin(setting) ? { COPILOT_HOME: files.home } : {};
  return { ...always, ...model, ...own };
}

/** Its login stands in the environment, so that nothing in its user's home is needed. */
const hasGivenLogin = ({ env }: TurnSetting): boolean =>
  copilotLogins.some((name) => env[name] !== undefined);

const notPassed = () =>
  new RequestError(
    'not_supported',
    'copilot cannot be led through the models door with a login of its own',
    { found: 'models: pass', next: 'models: auto   or  login: key and the key among secrets' },
  );

function providerOf(setting: TurnSetting): Readonly<Record<string, string>> {
  const { env } = setting;
  const model = servedModel(setting);
  if (model === null) {
    throw new RequestError('bad_value', 'copilot needs the name of a model with login: key', {
      next: '--agent copilot:<model>',
    });
  }
  const isAnthropic = model.provider === 'anthropic';
  const base = env[isAnthropic ? 'ANTHROPIC_BASE_URL' : 'OPENAI_BASE_URL'];
  if (model.provider === 'google' || base === undefined) {
    throw new RequestError('credential_missing', 'copilot needs a key of OpenAI or Anthropic', {
      found: `the model ${model.id}, and no key of a service that has it`,
      next: 'secrets: { OPENAI_API_KEY: "env:OPENAI_API_KEY" }',
    });
  }
  const key = env[isAnthropic ? 'ANTHROPIC_API_KEY' : 'OPENAI_API_KEY'];
  return {
    COPILOT_PROVIDER_TYPE: isAnthropic ? 'anthropic' : 'openai',
    COPILOT_PROVIDER_BASE_URL: base,
    ...(key === undefined ? {} : { COPILOT_PROVIDER_API_KEY: key }),
    COPILOT_PROVIDER_WIRE_API: model.provider === gatewayName ? 'completions' : 'responses',
    COPILOT_MODEL: model.id,
  };
}

export function seedsOf({ servers }: TurnSetting): readonly Seed[] {
  if (servers.length === 0) return [];
  const named = servers.map(({ name, ...server }) => [
    name,
    { type: 'local', ...server, tools: ['*'] },
  ]);
  const text = JSON.stringify({ mcpServers: Object.fromEntries(named) });
  return [{ path: serversFile, text }];
}
