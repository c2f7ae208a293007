/**
 * Goal: whatever became of a host, the sweep is told the truth about it, and nothing of a dead
 * host's tree is left when a successor starts.
 * Method: real spools; the host is a program of its own that is killed -9 or stopped.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Holder, JobResult } from '../domain/execution/state.ts';
import type { ExecutionId, GrantId } from '../domain/ids.ts';
import type { ExecutionRow, OpenExecution } from '../ports/store.ts';
import { until } from './containment/waiting.ts';
import { bootId, holderLives, selfHolder, startOf } from './identity.ts';
import { localLanes } from './local-lanes.ts';
import { allProcesses, commandOf, isLiving, statOf } from './process-table.ts';
import { nodeProcesses } from './processes.ts';
import { writeSeal } from './seal.ts';
import { openSpool, spoolPath } from './spool.ts';

/** Real processes on a busy machine: a bound, not an expectation. */
vi.setConfig({ testTimeout: 60_000 });

const root = mkdtempSync(join(tmpdir(), 'pawl-lanes-'));
const spoolDirectory = join(root, 'spool');
const homesDirectory = join(root, 'homes');
const processes = nodeProcesses({ stateDirectory: join(root, 'state') });
const self = selfHolder('here');
const dead: Holder = { ...self, started: self.started - 1 };
const started: string[] = [];
let monotonicMs = 0;

function lanes() {
  return localLanes({
    processes,
    clock: { monotonicMs: () => monotonicMs },
    spoolDirectory,
    homesDirectory,
    checkRecords: join(root, 'checks'),
    worker: 'here',
    startLaneHost: async ({ id }) => {
      started.push(id);
      return process.pid;
    },
    startCheckHost: async () => {
      started.push('checks');
      return process.pid;
    },
  });
}

beforeAll(async () => {
  const contents = `
    import { openSpool } from './spool.ts';
    import { nodeProcesses } from './processes.ts';
    const [state, spool, execution, file] = process.argv.slice(2);
    const processes = nodeProcesses({ stateDirectory: state });
    openSpool(spool, processes.self('here'), processes.lives);
    await processes.spawn({
      argv: ['sh', '-c', 'while :; do echo x >> "$0"; sleep 0.02; done', file],
      cwd: '/', env: { PATH: process.env.PATH, PAWL_EXECUTION: execution }, stdin: null,
      execution, spool, onStdout() {}, onStderr() {},
    });`;
  await build({
    stdin: { contents, resolveDir: import.meta.dirname, loader: 'ts' },
    outfile: join(root, 'host.mjs'),
    bundle: true,
    platform: 'node',
    format: 'esm',
  });
}, 60_000);
afterAll(() => rmSync(root, { recursive: true, force: true }));

function open(id: string, holder: Holder | null, more: Partial<OpenExecution> = {}): OpenExecution {
  const lease = holder === null ? null : { grantId: 'g' as GrantId, holder };
  return { id, role: 'execute', lease, beat: 1, ...more } as OpenExecution;
}

/** A host that works, with its agent. */
async function hosted(id: string) {
  const file = join(root, `witness-${id}`);
  const spool = spoolPath(spoolDirectory, id as ExecutionId);
  const argv = [join(root, 'host.mjs'), join(root, 'state'), spool, id, file];
  const child = spawn(process.execPath, argv, { stdio: 'ignore' });
  const isWriting = () => existsSync(file) && readFileSync(file).length > 0;
  expect(await until(isWriting, 20_000)).toBe(true);
  const pid = child.pid ?? 0;
  const holder: Holder = { worker: 'here', bootId: bootId(), pid, started: startOf(pid) ?? 0 };
  const agents = () =>
    allProcesses().filter(
      (one) => isLiving(one) && one.pid !== pid && commandOf(one.pid).includes(file),
    );
  return { child, holder, agents };
}

function seal(id: string, grantId = 'g') {
  const result = { kind: 'failed', class: 'window_exhausted' } as JobResult;
  const spool = spoolPath(spoolDirectory, id as ExecutionId);
  openSpool(spool, dead, holderLives);
  const fields = { version: 1, execution: id as ExecutionId, result, lastSeq: 1 } as const;
  return writeSeal(spool, { ...fields, grantId: grantId as GrantId, sealedAt: 1 });
}

test('a living host is adopted; killed -9, its tree is ended before anything else (L-D23)', async () => {
  const { child, holder, agents } = await hosted('live.1');
  const mine = lanes();
  expect(await mine.look(open('live.1', holder))).toEqual({ state: 'alive' });
  expect(agents().length).toBeGreaterThan(0);
  child.kill('SIGKILL');
  await until(() => !holderLives(holder), 5_000);
  expect(await mine.look(open('live.1', holder))).toMatchObject({
    state: 'dead',
    class: 'lane_died',
  });
  expect(await mine.end(open('live.1', holder))).toMatchObject({ strength: 'kernel' });
  expect(agents()).toEqual([]);
});

test('what a host sealed that is gone is found, whoever has lost it; of a living one nothing', async () => {
  const left = seal('late.1');
  const mine = lanes();
  const found = (id: string) => mine.sealLeft(id as ExecutionId);
  const { grantId, result } = left.seal;
  expect(await found('late.1')).toEqual({ grantId, seal: left.digest, result });
  expect(await found('late.2')).toBeNull();
  const { child, holder } = await hosted('late.3');
  writeSeal(spoolPath(spoolDirectory, 'late.3' as ExecutionId), {
    ...left.seal,
    execution: 'late.3' as ExecutionId,
  });
  expect(await found('late.3')).toBeNull();
  child.kill('SIGKILL');
  await until(() => !holderLives(holder), 5_000);
  expect(await found('late.3')).toMatchObject({ grantId, result });
  await mine.end(open('late.3', holder));
});

