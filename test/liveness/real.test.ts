/**
 * Goal: what `pawl status` says of a lane is true within one window of the rule's own clock: never
 * at work over one that is gone, never stalled over one that works. Method: the built program and
 * real processes that do what a condition says, all of a kind at once; the seconds are measured and
 * printed.
 */
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { ModelRequest, Turn } from '../../src/testing/model-server/script.ts';
import { alone, behindDoor, onTerminal } from './lanes.ts';
import { modelTurn, modelWorld } from './model.ts';
import { tried } from './runs.ts';

const program = fileURLToPath(new URL('lane.mjs', import.meta.url));
const agent = (kind: string) =>
  `agents: { mine: { command: [${process.execPath}, ${program}, ${kind}, '{prompt_content}'] } }\n`;
test('a plain command is told as it is (RR-6, RR-14, RR-15, RR-16, RR-46)', async () => {
  const file = `${agent('alone')}roles: { execute: { agent: mine } }\n`;
  expect(await tried({ name: 'command', conditions: alone, file })).toEqual([]);
});

test('a program that repaints its terminal is told as it is (RR-14, RR-15, RR-39, RR-46)', async () => {
  const argv = `[${process.execPath}, ${program}, terminal, '{prompt_content}']`;
  const file = `agents: { mine: { pty: ${argv} } }\nroles: { execute: { agent: mine } }\n`;
  expect(await tried({ name: 'on a terminal', conditions: onTerminal, file })).toEqual([]);
});

/** The first answer is good; the second is what the condition says. */
const turnFor = (request: ModelRequest): Turn =>
  request.turnsSoFar === 0 ? { text: 'I shall see.' } : modelTurn(request);

test('a program behind the models door is told as it is (RR-6, RR-14, RR-15, RR-16, RR-46)', async () => {
  const world = await modelWorld(turnFor);
  try {
    const file = `${agent('door')}roles: { execute: { agent: mine, login: key } }
secrets: { OPENAI_API_KEY: "file:${world.key}" }
env: { set: { OPENAI_BASE_URL: "${world.url}/v1" } }
`;
    expect(await tried({ name: 'behind the door', conditions: behindDoor, file })).toEqual([]);
  } finally {
    await world.close();
  }
});
