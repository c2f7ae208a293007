/** The adapter of a role: by the name of its agent, or the one of any command. */
import type { Role } from '../domain/definition/definition.ts';
import { scriptedLane } from '../kernel/scripted-lane.ts';
import type { Adapter } from '../ports/agent.ts';
import { acpAdapter } from './acp/adapter.ts';
import { claudeAdapter } from './claude/adapter.ts';
import { codexAdapter } from './codex/adapter.ts';
import { commandAdapter } from './command/adapter.ts';
import { copilotAdapter } from './copilot/adapter.ts';
import { geminiAdapter } from './gemini/adapter.ts';
import { opencodeAdapter } from './opencode/adapter.ts';
import { piAdapter } from './pi/adapter.ts';
import { ptyAdapter } from './pty/adapter.ts';
import { qwenAdapter } from './qwen/adapter.ts';
import { scriptedAdapter } from './scripted/adapter.ts';

/** Of the agents that are known by name: a row of `contract/known-agents.ts` each. */
const adapters: ReadonlyMap<string, Adapter> = new Map([
  ['claude', claudeAdapter],
  ['codex', codexAdapter],
  ['copilot', copilotAdapter],
  ['gemini', geminiAdapter],
  ['opencode', opencodeAdapter],
  ['pi', piAdapter],
  ['qwen', qwenAdapter],
]);

/** Each is called as its program is. */
export const adapterNames: readonly string[] = [...adapters.keys()];

/** @throws RequestError `agent_missing`. */
export function adapterOf(role: Role): Adapter {
  if (role.protocol === 'acp') return acpAdapter(role);
  if (role.protocol === 'pty') return ptyAdapter(role);
  if (role.command === null && role.agent === scriptedLane) return scriptedAdapter();
  const known = role.command === null ? adapters.get(role.agent) : undefined;
  return known ?? commandAdapter(role);
}
