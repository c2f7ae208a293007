/**
 * Goal: the real agent programs are told as they are, too. Method: those that `npm run test:agents`
 * has installed, as agents of runs of the built program, before a scripted model that hangs, that
 * trickles, that has a tool run. What only a broken program does is shown by the lanes of our own.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ModelRequest, Turn } from '../../src/testing/model-server/script.ts';
import { agentFolder, clis, fileOf } from './installed.ts';
import { byModel, type Condition } from './lanes.ts';
import { modelTurn, modelWorld } from './model.ts';
import { tried } from './runs.ts';
import { note } from './table.ts';

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
