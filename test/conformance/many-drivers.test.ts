/**
 * Goal: any number of drivers pull from one PostgreSQL at once (DESIGN §2), and nothing is done
 * twice: no dispatch, no timer, no notice; no group has more lanes at work than it has slots.
 * Method: two engines over two stores of one database, each with a driver; lanes and checks are
 * functions that count. Wall time is set forward for timers.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { Holder, JobResult } from '../../src/domain/execution/state.ts';
import type { ExecutionId, Instant, RunId } from '../../src/domain/ids.ts';
import { engineClient } from '../../src/engine/client.ts';
import { driverPrincipal, runCommand } from '../../src/engine/command.ts';
import { driver } from '../../src/engine/driver.ts';
import { type Engine, engine } from '../../src/engine/engine.ts';
import { escalationKeeper } from '../../src/engine/escalations.ts';
import { localPlane } from '../../src/engine/local-plane.ts';
import { noticePuller } from '../../src/engine/notices.ts';
import { timerPuller } from '../../src/engine/timers.ts';
import type { Client } from '../../src/ports/client.ts';
import type { Clock } from '../../src/ports/clock.ts';
import type { Lanes } from '../../src/ports/lanes.ts';
import type { Notifier } from '../../src/ports/notifier.ts';
import type { ExecutionRow, Position } from '../../src/ports/store.ts';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import {
  executed,
  plainDefinition,
  prepared,
  sealOf,
  simArtifacts,
  simIds,
} from '../sim/bench-of-one.ts';
import { ada } from '../sim/human.ts';
import { seeded } from '../sim/random.ts';
import { attesting } from '../support/attesting.ts';
import { emptyStore } from '../support/postgres.ts';

const slots = 3;
const runs = 30;
const definition = {
  ...plainDefinition,
  criteria: [...plainDefinition.criteria, { kind: 'manual', look: 'the page', timeoutMs: 0 }],
  concurrency: { group: 'g', max: slots },
  notify: { on: ['waiting_human'], to: [{ kind: 'desktop' }] },
} as const;
const start = { definition, detached: true, resumedFrom: null, from: null };

let aheadMs = 0;
const clock: Clock = {
  now: () => (Date.now() + aheadMs) as Instant,
  monotonicMs: () => performance.now(),
  sleep: async (ms, signal) => {
    const ends = signal instanceof AbortSignal ? { signal } : {};
    await pause(ms, undefined, ends).catch(() => {});
  },
};
/** Servers of one store read the same artifacts. */
const artifacts = simArtifacts(() => Date.now());

interface Machine {
  readonly engine: Engine;
  readonly holder: Holder;
  readonly close: () => Promise<void>;
}
let machines: readonly Machine[] = [];

beforeAll(async () => {
  const url = await emptyStore(inject('postgres'));
  const opened: Machine[] = [];
  for (const pid of [1, 2]) {
    const store = await openPostgresStore({ url, clock, connectionsMax: 6 });
    const own = engine({ store, artifacts, clock, ids: simIds(seeded(pid)) });
    const holder = { worker: 'here', bootId: 'boot-of-here', pid, started: pid };
    opened.push({ engine: own, holder, close: () => store.close() });
  }
  machines = opened;
});
afterAll(async () => {
  for (const { close } of machines) await close();
});

const passed: JobResult = {
  kind: 'verified',
  verdict: sealOf('passed'),
  facts: {
    ...{ outcome: 'passed', summary: 'ok', receipt: null, commit: executed.commit, score: null },
    ...{ failedTests: null, passedTests: null, flaky: false },
  },
};
const resultOf = ({ role }: ExecutionRow): JobResult => {
  if (role === 'prepare') return prepared;
  return role === 'verify' ? passed : executed;
};

/** What was seen to happen, by whomever. */
interface Witness {
  readonly started: ExecutionId[];
  readonly by: Set<number>;
  readonly told: string[];
  atWork: number;
  most: number;
}

