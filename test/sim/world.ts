/**
 * The whole engine in a simulated world: one store in memory, processes that the real driver, local
 * plane and client run in, hosts, agents, weather, a human. One seed is one world; the same seed
 * gives the same log of events. See oracle.ts for what must hold in it.
 */
import type { ExecutionId } from '../../src/domain/ids.ts';
import { engineClient } from '../../src/engine/client.ts';
import { driver } from '../../src/engine/driver.ts';
import { type Engine, engine } from '../../src/engine/engine.ts';
import { localPlane } from '../../src/engine/local-plane.ts';
import type { Client } from '../../src/ports/client.ts';
import type { Plane } from '../../src/ports/plane.ts';
import type { Store } from '../../src/ports/store.ts';
import { memoryStore } from '../../src/store/memory/memory-store.ts';
import { attesting } from '../support/attesting.ts';
import { type SimArtifacts, simArtifacts, simIds } from './bench-of-one.ts';
import { checkHost } from './check-host.ts';
import { simDefinition } from './definition.ts';
import { ada, look } from './human.ts';
import { type HostWorld, laneHost } from './lane-host.ts';
import { simLanes } from './lanes.ts';
import { type Machine, machine } from './machine.ts';
import { type Oracle, oracle } from './oracle.ts';
import { interruptible, type SimProcess } from './process.ts';
import { type Random, seeded } from './random.ts';
import { virtualTime } from './time.ts';
import { Violation } from './violation.ts';
import { type Weather, weather } from './weather.ts';

const start = 1_800_000_000_000;
const beatMs = 30_000;
const spans = {
  sweepMs: 30_000,
  beatMs: 20_000,
  ttlMs: 90_000,
  offerMs: 20_000,
  pollMs: 10_000,
  lingerMs: 60_000,
};
const stormLooks = 40;
const calmLooksMax = 400;
/** Looks of the operator, each of which makes sure of a driver, that a storm may undo in a row. */
const stormGraceLooks = 8;
const calmGraceLooks = 8;
const patientLooks = 20;
const stepsMax = 400_000;
/** Between two looks at what is left alone. */
const tendedMs = 300_000;

export interface WorldEnd {
  readonly seed: number;
  /** Every event in order, as it was stored. */
  readonly log: readonly string[];
  readonly steps: number;
  readonly violation: string | null;
  readonly trace: readonly string[];
}

export async function world(seed: number): Promise<WorldEnd> {
  const made = makeWorld(seed);
  let violation: string | null = null;
  let steps = 0;
  try {
    steps = await live(made);
    await made.oracle.end();
  } catch (error: unknown) {
    if (!(error instanceof Violation)) throw error;
    violation = error.message;
  }
  const log = made.oracle.log().map((stored) => JSON.stringify(stored));
  return { seed, log, steps, violation, trace: made.trace };
}

interface World {
  readonly time: ReturnType<typeof virtualTime>;
  readonly random: Random;
  readonly weather: Weather;
  readonly machine: Machine;
  readonly oracle: Oracle;
  readonly store: Store;
  readonly trace: string[];
  readonly faults: Violation[];
  readonly human: (main: (client: Client) => Promise<void>) => SimProcess;
}

function makeWorld(seed: number): World {
  const random = seeded(seed);
  const time = virtualTime(start);
  const trace: string[] = [];
  const faults: Violation[] = [];
  const storm = weather(random.fork(), seed, time.now);
  const note = (line: string): void => {
    trace.push(`${((time.now() - start) / 1000).toFixed(1).padStart(10)} s  ${line}`);
  };
  const machine_ = machine({
    time,
    random: random.fork(),
    rung: random.pick(['kernel', 'marker']),
    escapes: random.chance(0.3) ? 0.2 : 0,
    crashed: ({ name }, error) => note(`${name} threw: ${String(error)}`),
  });
  const store = memoryStore({ clock: { now: () => time.wall() as never } });
  const artifacts = simArtifacts(() => time.wall());
  const judge = oracle(store, artifacts, machine_);
  const context: Context = {
    ...{ random, time, trace, faults, note, store, artifacts },
    ...{ weather: storm, machine: machine_, oracle: judge },
    skill: {
      good: random.pick([0.1, 0.4, 0.8]),
      trouble: random.pick([0, 0.1, 0.4]),
      turnMs: random.pick([60_000, 600_000, 3_600_000]),
    },
  };
  const human: World['human'] = (main) =>
    machine_.spawn('human', (process) => main(clientOf(context, process)));
  return { ...context, human };
}

interface Context extends Omit<World, 'human'> {
  readonly note: (line: string) => void;
  readonly artifacts: SimArtifacts;
  readonly skill: HostWorld['skill'];
}

/**
 * The engine as one process has it: over the common store, through ports that may be interrupted.
 */
function engineOf(context: Context, process: SimProcess): Engine {
  const { weather: storm, random } = context;
  const interrupt = (): void => storm.interrupt(process);
  return engine({
    store: interruptible(storm.store(context.store), process, interrupt),
    artifacts: interruptible(storm.artifacts(context.artifacts), process, interrupt),
    clock: process.clock,
    ids: simIds(random),
  });
}

