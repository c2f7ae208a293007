/**
 * Goal: a probe tells what an agent really gives, keeps it, and leaves nothing behind. Method: the
 * fake agent, through the real lane host and models door against the scripted server.
 */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { agentProbe } from '../../../src/main/probe/agent-probe.ts';
import type { Probed } from '../../../src/ports/agent-probe.ts';
import { processesOf } from '../../support/processes.ts';
import { fakeAdapter } from './fake-adapter.ts';

let root = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'pawl-test-probe-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const shell = { PATH: process.env['PATH'], HOME: '/nonexistent', GITHUB_TOKEN: 'CANARY-token' };

function probing(modes: readonly string[]) {
  const around = { env: shell, home: join(root, 'home'), temporary: root };
  return agentProbe(around, () => fakeAdapter({ modes }));
}

async function probed(modes: readonly string[], signal = new AbortController().signal) {
  const probe = probing(modes);
  const parts: string[] = [];
  const progress = (line: string) => parts.push(line);
  const found: Probed = await probe.probe({ agent: 'fake', version: '1.2.3', signal, progress });
  // Whatever came of it: no folder, no process.
  expect(readdirSync(root).filter((name) => name !== 'home')).toEqual([]);
  expect(processesOf(root)).toEqual([]);
  return { found, parts, last: await probe.last('fake') };
}

test('an agent that keeps the contract gives every signal, and the result is kept', async () => {
  const { found, parts, last } = await probed([]);
  expect(found).toMatchObject({ agent: 'fake', version: '1.2.3', ok: true, problems: [] });
  expect(found.signals).toEqual({
    ...{ tools: 'yes', servers: 'yes', usage: 'total', metered: 'yes' },
    ...{ limits: 'yes', resume: 'yes', cancel: 0 },
  });
  expect(parts).toEqual([
    ...['fake: a turn with a tool', 'fake: a second turn', 'fake: a limit', 'fake: a cancel'],
  ]);
  expect(last).toEqual(found);
});

test('what it does not give is told, and a tool that outlives a cancel is counted', async () => {
  const modes = ['hides_tools', 'has_no_tools', 'miscounts', 'forgets', 'claims_success'];
  const { found } = await probed([...modes, 'runs_apart']);
  expect(found.ok).toBe(true);
  expect(found.signals).toEqual({
    ...{ tools: 'no', servers: 'no', usage: 'partial', metered: 'yes' },
    // The models door saw the limit that the agent hid.
    ...{ limits: 'door', resume: 'no', cancel: 1 },
  });
  expect(found.problems.join()).toContain('resume: the model was not told again');
});

test('one that does not end a plain turn as it must is not believed at all', async () => {
  const { found, last } = await probed(['has_no_session']);
  expect(found).toMatchObject({ ok: false, problems: ['it did not tell the id of its session'] });
  expect(new Set(Object.values(found.signals))).toEqual(new Set(['unknown']));
  expect(last).toEqual(found);
});

test('it is kept as of the version that detection found, whatever the turn tells', async () => {
  const probe = probing([]);
  const { signal } = new AbortController();
  const found = await probe.probe({ agent: 'fake', version: null, signal, progress: () => {} });
  expect(found).toMatchObject({ ok: true, version: null });
  expect((await probe.last('fake'))?.version).toBeNull();
});

test('one that is called off is ended, and nothing is kept of it', async () => {
  const stop = new AbortController();
  const probe = probing([]);
  const progress = (line: string) => {
    if (line === 'fake: a cancel') stop.abort();
  };
  await probe.probe({ agent: 'fake', version: '1.2.3', signal: stop.signal, progress });
  expect(processesOf(root)).toEqual([]);
  expect(readdirSync(root)).toEqual([]);
  expect(await probe.last('fake')).toBeNull();
});