async function workOn(
  { engine: own, holder }: Machine,
  row: ExecutionRow,
  atEnd = () => {},
): Promise<boolean> {
  const plane = localPlane(own);
  const execution = row.id;
  const claimed = await plane.claim({ execution, holder, nonce: `${execution} ${holder.pid}` });
  if (!claimed.ok) return false;
  const granted = { execution, grantId: claimed.grantId };
  await plane.start({ ...granted, rung: 'x', pid: holder.pid });
  await pause(15);
  atEnd();
  await plane.result({ ...granted, seal: sealOf(execution), result: resultOf(row) });
  return true;
}

function lanesOf(machine: Machine, witness: Witness): Lanes {
  return {
    start: async (row) => {
      witness.started.push(row.id);
      witness.by.add(machine.holder.pid);
      witness.atWork += 1;
      witness.most = Math.max(witness.most, witness.atWork);
      void workOn(machine, row, () => {
        witness.atWork -= 1;
      });
    },
    ensureCheckHost: async () => {
      const rows = await machine.engine.store.dispatchable(clock.now(), 64);
      const checks = rows.filter(({ role }) => role === 'prepare' || role === 'verify');
      await Promise.all(checks.map((row) => workOn(machine, row)));
    },
    look: async () => ({ state: 'alive' }),
    sealLeft: async () => null,
    end: async () => ({ strength: 'kernel', rung: 'x', gaps: [] }),
    forget: async () => {},
  };
}

const notifierOf = (told: string[]): Notifier => ({
  label: ({ kind }) => kind,
  deliver: async (notice) => {
    told.push(notice.id);
    await pause(2);
    return { state: 'delivered', detail: 'shown' };
  },
});
const cursor = () => {
  let at: Position | null = null;
  return {
    read: async () => at,
    write: async (next: Position) => {
      at = next;
    },
  };
};

async function drive(witness: Witness, until: () => Promise<boolean>): Promise<readonly string[]> {
  const ending = new AbortController();
  const lines: string[] = [];
  const driving = machines.map((machine) =>
    driver({
      engine: machine.engine,
      lanes: lanesOf(machine, witness),
      processes: { self: () => machine.holder, lives: () => true },
      worker: 'here',
      version: 'test',
      stay: true,
      notices: { notifier: notifierOf(witness.told), cursor: cursor() },
      log: (line) => lines.push(line),
      spans: { pollMs: 10, sweepMs: 100, beatMs: 200, ttlMs: 5_000 },
    }).run(ending.signal),
  );
  const endMs = performance.now() + 45_000;
  while (!(await until()) && performance.now() < endMs) await pause(50);
  const { store } = (machines[0] as Machine).engine;
  const seats = (await store.seats()).map(({ seat }) => seat);
  ending.abort();
  await Promise.all(driving);
  return seats;
}

function clientOf({ engine: own }: Machine): Client {
  const absent = () => Promise.reject(new Error('not part of this test'));
  return engineClient({
    engine: own,
    workspace: absent,
    checks: async () => attesting(artifacts),
    heads: absent,
    ensureDriver: async () => {},
    lives: () => true,
    readSpool: async () => null,
    close: async () => {},
  });
}

const waiting = async (): Promise<number> =>
  (await (machines[0] as Machine).engine.store.runs({ status: ['waiting_human'], limit: 100 }))
    .length;

const typesIn = async (run: RunId): Promise<readonly string[]> =>
  (await (machines[0] as Machine).engine.store.events(run, 0, 500)).map(({ event }) => event.type);

test('two drivers, 30 runs: each lane once, each notice once, never more than the slots', async () => {
  const [first] = machines as readonly [Machine];
  const client = clientOf(first);
  const ids: RunId[] = [];
  for (let n = 0; n < runs; n += 1) ids.push((await client.start(start, ada)).id);
  const witness: Witness = { started: [], by: new Set(), told: [], atWork: 0, most: 0 };
  const seats = await drive(
    witness,
    async () => (await waiting()) === runs && witness.told.length >= runs,
  );
  expect(seats.filter((seat) => seat.startsWith('driver:'))).toHaveLength(2);
  expect(await waiting()).toBe(runs);
  expect(witness.by).toEqual(new Set([1, 2]));
  const startedRuns = witness.started.map((id) => id.slice(0, id.indexOf('.')));
  expect(startedRuns.sort()).toEqual([...ids].sort());
  expect(witness.most).toBeLessThanOrEqual(slots);
  expect(new Set(witness.told).size).toBe(runs);
  expect(witness.told).toHaveLength(runs);
  for (const id of ids) {
    const types = await typesIn(id);
    expect(types.filter((type) => type === 'execution.leased')).toHaveLength(3);
    expect(types.filter((type) => type === 'notice.planned')).toHaveLength(1);
  }
  expect(await first.engine.store.seats()).toEqual([]);
}, 60_000);

