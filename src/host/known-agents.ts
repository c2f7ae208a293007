/**
 * Variables by which coding agents mark the processes that they start. A process that has one of
 * them, in itself or in a living ancestor, was not started by a human (DESIGN §11a). Data: a new
 * agent is one line.
 */
export interface KnownAgent {
  readonly name: string;
  /** Exact names, or prefixes that end in `*`. */
  readonly variables: readonly string[];
}

export const knownAgents: readonly KnownAgent[] = [
  { name: 'claude', variables: ['CLAUDECODE', 'CLAUDE_CODE_ENTRYPOINT'] },
  { name: 'codex', variables: ['CODEX_SANDBOX*', 'CODEX_THREAD_ID', 'CODEX_CI', 'CODEX_SHELL'] },
  { name: 'gemini', variables: ['GEMINI_CLI'] },
  { name: 'opencode', variables: ['OPENCODE', 'OPENCODE_SESSION*', 'OPENCODE_CALLER'] },
  { name: 'qwen', variables: ['QWEN_CODE'] },
  { name: 'cline', variables: ['CLINE_ACTIVE'] },
  { name: 'cursor', variables: ['CURSOR_AGENT'] },
  { name: 'copilot', variables: ['COPILOT_CLI', 'COPILOT_AGENT*'] },
  { name: 'amp', variables: ['AMP_CURRENT_THREAD_ID'] },
  { name: 'goose', variables: ['GOOSE_TERMINAL'] },
  { name: 'aider', variables: ['AIDER_SESSION*'] },
  { name: 'pi', variables: ['PI_CODING_AGENT'] },
  { name: 'an agent', variables: ['AI_AGENT'] },
];

/** The agent that a variable tells of; null for any other variable. */
export function agentOf(variable: string): string | null {
  for (const agent of knownAgents) {
    const tells = (pattern: string) =>
      pattern.endsWith('*') ? variable.startsWith(pattern.slice(0, -1)) : variable === pattern;
    if (agent.variables.some(tells)) return agent.name;
  }
  return null;
}