function clientOf(context: Context, process: SimProcess): Client {
  const own = engineOf(context, process);
  const absent = () => Promise.reject(new Error('the simulation lands and prunes nothing'));
  return engineClient({
    engine: own,
    workspace: absent,
    checks: async () => attesting(own.artifacts),
    heads: absent,
    ensureDriver: async () => startDriver(context),
    lives: context.machine.lives,
    readSpool: async () => null,
    close: async () => {},
  });
}

/** As main does it: a detached process, unless a seat says that one lives. */
function startDriver(context: Context): void {
  const { machine: on, note } = context;
  const living = on
    .processes()
    .filter(({ name, awakeSince }) => name === 'driver' && awakeSince !== null);
  if (living.length > 1) return;
  on.spawn('driver', async (process) => {
    const own = engineOf(context, process);
    const lanes = simLanes(
      {
        ...{ machine: on, random: context.random, weather: context.weather },
        sweepMs: spans.sweepMs,
        spawnHost: (execution) => spawnHost(context, execution),
        spawnChecks: () => spawnChecks(context),
      },
      process,
    );
    const puller = driver({
      engine: own,
      lanes: interruptible(lanes, process, () => context.weather.interrupt(process)),
      processes: { self: () => process.holder, lives: on.lives },
      worker: on.worker,
      version: 'sim',
      collector: context.artifacts.collectorOver(own.store),
      spans,
      log: (line) => note(`driver ${process.holder.pid}: ${line}`),
    });
    const { why } = await puller.run(never);
    note(`driver ${process.holder.pid} left: ${why}`);
  });
}

const never = { aborted: false, addEventListener: () => {}, removeEventListener: () => {} };

function hostWorld(context: Context): HostWorld {
  const { machine: on, random, skill } = context;
  return {
    ...{ machine: on, random, weather: context.weather, skill, beatMs },
    startDriver: () => startDriver(context),
    agentStarted: (agent) => {
      context.note(`${agent.execution} agent starts in ${agent.tree}`);
      try {
        context.oracle.agentStarted(agent);
      } catch (error: unknown) {
        // A host must not catch what the witness saw.
        if (!(error instanceof Violation)) throw error;
        context.faults.push(error);
      }
    },
    ghost: (main) => {
      on.spawn('ghost', (process) => main(process, planeOf(context, process)));
    },
  };
}

const planeOf = (context: Context, process: SimProcess): Plane =>
  localPlane(engineOf(context, process));

function spawnHost(context: Context, execution: ExecutionId): void {
  context.machine.spawn(`host ${execution}`, (process) => {
    const own = engineOf(context, process);
    const ports = { plane: localPlane(own), artifacts: own.artifacts };
    return laneHost(hostWorld(context), ports, process, execution);
  });
}

function spawnChecks(context: Context): void {
  context.machine.spawn('checks', (process) => {
    const own = engineOf(context, process);
    const ports = { plane: localPlane(own), artifacts: own.artifacts, store: own.store };
    return checkHost(hostWorld(context), ports, process);
  });
}

/** Storm, then calm: whatever the storm did, the calm must bring every run to its end. */
async function live(made: World): Promise<number> {
  const { time, random, weather: storm } = made;
  let steps = await begin(made);
  for (let looks = 0; looks < stormLooks; looks += 1) {
    if (random.chance(0.03)) time.sleep(random.between(60_000, 8 * 3_600_000));
    if (random.chance(0.02)) made.machine.reboot();
    time.setWall(storm.clockStep());
    made.human((client) => look(client, { random, decisive: false, impatient: false }));
    steps += await pass(made, random.between(60_000, 2 * 3_600_000));
    await made.oracle.healthy(time, stormGraceLooks);
    if (made.oracle.isOver()) return steps;
  }
  storm.calm();
  for (let looks = 0; looks < calmLooksMax; looks += 1) {
    made.human((client) =>
      look(client, { random, decisive: true, impatient: looks > patientLooks }),
    );
    steps += await pass(made, 600_000);
    await made.oracle.healthy(time, calmGraceLooks);
    if (made.oracle.isOver()) return steps + (await pass(made, 3_600_000));
  }
  return steps;
}

async function begin(made: World): Promise<number> {
  const { random } = made;
  const count = random.between(1, 4);
  let steps = 0;
  for (let index = 1; index <= count; index += 1) {
    const definition = simDefinition(random, index);
    made.human(async (client) => {
      await client.start({ definition, detached: true, resumedFrom: null, from: null }, ada);
    });
    steps += await pass(made, random.between(0, 600_000));
  }
  return steps;
}

/** Lets that much time pass, an event at a time, with the oracle looking on. */
async function pass(made: World, ms: number): Promise<number> {
  const { time } = made;
  let isThere = false;
  time.at(time.now() + ms, () => {
    isThere = true;
  });
  let steps = 0;
  let tendedAt = time.now();
  while (!isThere) {
    if (!(await time.step())) break;
    steps += 1;
    await made.oracle.look();
    if (time.now() >= tendedAt) {
      tendedAt = time.now() + tendedMs;
      await made.oracle.tended(time);
    }
    const [fault] = made.faults;
    if (fault !== undefined) throw fault;
    if (steps > stepsMax) throw new Violation(`W0: ${stepsMax} steps in ${ms} ms: it spins`);
  }
  return steps;
}