test("an offer counts only while the turn to give slots away is still its maker's", async () => {
  const [one, two] = machines as readonly [Machine, Machine];
  const { store } = one.engine;
  const execution = 'none.9' as ExecutionId;
  const turnOf = ({ holder }: Machine) => ({ seat: 'slots', holder, version: 'x' }) as const;
  const client = clientOf(one);
  const run = (await client.start({ ...start, definition: plainDefinition }, ada)).id;
  const ready = `${run}.1` as ExecutionId;
  const offer = (turn: ReturnType<typeof turnOf>, at: ExecutionId = ready) =>
    store.offer(at, clock.now(), (clock.now() + 60_000) as Instant, turn);
  expect(await offer(turnOf(one))).toBe(false);
  const { row } = await store.takeSeat(turnOf(one), null);
  expect(await offer(turnOf(one), execution)).toBe(false);
  await two.engine.store.takeSeat(turnOf(two), row);
  expect(await offer(turnOf(one))).toBe(false);
  expect(await offer(turnOf(two))).toBe(true);
  await store.leaveSeat(turnOf(two));
  await client.cancel(run, '', ada);
});

test('a timer that two see at the same moment fires once', async () => {
  const { store } = (machines[0] as Machine).engine;
  const open = await store.runs({ status: ['waiting_human'], limit: 100 });
  expect(open).toHaveLength(runs);
  aheadMs += 3_600_000 + 60_000;
  const pullers = machines.map(({ engine: own }) => timerPuller(own, { log: () => {} }));
  await Promise.all(pullers.map((puller) => puller.pull()));
  await Promise.all(pullers.map((puller) => puller.pull()));
  for (const { id } of open) {
    const types = await typesIn(id);
    expect(types.filter((type) => type === 'gate.reminded')).toHaveLength(1);
  }
});

test('the page of a parking that two make at the same moment is kept once (RR-32)', async () => {
  const [one] = machines as readonly [Machine];
  const parked: RunId[] = [];
  for (let n = 0; n < 10; n += 1) {
    const { id } = await clientOf(one).start({ ...start, definition: plainDefinition }, ada);
    const failing = { type: 'fail_dispatch', detail: 'EAGAIN' } as const;
    await one.engine.issue(runCommand(id, driverPrincipal, clock.now(), failing));
    parked.push(id);
  }
  const log = () => {};
  const pullers = machines.map(({ engine: own }, n) => {
    const readSpool = async () => `only on ${n}`;
    return timerPuller(own, {
      log,
      escalations: escalationKeeper({ engine: own, readSpool, log }),
    });
  });
  await Promise.all(pullers.map((puller) => puller.pull()));
  for (const id of parked) {
    const types = await typesIn(id);
    expect(types.filter((type) => type === 'escalation.recorded')).toHaveLength(1);
    expect(await one.engine.store.timersOf(id)).toEqual([]);
  }
});

test('two that tell at the same moment tell each thing once (L-H9)', async () => {
  const told: string[] = [];
  const pullers = machines.map(({ engine: own }) => {
    const lines: string[] = [];
    const options = { notifier: notifierOf(told), cursor: cursor() };
    return { lines, puller: noticePuller(own, options, (line) => lines.push(line)) };
  });
  const { signal } = new AbortController();
  for (let turns = 0; turns < 5; turns += 1) {
    for (const { puller } of pullers) puller.turn(signal);
    await Promise.all(pullers.map(({ puller }) => puller.settled()));
  }
  expect(new Set(told).size).toBe(told.length);
});
