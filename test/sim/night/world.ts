/**
 * One machine for one night: the real driver, engine, plane and client over the real store in a
 * real file, with processes, agents and time that are simulated. Asleep, the wall clock of the
 * machine goes on and what processes measure stands still, as on Linux.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionId, Instant } from '../../../src/domain/ids.ts';
import { engineClient } from '../../../src/engine/client.ts';
import { driver } from '../../../src/engine/driver.ts';
import { type Engine, engine } from '../../../src/engine/engine.ts';
import { localPlane } from '../../../src/engine/local-plane.ts';
import { gitWorkspace } from '../../../src/git/workspace.ts';
import type { Artifacts } from '../../../src/ports/artifacts.ts';
import type { Checks } from '../../../src/ports/checks.ts';
import type { Client } from '../../../src/ports/client.ts';
import type { Clock } from '../../../src/ports/clock.ts';
import type { Store } from '../../../src/ports/store.ts';
import type { Workspace } from '../../../src/ports/workspace.ts';
import { sqliteStore } from '../../../src/store/sqlite/sqlite-store.ts';
import { attesting } from '../../support/attesting.ts';
import { simArtifacts, simIds } from '../bench-of-one.ts';
import { ada } from '../human.ts';
import { simLanes } from '../lanes.ts';
import { type Machine, machine } from '../machine.ts';
import { interruptible, type SimProcess } from '../process.ts';
import { type Random, seeded } from '../random.ts';
import { type VirtualTime, virtualTime } from '../time.ts';
import type { Weather } from '../weather.ts';
import { type NightHost, nightChecks, nightLane } from './hosts.ts';
import { makeProjects, type Projects } from './repositories.ts';
import { definitionFor, minute, type Task, tasks } from './story.ts';

export interface Night {
  /** Local time of the machine; UTC. */
  readonly wall: () => number;
  readonly machine: Machine;
  readonly store: Store;
  readonly client: Client;
  readonly workspace: Workspace;
  readonly projects: Projects;
  readonly home: string;
  readonly log: readonly string[];
  /** A terminal in which somebody types `pawl run` and looks on. */
  terminal(task: Task): SimProcess;
  /** Lets time pass until the wall clock shows it; not while the machine sleeps. */
  until(instant: number): Promise<void>;
  sleep(ms: number): void;
  startService(): void;
  close(): Promise<void>;
}

const spans = {
  sweepMs: minute,
  beatMs: minute,
  ttlMs: 4 * minute,
  offerMs: minute,
  pollMs: 20_000,
  lingerMs: minute,
};
const never = { aborted: false, addEventListener: () => {}, removeEventListener: () => {} };
const calm: Weather = {
  ...{
    duplicates: 0,
    lies: 0,
    spawnFails: 0,
    stalls: 0,
    cleanExits: 0,
    sealedDeaths: 0,
    isCalm: true,
  },
  ...{ interrupt: () => {}, calm: () => {}, clockStep: () => 0 },
  ...{ store: (store: Store) => store, artifacts: (artifacts: Artifacts) => artifacts },
};

interface Context {
  readonly start: number;
  readonly time: VirtualTime;
  readonly asleep: { ms: number };
  readonly random: Random;
  readonly machine: Machine;
  readonly store: Store;
  readonly artifacts: ReturnType<typeof simArtifacts>;
  readonly projects: Projects;
  readonly workspace: Workspace;
  readonly limitUntil: Instant;
  readonly log: string[];
  /** Calls that reached the disk and have not come back: time waits for them. */
  readonly pending: { count: number };
}

