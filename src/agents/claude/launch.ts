/**
 * How Claude Code is started for one turn (measured with 2.1.332): `-p`, JSON lines both ways, the
 * prompt as the first of them, and the bits of each message, so that silence means silence. Pure.
 *
 * `workspace` is its own `acceptEdits`, and commands inside its own sandbox; where that cannot be
 * had (it needs bubblewrap and socat) commands that it would ask for are denied. A judge edits
 * nothing. Web search runs at the provider, past every door, and is off (PL-92).
 */
import { join } from 'node:path';
import { readsOnly } from '../../domain/execution/roles.ts';
import { RequestError } from '../../kernel/errors.ts';
import type { Seed, TurnSetting } from '../../ports/agent.ts';
import { filledArgs } from '../command/template-values.ts';
import { isClean } from '../personal.ts';
import { turnEnvironment } from '../turn-environment.ts';

/** The user's own settings stay out of it; those of the repository apply. */
const kept = ['--setting-sources', 'project', '--strict-mcp-config'];

/** As `system/init` calls them. */
export type ClaudeMode = 'acceptEdits' | 'bypassPermissions' | 'default';

/** Surveys, updates, reports and whatever would outlast the turn. */
const quiet: Readonly<Record<string, string>> = {
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  CLAUDE_CODE_DISABLE_FEEDBACK_SURVEY: '1',
  CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: '1',
  CLAUDE_CODE_DISABLE_CRON: '1',
  CLAUDE_CODE_DISABLE_ADVISOR_TOOL: '1',
  DISABLE_AUTOUPDATER: '1',
  DISABLE_ERROR_REPORTING: '1',
  DISABLE_TELEMETRY: '1',
  // Ten, the usual, are three minutes of waiting for a service that is down.
  CLAUDE_CODE_MAX_RETRIES: '4',
};

/**
 * The first runs at the provider; two make trees, which are not the agent's to make, and two change
 * to a mode that nobody set.
 */
const toolsOff = ['WebSearch', 'EnterWorktree', 'ExitWorktree', 'EnterPlanMode', 'ExitPlanMode'];

const sandboxed = JSON.stringify({
  sandbox: { enabled: true, autoAllowBashIfSandboxed: true, allowUnsandboxedCommands: false },
});

export function modeOf({ permissions, dispatch }: TurnSetting): ClaudeMode {
  if (permissions === 'trusted') return 'bypassPermissions';
  if (permissions === 'ask' || readsOnly(dispatch.job.role)) return 'default';
  return 'acceptEdits';
}

/** @throws RequestError `agent_missing`, or of a bad template in `args`. */
export function argvOf(setting: TurnSetting): readonly string[] {
  const { role, dispatch, files, servers, programs } = setting;
  const program = programs.find('claude');
  if (program === null) throw new RequestError('agent_missing', 'claude is not on the PATH');
  const session = dispatch.sessionId;
  return [
    ...[program, '-p', '--output-format', 'stream-json', '--verbose'],
    ...['--input-format', 'stream-json', '--permission-prompt-tool', 'stdio'],
    '--include-partial-messages',
    ...modeFlags(setting),
    ...(role.model === null ? [] : ['--model', role.model]),
    ...(session === null || !isSession(session) ? [] : ['--resume', session]),
    ...(isClean(setting) ? kept : []),
    ...(servers.length === 0 ? [] : ['--mcp-config', join(files.home, serversFile)]),
    `--disallowedTools=${toolsOff.join(',')}`,
    ...filledArgs(setting),
  ];
}

/** What is no id of its own is never put into an argument. */
const isSession = (id: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id);

function modeFlags(setting: TurnSetting): readonly string[] {
  const mode = modeOf(setting);
  if (mode === 'bypassPermissions') return ['--dangerously-skip-permissions'];
  const flag = ['--permission-mode', mode === 'default' ? 'manual' : mode];
  const isUnasked = setting.permissions !== 'ask';
  return isUnasked && hasSandbox(setting) ? [...flag, '--settings', sandboxed] : flag;
}

/** Asked for where it cannot be had, it leaves its marks in the repository all the same. */
function hasSandbox({ programs }: TurnSetting): boolean {
  const isThere = (name: string) => programs.find(name) !== null;
  return programs.has('/usr/bin/sandbox-exec') || (isThere('bwrap') && isThere('socat'));
}

export function envOf(setting: TurnSetting): Readonly<Record<string, string>> {
  const { servers, programs } = setting;
  const isTrustedRoot = programs.isRoot && modeOf(setting) === 'bypassPermissions';
  return {
    ...turnEnvironment(setting),
    ...quiet,
    // Tools of a server are in the list that the model is given, not behind a search.
    ...(servers.length === 0 ? {} : { ENABLE_TOOL_SEARCH: 'false' }),
    ...(isTrustedRoot ? { IS_SANDBOX: '1' } : {}),
    ...(hasOwnHome(setting) ? ownHome(setting) : {}),
  };
}

/** What it notes of servers of tools goes into the user's cache otherwise. */
function ownHome({ files, servers }: TurnSetting): Readonly<Record<string, string>> {
  const cache = servers.length === 0 ? {} : { XDG_CACHE_HOME: join(files.home, 'cache') };
  return { CLAUDE_CONFIG_DIR: files.home, ...cache };
}

const serversFile = 'pawl-servers.json';

/** Without a key of ours its login is the user's, in the user's home, where nothing is put. */
export function hasOwnHome({ role, env }: TurnSetting): boolean {
  if (role.models !== 'inject') return false;
  if (env['ANTHROPIC_API_KEY'] !== undefined) return true;
  throw new RequestError('credential_missing', 'claude needs a key of Anthropic', {
    found: 'login: key, and no ANTHROPIC_API_KEY among secrets',
    next: 'secrets: { ANTHROPIC_API_KEY: "env:ANTHROPIC_API_KEY" }',
  });
}

export function seedsOf(setting: TurnSetting): readonly Seed[] {
  const { servers, env, tree } = setting;
  const seeds: Seed[] = [];
  if (servers.length > 0) {
    const named = servers.map(({ name, ...server }) => [name, { type: 'stdio', ...server }]);
    const text = JSON.stringify({ mcpServers: Object.fromEntries(named) });
    seeds.push({ path: serversFile, text });
  }
  if (hasOwnHome(setting)) {
    seeds.push({ path: '.claude.json', text: knownUser(env['ANTHROPIC_API_KEY'] ?? '', tree) });
  }
  return seeds;
}

/** Every first-run dialog as answered: a blind Enter is the wrong answer to each of them. */
function knownUser(key: string, tree: string): string {
  return JSON.stringify({
    hasCompletedOnboarding: true,
    theme: 'dark',
    customApiKeyResponses: { approved: [key.slice(-20)], rejected: [] },
    projects: { [tree]: { hasTrustDialogAccepted: true } },
  });
}
