/**
 * What each agent that is known by name can be held to, in the order in which the page of a parked
 * run advises another one.
 */
export type AgentPermissions = 'trusted' | 'workspace' | 'ask';

/** What it keeps to when it is told so; `trusted` is always among them. */
export const agentPermissions: ReadonlyMap<string, readonly AgentPermissions[]> = new Map([
  // `codex exec` has nobody to ask.
  ['codex', ['trusted', 'workspace']],
  ['claude', ['trusted', 'workspace', 'ask']],
  ['opencode', ['trusted', 'workspace', 'ask']],
  ['gemini', ['trusted', 'workspace', 'ask']],
  // It never asks, and has nothing to be held by.
  ['pi', ['trusted']],
  ['qwen', ['trusted', 'workspace', 'ask']],
  ['copilot', ['trusted', 'workspace', 'ask']],
]);
