/**
 * Goal: the real agent programs are told as they are, too. Method: those that `npm run test:agents`
 * has installed, as agents of runs of the built program, before a scripted model that hangs, that
 * trickles, that has a tool run. What only a broken program does is shown by the lanes of our own.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ModelRequest, Turn } from '../../src/testing/model-server/script.ts';
import { byModel, type Condition } from './lanes.ts';
import { modelTurn, modelWorld } from './model.ts';
import { tried } from './runs.ts';
import { note } from './table.ts';

const vendors = {
  anthropic: { key: 'ANTHROPIC_API_KEY', address: 'ANTHROPIC_BASE_URL', path: '' },
  openai: { key: 'OPENAI_API_KEY', address: 'OPENAI_BASE_URL', path: '/v1' },
  google: { key: 'GEMINI_API_KEY', address: 'GOOGLE_GEMINI_BASE_URL', path: '' },
} as const;

const clis = [
  ['claude', 'anthropic', 'claude-sonnet-4-5'],
  ['codex', 'openai', 'gpt-5'],
  ['opencode', 'openai', 'gpt-5'],
  ['gemini', 'google', 'gemini-2.5-pro'],
] as const;

interface Pins {
  readonly agentFolder: (name: string) => string;
}
const tool: unknown = await import(new URL('../../tools/agent-clis.mjs', import.meta.url).href);
const { agentFolder } = tool as Pins;
const missing = 'not installed: npm run test:agents';

/** Some come back from a tool that still runs, and ask: then the model is silent. */
function turnFor(request: ModelRequest, began: Map<string, number>): Turn {
  // Programs ask other things as well, a title for instance.
  if (request.tools.length === 0) return { text: 'A title' };
  if (request.turnsSoFar > 0) return { text: 'never', fails: { by: 'hang' } };
  const name = /condition:([a-z-]+)/.exec(request.userText)?.[1] ?? '';
  if (!began.has(name)) began.set(name, performance.now());
  return modelTurn(request);
}

const fileOf = (name: string, model: string, of: keyof typeof vendors, world: World): string => {
  const { key, address, path } = vendors[of];
  return `roles: { execute: { agent: ${name}, login: key, model: ${model} } }
permissions: trusted
secrets: { ${key}: "file:${world.key}" }
env: { set: { ${address}: "${world.url}${path}" } }
`;
};
type World = Awaited<ReturnType<typeof modelWorld>>;

test.each(clis)('%s is told as it is (RR-6, RR-14, RR-15, RR-46)', async (name, vendor, model) => {
  const bin = join(agentFolder(name), 'node_modules/.bin');
  if (!existsSync(bin)) {
    for (const { title } of byModel) skipped(title, name);
    return;
  }
  const began = new Map<string, number>();
  const world = await modelWorld((request) => turnFor(request, began));
  try {
    const file = fileOf(name, model, vendor, world);
    const beganMs = (condition: string) => began.get(condition) ?? null;
    const env = { PATH: `${bin}:${process.env['PATH'] ?? ''}` };
    expect(await tried({ name, conditions: byModel, file, env, beganMs })).toEqual([]);
  } finally {
    await world.close();
  }
});

function skipped(condition: Condition['title'], lane: string): void {
  note({
    ...{ condition, lane, how: 'skipped', shown: missing },
    rightAfterS: null,
    ruleS: null,
    wrong: [],
  });
}
