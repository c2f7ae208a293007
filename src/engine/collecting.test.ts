/**
 * Goal: what no stream names goes after a day, never earlier; what a stream names stays, also where
 * an older program wrote no row for it. Method: one engine over a store in memory.
 */
import { expect, test } from 'vitest';
import { bench, executed, plainDefinition, prepared, work } from '../../test/sim/bench-of-one.ts';
import { ada } from '../../test/sim/human.ts';
import type { Digest, RunId } from '../domain/ids.ts';
import { never } from '../kernel/cancel-signal.ts';
import { ok } from '../kernel/result.ts';
import type { Store } from '../ports/store.ts';
import type { PruneItem, Workspace } from '../ports/workspace.ts';
import { collectOrphans } from './collecting.ts';
import { companions } from './companions.ts';
import { engine as makeEngine } from './engine.ts';
import { localPlane } from './local-plane.ts';
import type { OperatorEdge } from './operator-edge.ts';
import { pruning } from './pruning.ts';

const dayMs = 24 * 3_600_000;

function world() {
  const here = bench();
  const { artifacts, engine } = here;
  const collector = artifacts.collectorOver(engine.store);
  const collect = (dry = false) => collectOrphans(engine, collector, { signal: never, dry });
  const started = async (): Promise<RunId> => {
    const request = { detached: true, resumedFrom: null, from: null } as const;
    return (await here.client.start({ ...request, definition: plainDefinition }, ada)).id;
  };
  const isThere = async (digest: Digest) => (await artifacts.get(digest)) !== null;
  return { ...here, collector, collect, started, isThere };
}

test('what was put and never committed goes after 24 hours, never earlier (XP-16)', async () => {
  const { artifacts, collect, isThere, pass } = world();
  const orphan = await artifacts.put('put, then the process was killed', 'output');
  pass(dayMs);
  expect(await collect()).toEqual({ files: 0, bytes: 0 });
  expect(await isThere(orphan)).toBe(true);
  pass(1);
  expect(await collect(true)).toEqual({ files: 1, bytes: 32 });
  expect(await isThere(orphan)).toBe(true);
  expect(await collect()).toEqual({ files: 1, bytes: 32 });
  expect(await isThere(orphan)).toBe(false);
});

test('what was put since a run began stays as long as it is worked on (XP-16, XP-43)', async () => {
  const { artifacts, client, collect, isThere, pass, started } = world();
  const run = await started();
  const sealed = await artifacts.put(
    'named by a seal in the spool of a machine that is off',
    'journal',
  );
  pass(5 * dayMs);
  await collect();
  expect(await isThere(sealed)).toBe(true);
  await client.cancel(run, '', ada);
  await collect();
  expect(await isThere(sealed)).toBe(false);
});

test('outputs of checks and of the baseline, texts and journals have rows (XP-16)', async () => {
  const here = world();
  const { artifacts, collect, isThere, pass, started } = here;
  const run = await started();
  const put = (text: string) => artifacts.put(text, 'output');
  const [output, text, journal] = [await put('printed'), await put('said'), await put('lines')];
  const detail = await put(JSON.stringify({ criteria: [{ output }] }));
  await work(here, run, { ...prepared, detail, outputs: [output] });
  await work(here, run, { ...executed, text, journal });
  await here.client.cancel(run, '', ada);
  pass(2 * dayMs);
  await collect();
  const kept = await Promise.all([output, text, journal, detail].map(isThere));
  expect(kept).toEqual([true, true, true, true]);
});

/** Hosts of an older program, which wrote no rows for what was handed in. */
function olderHosts(here: ReturnType<typeof world>) {
  const { store } = here.engine;
  const transact: Store['transact'] = (commands, decide) =>
    store.transact(commands, (aggregate, command, held) => {
      const decided = decide(aggregate, command, held);
      if (!decided.ok) return decided;
      const { rows } = decided.value;
      return ok({ ...decided.value, rows: { ...rows, references: [] } });
    });
  return {
    ...here,
    plane: localPlane(makeEngine({ ...here.engine, store: { ...store, transact } })),
  };
}

