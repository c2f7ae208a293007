/**
 * How Codex is started for one turn (measured with 0.171.0): `exec --json`, the prompt on stdin, no
 * question asked of anybody. Pure.
 *
 * `workspace` is its own sandbox around every command, without the network; a judge reads only.
 * With a key of ours it has a home and a configuration of its own; else the user's login is used
 * where it lies, and the user's configuration, with its servers and hooks, is left out.
 */
import { dirname, join } from 'node:path';
import { readsOnly } from '../../domain/execution/roles.ts';
import { RequestError } from '../../kernel/errors.ts';
import type { AgentPrograms, Seed, ToolServer, TurnSetting } from '../../ports/agent.ts';
import { filledArgs } from '../command/template-values.ts';
import { isClean, personalSkills } from '../personal.ts';
import { turnEnvironment } from '../turn-environment.ts';
import type { CodexSession } from './session.ts';

/**
 * Search and images run at the provider, past every door (PL-92); plugins are fetched from the net
 * at each start; a daemon outlives the turn; and without a bound it reconnects for ever.
 */
const off = [
  ...['image_generation', 'plugins', 'remote_plugin', 'apps', 'skill_mcp_dependency_install'],
  ...['daemon_auto_start', 'unbounded_connection_retries'],
];

const always: readonly string[] = [
  'approval_policy="never"',
  'web_search="disabled"',
  'check_for_update_on_startup=false',
  'analytics.enabled=false',
  ...off.map((feature) => `features.${feature}=false`),
];

/** Where its package has programs of its own, by platform. */
const triples: readonly (readonly [platform: string, triple: string])[] = [
  ['linux-x64', 'x86_64-unknown-linux-musl'],
  ['linux-arm64', 'aarch64-unknown-linux-musl'],
  ['darwin-x64', 'x86_64-apple-darwin'],
  ['darwin-arm64', 'aarch64-apple-darwin'],
];

/** @throws RequestError `agent_missing`, or of a bad template in `args`. */
export function argvOf(setting: TurnSetting, session: CodexSession | null): readonly string[] {
  const { role, servers, programs } = setting;
  const overrides = [
    ...always,
    ...(isClean(setting) ? cleanLines(setting) : []),
    ...sandboxOf(setting),
    ...serverLines(servers),
  ];
  return [
    programOf(programs),
    ...(session === null ? ['exec'] : ['exec', 'resume']),
    ...['--json', '--skip-git-repo-check'],
    ...(isTrusted(setting) ? ['--dangerously-bypass-approvals-and-sandbox'] : []),
    ...(isClean(setting) && !hasOwnHome(setting) ? ['--ignore-user-config'] : []),
    ...overrides.flatMap((line) => ['-c', line]),
    ...(role.model === null ? [] : ['-m', role.model]),
    ...filledArgs(setting),
    ...(session === null ? [] : [session.thread]),
    '-',
  ];
}

/** Its hooks stand in a file of their own, and skills lie in folders; a flag leaves out neither. */
function cleanLines(setting: TurnSetting): readonly string[] {
  const home = setting.env['HOME'] ?? '/';
  const folders = [join(home, '.agents', 'skills')];
  if (!hasOwnHome(setting)) folders.push(join(homeOf(setting), 'skills'));
  const off = personalSkills(setting, folders).map(
    ({ file }) => `{path=${quoted(file)}, enabled=false}`,
  );
  return [
    'features.hooks=false',
    ...(off.length === 0 ? [] : [`skills.config=[${off.join(', ')}]`]),
  ];
}

const isTrusted = ({ permissions }: TurnSetting): boolean => permissions === 'trusted';

function sandboxOf(setting: TurnSetting): readonly string[] {
  if (isTrusted(setting)) return [];
  // Nobody can be asked; what is asked for is then not done.
  const isReading = setting.permissions === 'ask' || readsOnly(setting.dispatch.job.role);
  if (isReading) return ['sandbox_mode="read-only"'];
  // What it has to say of its turn lies outside of the work tree.
  const roots = `sandbox_workspace_write.writable_roots=[${quoted(setting.files.directory)}]`;
  return ['sandbox_mode="workspace-write"', roots];
}

