/**
 * Goal: `agentConfig: clean` starts nothing that the user of an agent has set up for it, and leaves
 * him logged in; `user` starts it. Method: each real agent with a login of its user's, in a home
 * with a server of tools, a hook or plugin, an extension and a skill of his, each of which leaves
 * a mark; and the scripted model server, whose requests show which skills the model is told.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { modelServer } from '../../src/testing/index.ts';
import { removeRig, run } from '../support/lane-rig.ts';
import { marksIn, plantHome, projectText, skillText } from '../support/personal-home.ts';
import { agentClis } from './clis.ts';

const installed: Readonly<Record<string, string>> = JSON.parse(
  process.env['PAWL_TEST_AGENTS'] ?? '{}',
);
afterAll(removeRig);

/** These name a service with their models, and have no default of it here. */
const isServiceNamed = new Set(['opencode', 'pi']);

async function turnWith(agent: string, folder: string, agentConfig: 'clean' | 'user') {
  // Not among temporary files: gemini leaves out settings over which others can write.
  const root = mkdtempSync(join(dirname(folder), 'personal-'));
  const server = await modelServer({ script: { '': () => ({ text: 'All done.' }) } });
  try {
    const [home, tree, marks] = ['home', 'tree', 'marks'].map((name) => join(root, name));
    if (home === undefined || tree === undefined || marks === undefined) throw new Error(root);
    for (const place of [home, tree, marks]) mkdirSync(place);
    const planted = plantHome(agent, { home, tree, marks, models: server.url });
    const model = agentClis[agent]?.model ?? null;
    const came = await run({
      agent: '',
      prompt: 'Say hello.',
      lane: {
        ...{ agent, command: null, args: planted.args ?? [] },
        model: isServiceNamed.has(agent) ? `openai/${model}` : model,
      },
      definition: {
        ...{ permissions: 'trusted', agentConfig },
        env: { allow: [], set: planted.env ?? {} },
      },
      isolation: 'worktree',
      ttlMs: 6_000,
      workspace: { openTree: async () => openedTree(root, tree) },
      dispatch: { deadlineMs: 240_000 },
      options: {
        spoolDirectory: join(root, 'spool'),
        homesDirectory: join(root, 'homes'),
        env: {
          ...{ HOME: home, LANG: 'C.UTF-8', TERM: 'dumb' },
          PATH: `${join(folder, 'node_modules/.bin')}:${process.env['PATH'] ?? ''}`,
        },
        spans: { graceMs: 1_000, completingMs: 5_000, closingMs: 3_000, watchMs: 200 },
      },
    });
    const told = server
      .requests()
      .map(({ body }) => body)
      .join('\n');
    return {
      result: came.result,
      started: marksIn(marks),
      isToldSkill: told.includes(skillText),
      isToldProject: told.includes(projectText),
      usual: planted.starts,
    };
  } finally {
    await server.close();
    rmSync(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
}

function openedTree(root: string, tree: string) {
  const isolation = 'worktree' as const;
  return { directory: tree, root, branch: 'b', base: null, created: false, isolation };
}

const agents = Object.entries(installed);
const ended = { kind: 'executed', outcome: 'turn_ended' };

describe.skipIf(agents.length === 0)("what an agent's user has set up for it", () => {
  test.each(agents)(
    '%s: clean starts none of it, and he is logged in (UX 1.5)',
    async (name, at) => {
      const seen = await turnWith(name, at, 'clean');
      expect(seen).toMatchObject({ result: ended, started: [], isToldSkill: false });
      expect(seen.isToldProject).toBe(true);
    },
  );

  test.each(agents)('%s: user starts all of it', async (name, at) => {
    const seen = await turnWith(name, at, 'user');
    expect(seen).toMatchObject({ result: ended, started: seen.usual, isToldSkill: true });
    expect(seen.isToldProject).toBe(true);
  });
});
