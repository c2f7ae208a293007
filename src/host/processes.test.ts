/**
 * Goal: on every rung an agent is started, heard and asked to end in the same way, so that what
 * stands between it and its host never shows.
 * Method: real shells on each rung that this machine offers, as the user of the tests.
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { ProcessSpec } from '../ports/processes.ts';
import { installGuard } from './containment/guard-source.ts';
import { programMarker } from './containment/machine-scan.ts';
import { probeLadder } from './containment/probe.ts';
import { ladder, type Rung } from './containment/rung-lines.ts';
import { until } from './containment/waiting.ts';
import { bootId } from './identity.ts';
import { environOf, statOf } from './process-table.ts';
import { nodeProcesses } from './processes.ts';

/** Real processes on a busy machine: a bound, not an expectation. */
vi.setConfig({ testTimeout: 60_000 });

const root = mkdtempSync(join(tmpdir(), 'pawl-processes-'));
const state = join(root, 'state');
let offered: readonly Rung[] = [];
beforeAll(async () => {
  offered = (await probeLadder(state, await installGuard(state))).rungs;
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

async function start(rung: Rung, script: string, more: Partial<ProcessSpec> = {}) {
  const directory = mkdtempSync(join(root, 'case-'));
  const spool = join(directory, 'spool');
  let stdout = '';
  let stderr = '';
  const child = await nodeProcesses({ stateDirectory: state, forceRung: rung }).spawn({
    argv: ['sh', '-c', script],
    cwd: directory,
    env: { PATH: process.env['PATH'] ?? '', PAWL_EXECUTION: 'try.1', ONLY: 'this' },
    stdin: null,
    execution: 'try.1',
    spool,
    onStdout: (bytes) => {
      stdout += String(bytes);
    },
    onStderr: (bytes) => {
      stderr += String(bytes);
    },
    ...more,
  });
  const done = async () => {
    const exit = await child.exited;
    await child.end(1_000);
    return { exit, stdout, stderr };
  };
  return { child, directory, spool, done };
}

describe.each(ladder)('%s', (rung) => {
  test('streams, arguments, environment and exit code arrive unchanged', async (context) => {
    context.skip(!offered.includes(rung), 'not offered by this machine');
    const script =
      'cat; echo "to stderr" >&2; env | sort | grep -v "^_=\\|^PWD=\\|^SHLVL="; exit 7';
    const { done } = await start(rung, script, { stdin: 'ä prompt\n' });
    const { exit, stdout, stderr } = await done();
    expect(exit).toEqual({ exit: 7, signal: null });
    expect(stdout).toBe(`ä prompt\nONLY=this\nPATH=${process.env['PATH']}\nPAWL_EXECUTION=try.1\n`);
    expect(stderr).toContain('to stderr');
  });

  test('a death by signal is told as one (L-I9)', async (context) => {
    context.skip(!offered.includes(rung), 'not offered by this machine');
    const { done } = await start(rung, 'kill -KILL $$');
    expect((await done()).exit).toEqual({ exit: null, signal: 'SIGKILL' });
  });

  test('what holds the agent may be killed too: it is told as the agent is (L-I9, RR-46)', async (context) => {
    context.skip(!offered.includes(rung), 'not offered by this machine');
    const { child, directory, done } = await start(rung, ': > ready; exec sleep 60');
    expect(await until(() => existsSync(join(directory, 'ready')), 10_000)).toBe(true);
    process.kill(child.record.init?.pid ?? child.pid, 'SIGKILL');
    expect((await done()).exit).toEqual({ exit: null, signal: 'SIGKILL' });
  });

  test('the agent itself is asked to end, and may do so in order', async (context) => {
    context.skip(!offered.includes(rung), 'not offered by this machine');
    const script = 'trap "echo bye > bye; exit 0" TERM; : > ready; while :; do sleep 0.02; done';
    const { child, directory } = await start(rung, script);
    expect(await until(() => existsSync(join(directory, 'ready')), 10_000)).toBe(true);
    await child.end(10_000);
    expect(readFileSync(join(directory, 'bye'), 'utf8')).toBe('bye\n');
  });

  test('the agent is not pid 1 and holds neither gate nor control', async (context) => {
    context.skip(!offered.includes(rung), 'not offered by this machine');
    const script =
      'for fd in 3 4; do test -e /proc/$$/fd/$fd && echo "has $fd"; done; echo "as $$"';
    const { done } = await start(rung, script);
    const { stdout } = await done();
    expect(stdout).toMatch(/^as \d+\n$/);
    expect(stdout).not.toBe('as 1\n');
  });

  test('the record lies in the spool before the agent runs', async (context) => {
    context.skip(!offered.includes(rung), 'not offered by this machine');
    const { child, spool, done } = await start(rung, 'cat spool/containment-*.json');
    const { stdout } = await done();
    expect(JSON.parse(stdout)).toEqual(child.record);
    expect(child.record).toMatchObject({ rung, bootId: bootId(), execution: 'try.1' });
    expect(readdirSync(spool)).toContain(`containment-${child.pid}.json`);
  });
});

test('the best rung is taken when none is forced', async () => {
  const processes = nodeProcesses({ stateDirectory: state });
  const spool = join(root, 'best');
  const nothing = () => {};
  const child = await processes.spawn({
    argv: ['true'],
    cwd: root,
    env: { PATH: process.env['PATH'] ?? '' },
    stdin: 'nobody reads this',
    execution: 'best.1',
    spool,
    onStdout: nothing,
    onStderr: nothing,
  });
  expect(child.record.rung).toBe(offered[0]);
  expect((await child.end(0)).gaps).toEqual([]);
});

test('a process that has the work tree open makes the proof unproven, with its pid', async () => {
  const tree = mkdtempSync(join(root, 'tree-'));
  const holder = await start('marker', 'sleep 600; true', { cwd: tree });
  const { child } = await start(offered[0] ?? 'marker', 'true', { cwd: tree, workTree: tree });
  const proof = await child.end(0);
  await holder.child.end(0);
  expect(proof.strength).toBe('unproven');
  expect(proof.gaps.join()).toMatch(/has the work tree open: pid \d+ \(cwd\)/);
});

const plain = join(root, 'plain-file');
writeFileSync(plain, 'not a program', { mode: 0o644 });
test.each([
  ['no-such-program', 'on PATH'],
  ['./not/here', 'that may be run'],
  [plain, 'that may be run'],
])(
  '%s cannot be started, and that is said shortly before anything is spawned',
  async (program, where) => {
    const message = `there is no program "${program}" ${where}`;
    await expect(start('marker', '', { argv: [program] })).rejects.toMatchObject({
      ...{ code: 'program_missing', message, details: {} },
    });
  },
);

test.each(ladder)(
  'the tools of %s are found although the PATH given to a lane has none',
  async (rung) => {
    if (!offered.includes(rung)) return;
    const env = { PATH: '/nowhere', PAWL_EXECUTION: 'try.1' };
    const { done } = await start(rung, '', { argv: ['/bin/sh', '-c', 'echo here'], env });
    expect(await done()).toMatchObject({ stdout: 'here\n', exit: { exit: 0 } });
    const missing = start(rung, '', { argv: ['sh', '-c', 'true'], env });
    await expect(missing).rejects.toMatchObject({
      code: 'program_missing',
    });
  },
);

test('a detached program has a session of its own, a log, and a mark against the census', async () => {
  const log = join(root, 'log', 'program.log');
  const processes = nodeProcesses({ stateDirectory: state });
  const pid = await processes.spawnDetached({
    argv: ['sh', '-c', 'echo hello; sleep 600; true'],
    cwd: root,
    env: { PATH: process.env['PATH'] ?? '' },
    log,
  });
  expect(await until(() => readFileSync(log, 'utf8') === 'hello\n', 10_000)).toBe(true);
  expect(statOf(pid)?.session).toBe(pid);
  expect(environOf(pid)?.split('\0')).toContain(`${programMarker}=1`);
  process.kill(-pid, 'SIGKILL');
});