/** What a server is given is named here and stands in the environment, never in an argument. */
function serverLines(servers: readonly ToolServer[]): readonly string[] {
  return servers.flatMap(({ name, command, args, env }) => {
    const key = `mcp_servers.${name}`;
    const list = (words: readonly string[]) => `[${words.map(quoted).join(', ')}]`;
    return [
      `${key}.command=${quoted(command)}`,
      `${key}.args=${list(args)}`,
      `${key}.env_vars=${list(Object.keys(env))}`,
    ];
  });
}

/** A string of JSON is one of TOML, but for a character that no value here has. */
const quoted = (text: string): string => JSON.stringify(text);

/** The program itself: npm's launcher in front of it is one more process that can be orphaned. */
function programOf(programs: AgentPrograms): string {
  const found = programs.find('codex');
  if (found === null) throw new RequestError('agent_missing', 'codex is not on the PATH');
  if (!found.endsWith('.js')) return found;
  const packageRoot = dirname(dirname(found));
  const places = triples.flatMap(([platform, triple]) => {
    const own = ['vendor', triple, 'bin', 'codex'];
    return [
      join(packageRoot, '..', `codex-${platform}`, ...own),
      join(packageRoot, 'node_modules', '@openai', `codex-${platform}`, ...own),
      join(packageRoot, ...own),
    ];
  });
  return places.find((place) => programs.has(place)) ?? found;
}

export function envOf(setting: TurnSetting): Readonly<Record<string, string>> {
  const { files, servers } = setting;
  const given = Object.assign({}, ...servers.map(({ env }) => env)) as Record<string, string>;
  const own = hasOwnHome(setting) ? { CODEX_HOME: files.home, ...temporaryOf(setting) } : {};
  return { ...turnEnvironment(setting), ...given, ...own };
}

/**
 * It puts the program of its sandbox into its home, and refuses to where that lies among temporary
 * files; no command would run then. So such a home brings its own place for those.
 */
function temporaryOf({ files, env }: TurnSetting): Readonly<Record<string, string>> {
  const temporary = env['TMPDIR'] ?? '/tmp';
  return files.home.startsWith(temporary) ? { TMPDIR: join(files.home, temporaryFolder) } : {};
}

const temporaryFolder = 'temporary';

/** Without a key of ours its login is the user's, in the user's home, where nothing is put. */
export function hasOwnHome({ role, env }: TurnSetting): boolean {
  if (role.models !== 'inject') return false;
  if (env['OPENAI_API_KEY'] !== undefined) return true;
  throw new RequestError('credential_missing', 'codex needs a key of OpenAI', {
    found: 'login: key, and no OPENAI_API_KEY among secrets',
    next: 'secrets: { OPENAI_API_KEY: "env:OPENAI_API_KEY" }',
  });
}

/** Where it keeps its login and its threads. */
export function homeOf(setting: TurnSetting): string {
  const { files, env } = setting;
  if (hasOwnHome(setting)) return files.home;
  return env['CODEX_HOME'] ?? join(env['HOME'] ?? '/', '.codex');
}

export function seedsOf(setting: TurnSetting): readonly Seed[] {
  if (!hasOwnHome(setting)) return [];
  const text = configuration(setting.env['OPENAI_BASE_URL'] ?? 'https://api.openai.com/v1');
  return [
    { path: 'config.toml', text },
    { path: `${temporaryFolder}/.keep`, text: '' },
  ];
}

/** It does not give up on a service that never answers; the models door does. */
function configuration(url: string): string {
  return `model_provider = "pawl"
[model_providers.pawl]
name = "pawl"
base_url = ${quoted(url)}
env_key = "OPENAI_API_KEY"
wire_api = "responses"
request_max_retries = 2
stream_max_retries = 3
`;
}
