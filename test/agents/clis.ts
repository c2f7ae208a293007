/**
 * The real agent programs that are held to the clauses: whose API each speaks, what keeps it quiet,
 * and what it cannot do, with the reason and the day to look again.
 */
import { readFileSync } from 'node:fs';
import type { AgentProfile } from '../../src/testing/index.ts';
import type { BenchOptions } from '../support/agent-bench.ts';

export interface AgentCli extends Pick<BenchOptions, 'vendor' | 'permissions' | 'isProxied'> {
  readonly model: string;
  /** The package whose version counts. */
  readonly package: string;
  /** The program that tells its version. */
  readonly program: string;
  readonly profile: Omit<AgentProfile, 'name' | 'pinned'>;
}

/** When the reasons below are looked at again. */
const until = '2027-03-01';

const quietest = { quietEnv: {}, quietFiles: {}, quietWords: [], impossible: {} };
const on = (...names: readonly string[]) => Object.fromEntries(names.map((name) => [name, '1']));

/** By the name of the agent. */
export const agentClis: Readonly<Record<string, AgentCli>> = {
  claude: {
    vendor: 'anthropic',
    model: 'claude-sonnet-4-5',
    permissions: 'trusted',
    package: '@anthropic-ai/claude-code',
    program: 'claude',
    profile: {
      ...quietest,
      quietEnv: on(
        'CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC',
        'CLAUDE_CODE_DISABLE_FEEDBACK_SURVEY',
        'DISABLE_AUTOUPDATER',
        'DISABLE_ERROR_REPORTING',
        'DISABLE_TELEMETRY',
      ),
      homeVariables: ['CLAUDE_CONFIG_DIR'],
    },
  },
  codex: {
    vendor: 'openai',
    model: 'gpt-5',
    permissions: 'trusted',
    package: '@openai/codex',
    program: 'codex',
    profile: {
      ...quietest,
      quietWords: ['check_for_update_on_startup=false', 'analytics.enabled=false'],
      homeVariables: ['CODEX_HOME'],
    },
  },
  opencode: {
    vendor: 'openai',
    model: 'gpt-5',
    permissions: 'trusted',
    package: 'opencode-ai',
    program: 'opencode',
    profile: {
      ...quietest,
      quietEnv: on(
        'OPENCODE_DISABLE_AUTOUPDATE',
        'OPENCODE_DISABLE_LSP_DOWNLOAD',
        'OPENCODE_DISABLE_MODELS_FETCH',
      ),
      homeVariables: ['XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'XDG_STATE_HOME', 'XDG_CACHE_HOME'],
      impossible: {
        C6: {
          reason: 'over ACP it tells the tokens of its last call alone; the door counts',
          until,
        },
        'F:context_overflow': {
          reason: 'it compacts its context and asks again, for as long as the turn may last',
          until,
        },
      },
      outside: {
        'registry.npmjs.org:443': { reason: 'it looks for its plugins in a new home', until },
        'registry.npmjs.org': { reason: 'it looks for its plugins in a new home', until },
      },
    },
  },
  gemini: {
    vendor: 'google',
    model: 'gemini-2.5-pro',
    permissions: 'trusted',
    package: '@google/gemini-cli',
    program: 'gemini',
    profile: {
      ...quietest,
      quietFiles: {
        'pawl-settings.json': ['"enableAutoUpdate": false', '"usageStatisticsEnabled": false'],
      },
      homeVariables: ['GEMINI_CLI_HOME'],
      // A session that is loaded in the minute in which it began is lost (research/acp.md 4.3).
      restsUntilNextMinute: true,
      impossible: {
        C6: { reason: 'over ACP it tells no tokens of its cache; the door counts', until },
        'F:context_overflow': {
          reason: 'the service and the program name it INVALID_ARGUMENT, the rest is prose',
          until,
        },
      },
    },
  },
  pi: {
    vendor: 'openai',
    model: 'gpt-5',
    permissions: 'trusted',
    package: '@mariozechner/pi-coding-agent',
    program: 'pi',
    profile: {
      ...quietest,
      quietEnv: { PI_OFFLINE: '1', PI_TELEMETRY: '0' },
      quietFiles: { 'settings.json': ['"enableInstallTelemetry": false'] },
      homeVariables: ['PI_CODING_AGENT_DIR'],
      impossible: {
        C3: { reason: 'it has no servers of tools, by design', until },
      },
    },
  },
  copilot: {
    vendor: 'openai',
    model: 'gpt-5',
    permissions: 'trusted',
    package: '@github/copilot',
    program: 'copilot',
    profile: {
      ...quietest,
      quietEnv: { COPILOT_AUTO_UPDATE: 'false', COPILOT_OFFLINE: 'true' },
      quietWords: ['--no-auto-update', '--no-remote', '--disable-client-telemetry'],
      homeVariables: ['COPILOT_HOME', 'COPILOT_CACHE_HOME', 'XDG_CACHE_HOME'],
    },
  },
  qwen: {
    vendor: 'openai',
    model: 'gpt-5',
    permissions: 'trusted',
    package: '@qwen-code/qwen-code',
    program: 'qwen',
    // It asks whatever proxy it finds, even for an address that NO_PROXY excepts.
    isProxied: false,
    profile: {
      ...quietest,
      quietFiles: {
        'pawl-settings.json': ['"enableAutoUpdate": false', '"usageStatisticsEnabled": false'],
      },
      homeVariables: ['QWEN_HOME'],
      // Found by a search of tools alone.
      questionTool: 'ask_user_question',
    },
  },
};

/** The version that the agent's own folder pins. */
export function pinnedVersion(name: string, cli: AgentCli): string | null {
  const text = readFileSync(`test/agents/${name}/package.json`, 'utf8');
  return JSON.parse(text).dependencies[cli.package] ?? null;
}
