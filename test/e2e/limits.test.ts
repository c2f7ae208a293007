/**
 * Goal: a limit that tells its end is waited for, at no attempt's cost, by a timer in the store:
 * who kills everything while it waits changes nothing. Method: a command agent behind the models
 * door, the scripted model server that refuses once, the built program. It takes as long as the
 * shortest wait that is believed, a minute.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type ModelServer, modelServer } from '../../src/testing/model-server/model-server.ts';
import { chatAgent } from '../support/chat-agent.ts';
import { type Pawl, pawl } from '../support/pawl.ts';
import { signal } from '../support/processes.ts';
import { r0Plain } from '../support/repositories.ts';

const resetsInSeconds = 75;

let it: Pawl;
let server: ModelServer;
beforeEach(async () => {
  it = pawl();
  const fails = { by: 'rate_limited_until', times: 1, resetsInSeconds } as const;
  server = await modelServer({
    script: { '/s': [{ tool: { shell: 'touch done.txt' }, fails }, { text: 'done' }] },
  });
});
afterEach(async () => {
  await it.close();
  await server.close();
});

test('a limit is waited for through kill -9 of everything, and costs no attempt (L-E1, L-E9)', async () => {
  const project = r0Plain(it.root);
  writeFileSync(join(it.root, 'agent.mjs'), chatAgent);
  writeFileSync(join(it.root, 'key'), 'sk-real-CANARY-5566778899\n', { mode: 0o600 });
  writeFileSync(
    join(project.root, 'pawl.yaml'),
    `version: 1
agents: { mine: { command: [${process.execPath}, ${join(it.root, 'agent.mjs')}] } }
roles: { execute: { agent: mine, login: key } }
secrets: { OPENAI_API_KEY: "file:${join(it.root, 'key')}" }
env: { set: { OPENAI_BASE_URL: "${server.url}/s/v1" } }
check: test -f done.txt
`,
  );
  const began = Date.now();
  const viewer = it.start(['run', 'make it', '--json'], { cwd: project.root });
  await viewer.seen(/"rate_limited"/, 90_000);
  for (const found of it.processes()) signal(found, 'SIGKILL');
  await viewer.finished;
  const listed = await it.run(['list', '--json'], { cwd: project.root });
  const [run] = listed.json()['runs'] as readonly Readonly<Record<string, unknown>>[];
  expect(run).toMatchObject({ status: 'active', phase: 'waiting' });
  const id = String(run?.['id']);
  const waiting = (await it.run(['show', id, '--json'])).json();
  expect(waiting).toMatchObject({ status: 'active', attempt: { n: 1 } });
  expect(JSON.stringify(waiting['waitingFor'])).toContain('rate_limited');
  const resumesAt = Date.parse(String(waiting['resumesAt']));
  expect(resumesAt - began).toBeGreaterThanOrEqual(resetsInSeconds * 1_000);
  // Whoever waits starts a driver, which finds the timer where it was.
  const waited = await it.run(['wait', id, '--json'], { timeoutMs: 150_000 });
  expect(waited.json()).toMatchObject({ runs: [{ status: 'complete', attempt: { n: 1 } }] });
  expect(Date.now()).toBeGreaterThanOrEqual(resumesAt);
  expect(server.requests()).toHaveLength(3);
});