export async function night(start: number, limitUntil: number): Promise<Night> {
  const folder = await mkdtemp(join(tmpdir(), 'pawl-night-'));
  const time = virtualTime(0);
  const asleep = { ms: 0 };
  const random = seeded(31);
  const log: string[] = [];
  const wall = (): number => start + time.now() + asleep.ms;
  const made = machine({
    ...{ time, random, rung: 'kernel', escapes: 0 },
    crashed: ({ name }, error) => log.push(`${name} threw: ${String(error)}`),
  });
  const clock: Clock = {
    now: () => wall() as Instant,
    monotonicMs: () => time.now(),
    sleep: async () => {},
  };
  const home = join(folder, 'state');
  const store = await sqliteStore({ directory: home, clock });
  const context: Context = {
    ...{ start, time, asleep, random, machine: made, store, log },
    artifacts: simArtifacts(),
    projects: makeProjects(folder),
    workspace: gitWorkspace({ home, env: { PATH: process.env['PATH'], HOME: folder } }),
    limitUntil: limitUntil as Instant,
    pending: { count: 0 },
  };
  return {
    ...{ wall, machine: made, store, projects: context.projects, home, log },
    workspace: context.workspace,
    client: clientOf(context, engineOver(context, clock)),
    terminal: (task) => terminal(context, task),
    until: (instant) => until(context, instant),
    sleep: (ms) => {
      asleep.ms += ms;
    },
    startService: () => startDriver(context),
    close: async () => {
      await store.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function clockOf({ start, time, asleep }: Context, process: SimProcess): Clock {
  const now = () => (start + time.now() + asleep.ms) as Instant;
  return { ...process.clock, now, uptimeMs: () => time.now() + asleep.ms };
}

function engineOver(context: Context, clock: Clock, process?: SimProcess): Engine {
  const { store, artifacts, random } = context;
  const counted = counting(store, context.pending);
  return engine({
    store: process === undefined ? counted : interruptible(counted, process, () => {}),
    ...{ artifacts, clock, ids: simIds(random) },
  });
}

const engineOf = (context: Context, process: SimProcess): Engine =>
  engineOver(context, clockOf(context, process), process);

function counting<T extends object>(port: T, pending: { count: number }): T {
  return new Proxy(port, {
    get: (target, property, receiver) => {
      const member: unknown = Reflect.get(target, property, receiver);
      if (typeof member !== 'function') return member;
      return async (...args: readonly unknown[]) => {
        pending.count += 1;
        try {
          return (await Reflect.apply(member, target, args)) as unknown;
        } finally {
          pending.count -= 1;
        }
      };
    },
  });
}

/** What a landing asks: the merged work passes. */
const passing: Partial<Checks> = {
  verify: async ({ commit }) => ({
    ...{ outcome: 'passed', commit, verifier: 'land' as ExecutionId, criteria: [] },
    ...{ verifierIdentity: 'runtime', receipt: null, summary: 'npm test exit 0' },
  }),
};

function clientOf(context: Context, own: Engine): Client {
  return engineClient({
    engine: own,
    workspace: async () => context.workspace,
    checks: async () => attesting(own.artifacts, passing),
    heads: () => Promise.reject(new Error('nothing is signed in this night')),
    ensureDriver: async () => startDriver(context),
    lives: context.machine.lives,
    readSpool: async () => null,
    close: async () => {},
  });
}

/** The manager of services keeps one alive. */
function startDriver(context: Context): void {
  const { machine: on } = context;
  if (on.processes().some(({ name }) => name === 'driver')) return;
  on.spawn('driver', async (process) => {
    const own = engineOf(context, process);
    const world = {
      ...{ machine: on, random: context.random, weather: calm, sweepMs: spans.sweepMs },
      spawnHost: (execution: ExecutionId) => {
        on.spawn(`lane ${execution}`, (lane) => nightLane(hostOf(context, lane), execution));
      },
      spawnChecks: () => {
        on.spawn('checks', (checks) => nightChecks(hostOf(context, checks)));
      },
    };
    await driver({
      ...{ engine: own, lanes: simLanes(world, process), worker: on.worker, spans, stay: true },
      processes: { self: () => process.holder, lives: on.lives },
      version: '0.1.0+service',
      log: (line) => context.log.push(line),
    }).run(never);
  });
}

function hostOf(context: Context, process: SimProcess): NightHost {
  const own = engineOf(context, process);
  const { artifacts, limitUntil, projects } = context;
  return {
    ...{ machine: context.machine, plane: localPlane(own), artifacts, limitUntil },
    ...{ store: own.store, process: withClock(process, own.clock) },
    taskNamed: (name) => {
      const task = tasks.find((one) => one.name === name);
      if (task === undefined) throw new Error(`nobody planned ${name}`);
      return task;
    },
    commit: projects.commit,
  };
}

/** The same process, whose `alive` is still asked of itself. */
function withClock(process: SimProcess, clock: Clock): SimProcess {
  return Object.create(process, { clock: { value: clock } }) as SimProcess;
}

function terminal(context: Context, task: Task): SimProcess {
  return context.machine.spawn(`terminal ${task.name}`, async (process) => {
    const client = clientOf(context, engineOf(context, process));
    const definition = definitionFor(task, context.projects.places[task.project]);
    const { id } = await client.start(
      { definition, detached: false, resumedFrom: null, from: null },
      ada,
    );
    for (;;) {
      await process.clock.sleep(minute);
      await client.find({ text: id, project: null });
    }
  });
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

async function until(context: Context, instant: number): Promise<void> {
  const { time, asleep, start, pending } = context;
  let isThere = false;
  time.at(instant - start - asleep.ms, () => {
    isThere = true;
  });
  while (!isThere) {
    do await settled();
    while (pending.count > 0);
    if (!(await time.step())) return;
  }
  do await settled();
  while (pending.count > 0);
}