test('a stream without rows is listed once, deeper too, before anything goes (XP-16)', async () => {
  const here = world();
  const { artifacts, collect, isThere, pass, started } = here;
  const { store } = here.engine;
  const run = await started();
  const output = await artifacts.put('printed', 'output');
  const detail = await artifacts.put(JSON.stringify({ criteria: [{ output }] }), 'verdict');
  await work(olderHosts(here), run, { ...prepared, detail });
  const orphan = await artifacts.put('of nobody', 'output');
  await here.client.cancel(run, '', ada);
  pass(2 * dayMs);
  expect(await store.unreferenced([output, detail])).toEqual([output, detail]);
  expect(await collect(true)).toMatchObject({ files: 1 });
  expect(await store.unreferenced([output]), 'a look writes nothing').toEqual([output]);
  expect(await collect()).toMatchObject({ files: 1 });
  expect(await Promise.all([output, detail, orphan].map(isThere))).toEqual([true, true, false]);
  expect(await store.unreferenced([output, detail])).toEqual([]);
  expect(await store.unlisted(0, 10)).toEqual([]);
});

/** What goes on beside the driver comes to its end: all of it is in memory. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

test('a driver collects when it begins and then each six hours; an error stops nothing', async () => {
  const here = world();
  const { artifacts, collector, engine, isThere, pass } = here;
  const log: string[] = [];
  let calls = 0;
  const failing: typeof collector = {
    path: '',
    collect: async (request) => {
      calls += 1;
      if (calls === 1) throw new Error('the folder cannot be read');
      return await collector.collect(request);
    },
  };
  const tuning = { everyMs: 1, log: (line: string) => log.push(line) };
  const term = () => companions({ engine, collector: failing }, tuning);
  const first = term();
  await first.turn(never);
  await settle();
  await first.close();
  expect(log).toEqual(['artifacts: the folder cannot be read']);
  const orphan = await artifacts.put('of nobody', 'output');
  const second = term();
  await second.turn(never);
  await settle();
  pass(dayMs + 1);
  await second.turn(never);
  await settle();
  await second.close();
  expect(log.at(-1)).toBe('artifacts: 1 of no run removed, 9 bytes');
  expect(await isThere(orphan)).toBe(false);
});

test('prune offers what is of nobody, last, and says what it freed (L-G25)', async () => {
  const here = world();
  const { artifacts, collector, engine, isThere, pass } = here;
  const tree = { run: null, path: '/tree', branch: null, root: '/', bytes: 5, safeBecause: 'old' };
  const removed: string[] = [];
  const workspace = {
    prunable: async () => [tree],
    prune: async ({ path }: PruneItem) => void removed.push(path),
  };
  const { prunable, prune } = pruning({
    client: { list: async () => [{ ...(await here.client.find(anyRun)), endedAt: null }] },
    edge: { human: async () => {} } as unknown as OperatorEdge,
    workspace: async () => workspace as unknown as Workspace,
    engine,
    collector,
  });
  const anyRun = { text: await here.started(), project: null };
  await here.client.cancel(anyRun.text as RunId, '', ada);
  const orphan = await artifacts.put('of nobody', 'output');
  const every = { project: null, olderThanMs: null, landedOnly: false };
  expect(await prunable(every)).toEqual([tree]);
  pass(dayMs + 1);
  const items = await prunable(every);
  expect(items).toMatchObject([tree, { path: '/artifacts', bytes: 9, artifacts: 1, run: null }]);
  expect(await prunable({ ...every, landedOnly: true })).toEqual([]);
  expect(await isThere(orphan)).toBe(true);
  expect(await prune(items, ada)).toEqual({ freedBytes: 14 });
  expect(removed).toEqual(['/tree']);
  expect(await isThere(orphan)).toBe(false);
});
