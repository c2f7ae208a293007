/**
 * Agents installed on this machine: which, which version, and whether they are logged in. Login is
 * told by the presence of a file or of a variable's name; nothing of either is read, and where the
 * answer may lie in a key ring or in a configuration it is `unknown`, never `yes` or `no`.
 */
import { join } from 'node:path';
import { givenVariables, lanePath } from '../kernel/starter-environment.ts';
import type { AgentsHere } from '../ports/agents-here.ts';
import type { InstalledAgent, KnownAgent, Login } from '../ports/detection.ts';
import type { Programs } from '../ports/programs.ts';

interface AgentRow extends KnownAgent {
  /** One that is there may hold a login of another kind. */
  readonly maybeFiles: readonly string[];
  /** One that is set may point to a login elsewhere, or to a service that needs none. */
  readonly maybeVariables: readonly string[];
  /** Platforms on which the login lies in a key ring. */
  readonly keyRings: readonly string[];
}

const anywhere = ['linux', 'darwin', 'win32'];

/** In the order in which they are offered. */
export const knownAgents: readonly AgentRow[] = [
  {
    name: 'claude',
    install: 'npm i -g @anthropic-ai/claude-code',
    login: 'run claude once and log in',
    loginFiles: ['.claude/.credentials.json'],
    loginVariables: ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN'],
    maybeFiles: ['.claude/settings.json'],
    maybeVariables: [
      'ANTHROPIC_BASE_URL',
      'CLAUDE_CODE_USE_BEDROCK',
      'CLAUDE_CODE_USE_VERTEX',
      'CLAUDE_CONFIG_DIR',
    ],
    keyRings: ['darwin'],
  },
  {
    name: 'codex',
    install: 'npm i -g @openai/codex',
    login: 'codex login',
    loginFiles: ['.codex/auth.json'],
    loginVariables: ['CODEX_API_KEY', 'OPENAI_API_KEY'],
    maybeFiles: ['.codex/config.toml'],
    maybeVariables: ['CODEX_HOME', 'OPENAI_BASE_URL'],
    keyRings: [],
  },
  {
    name: 'opencode',
    install: 'npm i -g opencode-ai',
    login: 'opencode auth login',
    loginFiles: ['.local/share/opencode/auth.json'],
    loginVariables: [],
    maybeFiles: [],
    maybeVariables: [],
    keyRings: anywhere,
  },
  {
    name: 'gemini',
    install: 'npm i -g @google/gemini-cli',
    login: 'run gemini once and log in',
    loginFiles: ['.gemini/oauth_creds.json'],
    loginVariables: ['GEMINI_API_KEY'],
    maybeFiles: ['.gemini/settings.json', '.gemini/.env'],
    maybeVariables: ['GOOGLE_GENAI_USE_VERTEXAI'],
    keyRings: anywhere,
  },
  {
    name: 'pi',
    install: 'npm i -g @mariozechner/pi-coding-agent',
    login: 'run pi once and type /login',
    loginFiles: ['.pi/agent/auth.json'],
    loginVariables: ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'GEMINI_API_KEY'],
    maybeFiles: ['.pi/agent/models.json'],
    maybeVariables: ['PI_CODING_AGENT_DIR'],
    keyRings: [],
  },
  {
    name: 'qwen',
    install: 'npm i -g @qwen-code/qwen-code',
    login: 'run qwen once and log in',
    loginFiles: ['.qwen/oauth_creds.json'],
    loginVariables: ['OPENAI_API_KEY', 'DASHSCOPE_API_KEY'],
    maybeFiles: ['.qwen/settings.json', '.qwen/.env'],
    maybeVariables: ['OPENAI_BASE_URL'],
    keyRings: [],
  },
  {
    name: 'copilot',
    install: 'npm i -g @github/copilot',
    login: 'run copilot once and type /login',
    loginFiles: [],
    loginVariables: ['COPILOT_GITHUB_TOKEN', 'GH_TOKEN', 'GITHUB_TOKEN'],
    maybeFiles: [],
    maybeVariables: [],
    keyRings: anywhere,
  },
];

export interface AgentSurroundings {
  readonly programs: Programs;
  /** The user's home folder. */
  readonly home: string;
  readonly platform: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Those that are there, in the order of the table. All are asked at once. */
export async function installedAgents(
  around: AgentSurroundings,
): Promise<readonly InstalledAgent[]> {
  const found = await Promise.all(knownAgents.map((agent) => installed(around, agent)));
  return found.filter((one) => one !== null);
}

/** See {@link AgentsHere}: what this process has in its own environment makes no difference. */
export function agentsHere(around: Omit<AgentSurroundings, 'env'>): AgentsHere {
  const { programs } = around;
  return {
    of: async ({ env, secrets }) => {
      const path = lanePath(env);
      const given = { ...around, env: givenVariables(env, secrets) };
      const able = knownAgents.map(async (agent) => {
        const isThere = (await programs.find(agent.name, path)) !== null;
        return isThere && (await loginOf(given, agent)) !== 'no' ? [agent.name] : [];
      });
      return (await Promise.all(able)).flat();
    },
  };
}

async function installed(
  around: AgentSurroundings,
  agent: AgentRow,
): Promise<InstalledAgent | null> {
  if ((await around.programs.find(agent.name)) === null) return null;
  const said = await around.programs.version(agent.name);
  const login = await loginOf(around, agent);
  if (said !== null && typeof said !== 'string') return { agent, version: null, login, ...said };
  return { agent, version: versionIn(said ?? ''), login };
}

/** The first thing in the line that reads like a version. */
function versionIn(line: string): string | null {
  return /\d+\.\d+(?:\.\d+)?(?:[-+][\w.]+)?/.exec(line)?.[0] ?? null;
}

export async function loginOf(around: AgentSurroundings, agent: AgentRow): Promise<Login> {
  const { programs, home, platform, env } = around;
  const isSet = (name: string): boolean => (env[name] ?? '') !== '';
  const isThere = async (names: readonly string[]): Promise<boolean> => {
    const seen = await Promise.all(names.map((name) => programs.hasFile(join(home, name))));
    return seen.includes(true);
  };
  if (agent.loginVariables.some(isSet) || (await isThere(agent.loginFiles))) return 'yes';
  const isElsewhere = agent.keyRings.includes(platform) || agent.maybeVariables.some(isSet);
  return isElsewhere || (await isThere(agent.maybeFiles)) ? 'unknown' : 'no';
}
