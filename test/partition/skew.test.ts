/**
 * Goal: a wall clock that is wrong, or set, on a server or a worker, and a machine that slept,
 * make nobody take over early, double nothing and spend no attempt.
 * Method: the built program as real processes over real PostgreSQL, each machine with a clock of
 * its own (`clocked-programs.ts`); the database has the machine's.
 */
import { rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ClockedPrograms, clockedPrograms, setClock } from '../support/clocked-programs.ts';
import { emptyStore, type PostgresServer, startPostgres } from '../support/postgres.ts';
import { signal, until } from '../support/processes.ts';
import { bootOfItsOwn } from './link.ts';
import { note } from './table.ts';
import { begunBy, openWorld, untilTold, type World } from './world.ts';

const tenMinutes = 10 * 60_000;

let postgres: PostgresServer;
let programs: ClockedPrograms;

beforeAll(async () => {
  postgres = await startPostgres();
  programs = clockedPrograms();
}, 120_000);
afterAll(async () => {
  programs.remove();
  await postgres.stop();
});

interface Clocks {
  readonly servers: readonly number[];
  readonly worker: number;
  readonly sleeps?: boolean;
}

async function onStage(clocks: Clocks, act: (world: World) => Promise<void>): Promise<void> {
  const wall = new Map<string, number>([['ada', clocks.worker]]);
  for (const [n, ms] of clocks.servers.entries()) wall.set(`server-${n + 1}`, ms);
  const sleeps = clocks.sleeps === true;
  const world = await openWorld(await emptyStore(postgres.url), (name, root) =>
    setClock(root, { wallMs: wall.get(name) ?? 0, sleeps }),
  );
  const machine = { program: programs.program };
  const urls: string[] = [];
  try {
    for (const _ of clocks.servers) urls.push((await world.server({ machine })).url);
    const balancer = await inTurn(urls);
    try {
      await world.worker('ada', balancer.url, { ...machine, through: bootOfItsOwn() });
      await world.start('answer');
      expect(await until(() => world.work.wrote().length > 2, 120_000)).toBe(true);
      await act(world);
    } finally {
      await balancer.close();
    }
  } finally {
    await world.close();
  }
}

/** Each connection goes to the next server, so that every token is proven by whom it is not of. */
async function inTurn(urls: readonly string[]) {
  const open = new Set<Socket>();
  let n = 0;
  const balancer = createServer((client) => {
    n += 1;
    const server = connect(Number(new URL(urls[n % urls.length] ?? '').port), '127.0.0.1');
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const) {
      open.add(one);
      one
        .on('error', () => other.destroy())
        .on('close', () => {
          open.delete(one);
          other.destroy();
        });
      one.pipe(other);
    }
  });
  await new Promise<void>((resolve) => balancer.listen(0, '127.0.0.1', resolve));
  const address = balancer.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const close = () =>
    new Promise<void>((resolve) => {
      for (const one of open) one.destroy();
      balancer.close(() => resolve());
    });
  return { url: `http://127.0.0.1:${port}`, close };
}

const beatsOf = async (world: World): Promise<number> => {
  const [row] = await world.rows<{ readonly beat: string }>('select beat from leases');
  return Number(row?.beat ?? 0);
};

async function databaseMs(world: World): Promise<number> {
  const [row] = await world.rows<{ readonly ms: number }>(
    'select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms',
  );
  return row?.ms ?? 0;
}

/** Several rounds of drivers and their sweeps see it held. */
async function heldFor(world: World, beats: number): Promise<void> {
  const before = await beatsOf(world);
  const isHeld = async () => (await beatsOf(world)) >= before + beats;
  expect(await untilTold(isHeld, 120_000), 'its lease is renewed').toBe(true);
}

async function ended(world: World, lost: number, said: string): Promise<void> {
  rmSync(world.work.hold);
  const waited = await world.typed(['wait', 'answer', '--timeout', '180s']);
  expect(waited.exit, waited.stdout + waited.stderr).toBe(0);
  const shown = await world.shown('answer');
  expect(shown).toMatchObject({ status: 'complete', verification: 'passed', attempt: { n: 1 } });
  const made = (await world.executions()).filter(({ role }) => role === 'execute');
  expect(made.map(({ status }) => status)).toEqual([...Array(lost).fill('FAILED'), 'SUCCEEDED']);
  expect(begunBy(world)).toHaveLength(lost + 1);
  const done = world.work.wrote().filter(({ what }) => what === 'done');
  expect(done).toHaveLength(1);
  const refused = await world.rows<{ readonly verb: string; readonly reason: string }>(
    'select verb, reason from evidence',
  );
  if (lost === 0) expect(refused).toEqual([]);
  // What happened lies in the time of the database, whoever wrote it down.
  const times = await world.rows<{ readonly off: number }>(
    'select max(abs(extract(epoch from clock_timestamp()) * 1000 - at))::float8 as off from events',
  );
  expect(times[0]?.off).toBeLessThan(tenMinutes - 60_000);
  note(['skew', said, '1', `${lost}`, `${refused.length}`, '0', '0']);
}

test.concurrent.each([
  ['server +10 min', [tenMinutes], 0],
  ['server −10 min', [-tenMinutes], 0],
  ['worker +10 min', [0], tenMinutes],
  ['worker −10 min', [0], -tenMinutes],
  ['servers +10 and −10 min in turn, worker +10 min', [tenMinutes, -tenMinutes], tenMinutes],
] as const)(
  '%s: nobody takes over, nothing is refused (D-39, D-40, D-44)',
  async (said, servers, worker) => {
    await onStage({ servers, worker }, async (world) => {
      await heldFor(world, 5);
      await ended(world, 0, said);
    });
  },
);

test.concurrent('wall clocks that are set while all of them work (D-39, D-40)', async () => {
  await onStage({ servers: [0, 0], worker: 0 }, async (world) => {
    await heldFor(world, 1);
    for (const [n, { root }] of world.machines().entries()) {
      setClock(root, { wallMs: n % 2 === 0 ? tenMinutes : -tenMinutes });
    }
    await heldFor(world, 4);
    await ended(world, 0, 'set by ±10 min at work');
  });
});

test.concurrent.each([
  ['worker', 'ada'],
  ['server', 'server-1'],
] as const)(
  'a %s that slept past leases and tokens: what it held goes on, once (D-43)',
  async (what, name) => {
    await onStage({ servers: [0], worker: 0, sleeps: true }, async (world) => {
      const [before] = begunBy(world);
      const machine = world.machines().find((one) => one.name === name);
      const asleep = machine?.processes() ?? [];
      expect(asleep.length).toBeGreaterThan(0);
      for (const one of asleep) signal(one, 'SIGSTOP');
      // By the clock of the database: the lease (30 s) and every token (60 s) are over.
      const begun = await databaseMs(world);
      const isOver = async () => (await databaseMs(world)) > begun + 65_000;
      expect(await untilTold(isOver, 150_000)).toBe(true);
      for (const one of asleep) signal(one, 'SIGCONT');
      expect(await until(() => begunBy(world).length === 2, 120_000), 'goes on').toBe(true);
      expect(begunBy(world)[0]).toBe(before);
      await ended(world, 1, `${what} slept past lease and token`);
    });
  },
);
