/**
 * Goal: with `login: key` a run's calls of models are metered and braked inside a turn, and the key
 * is nowhere but in the lane host. Method: a command agent that speaks Chat Completions, the
 * scripted model server, the built program.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type ModelServer, modelServer } from '../../src/testing/model-server/model-server.ts';
import { filesBelow } from '../support/canaries.ts';
import { chatAgent } from '../support/chat-agent.ts';
import { type Pawl, pawl } from '../support/pawl.ts';
import { type Fixture, r0Plain } from '../support/repositories.ts';

const key = 'sk-real-CANARY-5566778899';
const usage = { inputTokens: 10_000, cachedTokens: 0, outputTokens: 1_000 };

let it: Pawl;
let server: ModelServer;
let project: Fixture;
beforeEach(async () => {
  it = pawl();
  project = r0Plain(it.root);
  const work = (command: string) => ({ tool: { shell: command }, usage });
  server = await modelServer({
    script: {
      '/ok': [work('echo looked'), work('touch done.txt'), { text: 'all done', usage }],
      '/long': Array.from({ length: 20 }, () => work('echo again')),
    },
  });
  writeFileSync(join(it.root, 'agent.mjs'), chatAgent);
  writeFileSync(join(it.root, 'key'), `${key}\n`, { mode: 0o600 });
});
afterEach(async () => {
  await it.close();
  await server.close();
});

function run(prefix: string, more = '') {
  const file = `version: 1
agents: { mine: { command: [${process.execPath}, ${join(it.root, 'agent.mjs')}] } }
roles: { execute: { agent: mine, login: key } }
secrets: { OPENAI_API_KEY: "file:${join(it.root, 'key')}" }
env: { set: { OPENAI_BASE_URL: "${server.url}${prefix}/v1" } }
check: test -f done.txt
${more}`;
  writeFileSync(join(project.root, 'pawl.yaml'), file);
  return it.run(['run', 'make it', '--json', '-n', '2'], { cwd: project.root });
}

/** Every file of the state and of the project. */
const everything = (folder: string): string =>
  [...filesBelow(folder)].map(([, text]) => text).join('\n');

test('a run with a key is metered, and the key is nowhere (XP-28, XP-29, L-N1, L-N5)', async () => {
  const done = await run('/ok');
  expect(done.json()).toMatchObject({
    status: 'complete',
    verification: 'passed',
    spent: { source: 'metered', tokensIn: 30_000, tokensOut: 3_000 },
  });
  expect(server.requests().map(({ headers }) => headers['authorization'])).toEqual(
    [1, 2, 3].map(() => `Bearer ${key}`),
  );
  expect(everything(it.home)).not.toContain(key);
  expect(everything(project.root)).not.toContain(key);
});

test('a budget stops a run inside a turn; a grant lets it go on (L-F1)', async () => {
  const stopped = await run('/long', 'brakes: { cost: 0.05 }\n');
  expect(stopped.json()).toMatchObject({ status: 'needs_operator', reason: 'cost' });
  // Three calls are $0.0675; the fourth was refused at the door and never asked.
  expect(server.requests()).toHaveLength(3);
  const args = ['resume', String(stopped.json()['id']), '--cost', '+0.05', '--json'];
  await it.onTerminal(args, { cwd: project.root });
  const waited = await it.run(['wait', String(stopped.json()['id']), '--json']);
  expect(waited.json()).toMatchObject({ runs: [{ status: 'needs_operator', reason: 'cost' }] });
  // $0.10 are five calls; the sixth was refused.
  expect(server.requests()).toHaveLength(5);
});