test('a stopped host is silent after two looks by our own clock, and can be ended', async () => {
  const { child, holder, agents } = await hosted('stop.1');
  child.kill('SIGSTOP');
  await until(() => statOf(holder.pid)?.state === 'T', 5_000);
  const mine = lanes();
  const look = () => mine.look(open('stop.1', holder));
  expect(await look()).toEqual({ state: 'alive' });
  monotonicMs += 15_000;
  expect(await look()).toEqual({ state: 'alive' });
  monotonicMs += 15_000;
  expect(await look()).toEqual({ state: 'silent', forMs: 30_000 });
  expect(await mine.look(open('stop.1', holder, { beat: 2 }))).toEqual({ state: 'alive' });
  expect(await mine.end(open('stop.1', holder))).toMatchObject({ strength: 'kernel' });
  expect(holderLives(holder)).toBe(false);
  expect(agents()).toEqual([]);
});

test('an hour in which the observer slept is not an hour of silence (L-D19)', async () => {
  const mine = lanes();
  const looks: unknown[] = [];
  for (let look = 0; look < 3; look += 1) {
    monotonicMs += look === 2 ? 3_600_000 : 15_000;
    looks.push(await mine.look(open('nap.1', self)));
  }
  expect(looks[2]).toEqual({ state: 'silent', forMs: 35_000 });
});

test('a sealed result of a dead host is handed in by whoever finds it, under its own grant', async () => {
  const sealed = seal('seal.1');
  expect(await lanes().look(open('seal.1', dead))).toEqual({
    state: 'sealed',
    grantId: 'g',
    seal: sealed.digest,
    result: sealed.seal.result,
  });
});

test('a seal under another grant is no result of this lease', async () => {
  seal('seal.2', 'older');
  expect(await lanes().look(open('seal.2', dead))).toMatchObject({ state: 'dead' });
});

test('what another boot held has ended with that boot', async () => {
  const before = { ...dead, bootId: 'another-boot' };
  expect(await lanes().look(open('boot.1', before))).toMatchObject({ state: 'dead' });
  expect(await lanes().end(open('boot.1', before))).toMatchObject({
    strength: 'kernel',
    rung: 'boot',
  });
});

test('what another machine holds is its lease’s business', async () => {
  const away = { ...dead, worker: 'elsewhere', bootId: 'another-boot' };
  const seen = lanes();
  const looks = [];
  for (let n = 0; n < 4; n += 1) {
    looks.push(await seen.look(open('away.1', away)));
    monotonicMs += 15_000;
  }
  const after = (forMs: number) => ({ state: 'elsewhere', forMs });
  expect(looks).toEqual([after(0), after(0), after(30_000), after(45_000)]);
});

test('a host that died before it spawned anything left nothing, and that is provable', async () => {
  openSpool(spoolPath(spoolDirectory, 'early.1' as ExecutionId), dead, holderLives);
  const proof = await lanes().end(open('early.1', dead));
  expect(proof).toEqual({ strength: 'marker+tree', rung: 'gate', gaps: [] });
});

test('a check host is started once while it takes its seat (L-K8)', async () => {
  const mine = lanes();
  started.length = 0;
  await mine.ensureCheckHost(dead, false);
  await mine.ensureCheckHost(null, false);
  await mine.ensureCheckHost(dead, false);
  expect(started).toEqual(['checks']);
  await lanes().ensureCheckHost(self, false);
  expect(started).toEqual(['checks']);
  await mine.start({ id: 'lane.1' } as ExecutionRow);
  expect(started).toEqual(['checks', 'lane.1']);
});

test('a check host that is stopped is ended for another (RR-5)', async () => {
  const { child, holder } = await hosted('checks.1');
  child.kill('SIGSTOP');
  await until(() => statOf(holder.pid)?.state === 'T', 5_000);
  const mine = lanes();
  started.length = 0;
  await mine.ensureCheckHost(holder, false);
  expect([started, holderLives(holder)]).toEqual([[], true]);
  await mine.ensureCheckHost(holder, true);
  expect([started, holderLives(holder)]).toEqual([['checks'], false]);
  await mine.end(open('checks.1', holder));
});

test('spools are forgotten one by one, a living host’s never', async () => {
  const ids = ['old.1', 'old.2'].map((id) => id as ExecutionId);
  const [gone = '', kept = ''] = ids.map((id) => spoolPath(spoolDirectory, id));
  openSpool(gone, dead, holderLives);
  openSpool(kept, self, holderLives);
  mkdirSync(join(gone, 'journal'), { recursive: true });
  await lanes().forget(ids);
  expect([existsSync(gone), existsSync(kept)]).toEqual([false, true]);
});

test('with the spools of a run go the homes of its agents, unless one still works there', async () => {
  const [idle, busy] = ['idle.1', 'busy.1'].map((id) => id as ExecutionId);
  if (idle === undefined || busy === undefined) throw new Error('two executions');
  openSpool(spoolPath(spoolDirectory, idle), dead, holderLives);
  openSpool(spoolPath(spoolDirectory, busy), self, holderLives);
  const homes = ['idle', 'busy'].map((run) => join(homesDirectory, run));
  for (const home of homes) mkdirSync(join(home, 'execute'), { recursive: true });
  await lanes().forget([idle, busy]);
  expect(homes.map((home) => existsSync(home))).toEqual([false, true]);
});
