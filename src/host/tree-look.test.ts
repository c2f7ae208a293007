import { spawn } from 'node:child_process';
import { expect, test } from 'vitest';
import { hasProc, type ProcessStat } from './process-table.ts';
import { laneRootOf, lookAtTree, treeOf, writtenOf } from './tree-look.ts';

const stat = (pid: number, parent: number, state = 'S'): ProcessStat => ({
  ...{ pid, parent, state, group: pid, session: 1, started: pid * 10, cpuTicks: pid },
});

const bare = (pid: number) => ({ pid, wrappers: [] });

test('what only contains a lane is not of the lane', () => {
  const record = { pid: 7, init: null, guardRecord: null };
  const hasTerminal = false;
  expect(laneRootOf(record)).toEqual({ ...bare(7), hasTerminal });
  const guarded = laneRootOf({ ...record, guardRecord: '/g' });
  expect(guarded).toEqual({ pid: 7, wrappers: [7], hasTerminal });
  const init = { pid: 8, started: 80, ns: 'n' };
  const root = laneRootOf({ ...record, init });
  expect(root).toEqual({ pid: 7, wrappers: [7, 8], hasTerminal });
  const table = [stat(7, 1), stat(8, 7), stat(9, 8, 'T')];
  const { isRootAlive, processes } = treeOf(root, table, () => 0);
  expect([isRootAlive, processes.map(({ state }) => state)]).toEqual([true, ['T']]);
});

test('nor is what copies from its terminal: it repaints for whoever it serves (RR-14)', () => {
  const table = [stat(7, 1), stat(8, 7), stat(9, 8, 'R'), stat(10, 9, 'T'), stat(11, 8, 'T')];
  const ids = (wrappers: readonly number[]) =>
    treeOf({ pid: 7, wrappers, hasTerminal: true }, table, () => 0).processes.map(({ id }) => id);
  expect(ids([7, 8])).toEqual(['10:100', '11:110']);
  expect(ids([])).toEqual(['8:80', '9:90', '10:100', '11:110']);
});

test('a tree is its root and all below it that lives, with what each has written', () => {
  const table = [
    stat(1, 0),
    stat(7, 1),
    stat(8, 7),
    stat(9, 8, 'T'),
    stat(10, 7, 'Z'),
    stat(11, 1),
  ];
  expect(treeOf(bare(7), table, (pid) => (pid === 8 ? null : pid * 100))).toEqual({
    isRootAlive: true,
    processes: [
      { id: '7:70', state: 'S', cpuTicks: 7, written: 700 },
      { id: '8:80', state: 'S', cpuTicks: 8, written: null },
      { id: '9:90', state: 'T', cpuTicks: 9, written: 900 },
    ],
  });
});

test('a root that is gone, or dead and not collected, does not live', () => {
  expect(treeOf(bare(7), [stat(1, 0)], () => 0)).toEqual({ isRootAlive: false, processes: [] });
  expect(treeOf(bare(7), [stat(7, 1, 'Z')], () => 0).isRootAlive).toBe(false);
});

test('a tree without end is looked at in part', () => {
  const table = [stat(7, 1), ...Array.from({ length: 2_000 }, (_, n) => stat(n + 10, 7))];
  expect(treeOf(bare(7), table, () => 0).processes).toHaveLength(512);
});

test('what a process wrote is one line of many', () => {
  const text = 'rchar: 1\nwchar: 94491\nsyscr: 2\nsyscw: 3\nread_bytes: 0\nwrite_bytes: 4096\n';
  expect(writtenOf(text)).toBe(94_491);
  expect(writtenOf('')).toBeNull();
});

test.runIf(hasProc)(
  'the machine tells of a real process, that it is there and then not',
  async () => {
    const child = spawn(process.execPath, ['-e', 'console.log("up"); process.stdin.resume()'], {
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    const pid = child.pid ?? -1;
    const exited = new Promise((resolve) => child.once('exit', resolve));
    try {
      await new Promise((resolve) => child.stdout.once('data', resolve));
      const look = lookAtTree(bare(pid));
      expect(look?.isRootAlive).toBe(true);
      expect(look?.processes[0]?.written).toBeGreaterThan(2);
    } finally {
      child.stdin.end();
      await exited;
    }
    expect(lookAtTree(bare(pid))?.isRootAlive).toBe(false);
  },
);
