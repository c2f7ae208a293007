/**
 * Goal: as `chaos.test.ts`, for a run of servers and workers over one PostgreSQL: programs killed,
 * a database that goes away or gives up transactions (RR-5, RR-35, RR-46, RR-47).
 * Method: two servers and two workers of the built program as real processes over a real database.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openWorld, untilTold, type World } from '../partition/world.ts';
import {
  emptyStore,
  type PostgresServer,
  startPostgres,
  strangersClient,
} from '../support/postgres.ts';
import { signal, until } from '../support/processes.ts';
import { type ServedFault, survives, took } from './served-run.ts';
import { waitMs } from './stage.ts';
import { type Way, type Wire, wayTo } from './wires.ts';

let postgres: PostgresServer;

beforeAll(async () => {
  postgres = await startPostgres();
}, 120_000);
afterAll(() => postgres.stop());

interface Fault extends ServedFault {
  /** What stands between the worker and its server; absent: nothing. */
  readonly wire?: Wire;
}

/** The worker whose agent works, whole: its daemon, its hosts, its lane. */
function holder({ machines }: World) {
  const found = machines().find(({ processes }) =>
    processes().some(({ command }) => command.startsWith('node ') && /agent\.mjs/.test(command)),
  );
  if (found === undefined) throw new Error('no worker is at work');
  return found.processes();
}

function killAll(found: ReturnType<typeof holder>): void {
  expect(found.length).toBeGreaterThan(0);
  for (const one of found) signal(one, 'SIGKILL');
}

/** PostgreSQL gives up the next so many writes of events as if they had met others (40P01). */
const deadlocks = (count: number) => `
create sequence chaos_deadlocks;
create function chaos_deadlock() returns trigger language plpgsql as $$ begin
  if nextval('chaos_deadlocks') <= ${count} then
    raise exception 'deadlock detected' using errcode = '40P01';
  end if;
  return new;
end $$;
create trigger chaos_deadlock before insert on events for each row
  execute function chaos_deadlock();`;

/**
 * Stopped, and let go on when this is settled, but for whoever `stays`: which of them runs first is
 * the kernel's choice.
 */
async function stopped(
  found: ReturnType<typeof holder>,
  until: () => Promise<unknown>,
  stays: RegExp | null = null,
) {
  expect(found.length).toBeGreaterThan(0);
  for (const one of found) signal(one, 'SIGSTOP');
  await until();
  const woken = found.filter(({ command }) => stays?.test(command) !== true);
  for (const one of woken) signal(one, 'SIGCONT');
}

/** By the clock of the database, which leases are of. */
async function forMs(world: World, ms: number): Promise<void> {
  const now = async () => {
    const [row] = await world.rows<{ readonly ms: number }>(
      'select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms',
    );
    return row?.ms ?? 0;
  };
  const end = (await now()) + ms;
  expect(await untilTold(async () => (await now()) >= end, waitMs)).toBe(true);
}

const server = ({ machines }: World, name: string) =>
  machines()
    .find((one) => one.name === name)
    ?.processes()
    .filter(({ command }) => / serve /.test(command)) ?? [];

const faults: readonly Fault[] = [
  {
    name: 'kill -9 of the worker and all it runs',
    strike: (world) => killAll(holder(world)),
    truth: (world, { liveness }) =>
      took(world) || liveness === null || !liveness.state.startsWith('working'),
    worker: 'again',
  },
  {
    name: 'kill -9 of the worker, its host goes on',
    strike: (world) => killAll(holder(world).filter(({ command }) => / worker /.test(command))),
    truth: null,
    worker: 'same',
  },
  {
    name: 'kill -9 of the host on the worker',
    strike: (world) => killAll(holder(world).filter(({ command }) => /-host/.test(command))),
    truth: took,
    worker: 'again',
  },
  {
    name: 'kill -9 of one of two servers',
    strike: (world) => killAll(server(world, 'server-2')),
    truth: null,
    worker: 'same',
  },
  {
    name: 'stop and continue of the worker within its lease',
    strike: (world) => stopped(holder(world), () => forMs(world, 8_000)),
    truth: null,
    worker: 'same',
  },
  {
    name: 'stop and continue of the worker past its lease',
    // Its agent has to be ended even asleep.
    strike: (world) =>
      stopped(holder(world), () => untilTold(async () => took(world), waitMs), /agent\.mjs/),
    truth: took,
    worker: 'again',
  },
  {
    name: 'stop and continue of one of two servers',
    strike: (world) => stopped(server(world, 'server-2'), () => forMs(world, 40_000)),
    truth: null,
    worker: 'same',
  },
  ...(['dropped', 'delayed', 'doubled'] as const).map(
    (wire): Fault => ({
      name: `what the worker says is ${wire}`,
      // Past a lease: each renewal went that way.
      strike: (world) => forMs(world, 40_000),
      truth: null,
      worker: 'same',
      wire,
    }),
  ),
  {
    name: 'the database crashes and comes back',
    strike: () => postgres.restart(),
    truth: null,
    worker: 'same',
  },
  {
    name: 'the database is away for 75 seconds',
    strike: async () => {
      await postgres.crash();
      // Longer than a driver tries at one go, and than a lease.
      await pause(75_000);
      await postgres.start();
    },
    truth: null,
    worker: 'again',
  },
  {
    name: '40P01 for the next eight events',
    strike: async ({ database }) => {
      const client = await strangersClient(database);
      await client.query(deadlocks(8));
      await client.end();
    },
    truth: null,
    worker: 'same',
  },
];

test.each(faults)('$name: recovered (RR-5, RR-35, RR-46, RR-47)', async (fault) => {
  const world = await openWorld(await emptyStore(postgres.url));
  let way: Way | null = null;
  try {
    const first = await world.server();
    await world.server();
    way = await wayTo(first.url, fault.wire);
    await world.worker('ada', way.url);
    await world.start('one');
    expect(await until(() => world.work.wrote().length > 2, waitMs), 'at work').toBe(true);
    await world.worker('bob', first.url);
    way.begin();
    await survives(world, fault);
    expect(way.harmed(), 'the fault was there').toBeGreaterThan(0);
  } finally {
    await world.close();
    await way?.close();
  }
});
