/** The agent programs that `npm run test:agents` has installed, and how a run is told of them. */
import type { ModelWorld } from './model.ts';

const vendors = {
  anthropic: { key: 'ANTHROPIC_API_KEY', address: 'ANTHROPIC_BASE_URL', path: '' },
  openai: { key: 'OPENAI_API_KEY', address: 'OPENAI_BASE_URL', path: '/v1' },
  google: { key: 'GEMINI_API_KEY', address: 'GOOGLE_GEMINI_BASE_URL', path: '' },
} as const;

export const clis = [
  ['claude', 'anthropic', 'claude-sonnet-4-5'],
  ['codex', 'openai', 'gpt-5'],
  ['opencode', 'openai', 'gpt-5'],
  ['gemini', 'google', 'gemini-2.5-pro'],
] as const;

interface Pins {
  readonly agentFolder: (name: string) => string;
}
const tool: unknown = await import(new URL('../../tools/agent-clis.mjs', import.meta.url).href);
export const { agentFolder } = tool as Pins;

/** Of a definition: the agent behind the models door, before the scripted model. */
export const fileOf = (
  name: string,
  model: string,
  of: keyof typeof vendors,
  world: ModelWorld,
): string => {
  const { key, address, path } = vendors[of];
  return `roles: { execute: { agent: ${name}, login: key, model: ${model} } }
permissions: trusted
secrets: { ${key}: "file:${world.key}" }
env: { set: { ${address}: "${world.url}${path}" } }
`;
};
