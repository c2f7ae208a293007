/**
 * The real agent programs that are held to the clauses: whose API each speaks, what keeps it quiet,
 * and what it cannot do, with the reason and the day to look again.
 */
import { readFileSync } from 'node:fs';
import type { AgentProfile } from '../../src/testing/index.ts';
import type { BenchOptions } from '../support/agent-bench.ts';

export interface AgentCli extends Pick<BenchOptions, 'vendor' | 'permissions'> {
  readonly model: string;
  /** The package whose version counts. */
  readonly package: string;
  /** The program that tells its version. */
  readonly program: string;
  readonly profile: Omit<AgentProfile, 'name' | 'pinned'>;
}

/** By the name of the agent. */
export const agentClis: Readonly<Record<string, AgentCli>> = {
  claude: {
    vendor: 'anthropic',
    model: 'claude-sonnet-4-5',
    permissions: 'trusted',
    package: '@anthropic-ai/claude-code',
    program: 'claude',
    profile: {
      quietEnv: {},
      quietFiles: {},
      homeVariable: 'CLAUDE_CONFIG_DIR',
      impossible: {},
    },
  },
  codex: {
    vendor: 'openai',
    model: 'gpt-5',
    permissions: 'trusted',
    package: '@openai/codex',
    program: 'codex',
    profile: { quietEnv: {}, quietFiles: {}, homeVariable: 'CODEX_HOME', impossible: {} },
  },
  opencode: {
    vendor: 'openai',
    model: 'gpt-5',
    permissions: 'trusted',
    package: 'opencode-ai',
    program: 'opencode',
    profile: { quietEnv: {}, quietFiles: {}, homeVariable: 'HOME', impossible: {} },
  },
  gemini: {
    vendor: 'google',
    model: 'gemini-2.5-pro',
    permissions: 'trusted',
    package: '@google/gemini-cli',
    program: 'gemini',
    profile: {
      quietEnv: {},
      quietFiles: {},
      homeVariable: 'GEMINI_CLI_HOME',
      impossible: {},
    },
  },
};

/** The version that the agent's own folder pins. */
export function pinnedVersion(name: string, cli: AgentCli): string | null {
  const text = readFileSync(`test/agents/${name}/package.json`, 'utf8');
  return JSON.parse(text).dependencies[cli.package] ?? null;
}
