/** What is done to a run on one machine, what must be shown of it, and how it must end. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../support/processes.ts';
import { letEnd, type Page, type Stage, starts, toEach, waitMs } from './stage.ts';

export interface Fault {
  readonly name: string;
  readonly strike: (stage: Stage) => void;
  /**
   * What is shown while it stands; null: it stands for no time, since it is healed where it is met.
   */
  readonly truth: ((page: Page, stage: Stage) => boolean) | null;
  /** Nobody waits for the run before the truth was shown: whoever waits starts a driver. */
  readonly isLookedAtFirst?: true;
  /** The outside world is as before; nothing: the run has to come to terms with it. */
  readonly undo?: (stage: Stage) => void;
  /**
   * Whoever works then: `again`, a new execution of the attempt; `same`, the one that was there;
   * `nobody`, since a human is asked.
   */
  readonly worker: 'again' | 'same' | 'nobody';
  readonly end: 'recovered' | string;
  readonly attempts: number;
  /** Over in seconds: tried at every commit, too. */
  readonly isQuick?: true;
}

const lane = ({ found, work }: Stage) => found(work.agent).filter(isLane);
const isLane = ({ command }: { readonly command: string }) => command.startsWith('node ');
const host = ({ found }: Stage) => found('lane-host');
const driver = ({ found }: Stage) => found('/driver.js');

/** Never healthy over a dead lane: what is shown is trouble, or whoever came after it. */
const notAtWork = ({ run }: Page, stage: Stage): boolean =>
  starts(stage).length > 1 || run.liveness === null || !run.liveness.state.startsWith('working');
const needsHuman = ({ run }: Page): boolean => run.status === 'needs_operator';

const again = { worker: 'again', end: 'recovered', attempts: 1 } as const;
const same = { worker: 'same', end: 'recovered', attempts: 1 } as const;
const asks = (reason: string) =>
  ({ truth: needsHuman, worker: 'nobody', end: reason, attempts: 1 }) as const;

export const faults: readonly Fault[] = [
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
  },
];

const sizeOf = (file: string): number => readFileSync(file).byteLength;

function spooledBy({ own, work }: Stage): readonly string[] {
  const [begun] = work.wrote();
  const folder = join(own.home, 'spool', begun?.execution ?? '');
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .map((name) => join(folder, name));
}

function treesOf({ work }: Stage): readonly string[] {
  return work
    .git('worktree', 'list', '--porcelain')
    .split('\n')
    .flatMap((line) => (line.startsWith('worktree ') ? [line.slice('worktree '.length)] : []))
    .filter((tree) => tree !== work.directory);
}

function artifactsOf({ own }: Stage): readonly string[] {
  const listed = spawnSync('find', [join(own.home, 'artifacts'), '-type', 'f'], {
    encoding: 'utf8',
  });
  return listed.stdout.split('\n').filter((line) => line !== '' && existsSync(line));
}

/** Another execution of it works, or the one that was there goes on. */
export async function worksOn(stage: Stage, worker: Fault['worker']): Promise<boolean> {
  if (worker === 'again') return until(() => starts(stage).length > 1, waitMs);
  const before = stage.work.wrote().length;
  return until(() => stage.work.wrote().length > before, waitMs);
}
