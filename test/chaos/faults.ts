/** What befalls the processes of a run on one machine, its files and its machine. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { expect } from 'vitest';
import { statOf } from '../../src/host/process-table.ts';
import { canMount, empty, fill } from '../support/small-disk.ts';
import {
  again,
  artifactsOf,
  asks,
  branchOf,
  driver,
  type Fault,
  host,
  lane,
  moveBranch,
  notAtWork,
  same,
  sizeOf,
  spooledBy,
  treesOf,
} from './fault.ts';
import { laneFaults } from './lane-faults.ts';
import { letEnd, type Stage, toEach } from './stage.ts';

const processFaults: readonly Fault[] = [
  {
    name: 'kill -9 of the lane',
    strike: (stage) => toEach(lane(stage), 'SIGKILL'),
    truth: notAtWork,
    ...again,
  },
  {
    name: 'kill -9 of the host',
    isQuick: true,
    strike: (stage) => toEach(host(stage), 'SIGKILL'),
    truth: notAtWork,
    ...again,
  },
  {
    name: 'kill -9 of driver and host',
    strike: (stage) => {
      toEach([...driver(stage), ...host(stage)], 'SIGKILL');
    },
    truth: notAtWork,
    ...again,
  },
  {
    name: 'kill -9 of the driver',
    isQuick: true,
    strike: (stage) => toEach(driver(stage), 'SIGKILL'),
    // Whoever is named as its driver lives.
    truth: ({ run: { driver: named } }, stage) =>
      named === null || driver(stage).some(({ pid }) => pid === named.pid),
    isLookedAtFirst: true,
    ...same,
  },
  {
    name: 'stop and continue of the lane',
    isQuick: true,
    strike: (stage) => toEach(lane(stage), 'SIGSTOP'),
    truth: ({ run }) => run.liveness?.reason === 'frozen',
    undo: (stage) => toEach(lane(stage), 'SIGCONT'),
    ...same,
  },
  {
    name: 'stop and continue of the driver',
    strike: (stage) => toEach(driver(stage), 'SIGSTOP'),
    truth: null,
    undo: (stage) => toEach(driver(stage), 'SIGCONT'),
    ...same,
  },
  {
    name: 'stop of the driver, for ever',
    strike: (stage) => toEach(driver(stage), 'SIGSTOP'),
    // Whoever is named as its driver is one that is not stopped.
    truth: ({ run: { driver: named } }) => named === null || statOf(named.pid)?.state !== 'T',
    isLookedAtFirst: true,
    ...same,
  },
  {
    name: 'stop of the host, for ever',
    strike: (stage) => toEach(host(stage), 'SIGSTOP'),
    truth: notAtWork,
    ...again,
  },
  {
    name: 'torn writes in the spool of a killed host',
    strike: (stage) => {
      toEach(host(stage), 'SIGKILL');
      for (const file of spooledBy(stage)) {
        writeFileSync(file, readFileSync(file).subarray(0, Math.floor(sizeOf(file) / 2)));
      }
    },
    truth: notAtWork,
    ...again,
  },
  {
    name: 'the work tree is deleted',
    isQuick: true,
    strike: (stage) => {
      for (const tree of treesOf(stage)) rmSync(tree, { recursive: true, force: true });
      letEnd(stage);
    },
    ...asks('workspace_lost'),
  },
  {
    name: 'the definition is damaged, the host killed',
    strike: (stage) => {
      for (const file of artifactsOf(stage)) writeFileSync(file, 'x');
      toEach([...driver(stage), ...host(stage)], 'SIGKILL');
    },
    ...asks('dispatch_failed'),
    spoils: true,
  },
];

const minuteMs = 60_000;
/** What somebody committed there can still be reached. */
function foreignIsKept({ work }: Stage): void {
  expect(work.git('log', '--all', '--format=%s').split('\n')).toContain('by somebody');
}

function instructionsOf(stage: Stage): readonly string[] {
  return artifactsOf(stage).filter((file) => {
    const text = readFileSync(file, 'utf8');
    return !text.startsWith('{') && text.includes('find the answer');
  });
}

const worldFaults: readonly Fault[] = [
  {
    name: 'the instruction is damaged, the host killed',
    strike: (stage) => {
      for (const file of instructionsOf(stage)) writeFileSync(file, 'x');
      toEach(host(stage), 'SIGKILL');
    },
    truth: notAtWork,
    ...again,
  },
  {
    name: 'its branch is moved under it',
    isQuick: true,
    strike: moveBranch,
    truth: null,
    ...same,
    alsoHolds: foreignIsKept,
  },
  {
    name: 'its branch is deleted under it',
    strike: ({ work }) => work.git('update-ref', '-d', `refs/heads/${branchOf(work)}`),
    truth: null,
    ...same,
  },
  ...[10 * minuteMs, -10 * minuteMs, 3 * 60 * minuteMs, -3 * 60 * minuteMs].map(
    (wallMs): Fault => ({
      name: `the clock jumps by ${wallMs / minuteMs} minutes`,
      of: { hasOwnClock: true },
      strike: ({ setClock }) => setClock(wallMs),
      truth: null,
      ...same,
      lastsMs: 40_000,
    }),
  ),
];

const diskFaults: readonly Fault[] = [
  {
    name: 'the disk of its state is full',
    of: { hasSmallDisk: true },
    strike: ({ own }) => fill(own.home),
    truth: ({ trouble }) => trouble.some(({ id }) => id === 'store.writable'),
    undo: ({ own }) => empty(own.home),
    ...same,
  },
];

/** On a machine that does not let us mount, disks are not filled. */
export const faults: readonly Fault[] = [
  ...processFaults,
  ...worldFaults,
  ...laneFaults,
  ...(canMount() ? diskFaults : []),
];
