/**
 * Goal: the database of servers and workers dies in the middle of work and its standby takes its
 * place: runs go on where they were, nothing is done twice, and nothing that was acknowledged is
 * lost (RR-5, RR-35, RR-46).
 * Method: two real PostgreSQL servers, the second a standby that each commit waits for; the first
 * is ended at once and the second promoted; an address that leads to the one, then to the other.
 */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openWorld, untilTold, type World } from '../partition/world.ts';
import { type CuttingProxy, cuttingProxy } from '../support/cutting-proxy.ts';
import { asStranger, emptyStore, type PostgresServer, startPostgres } from '../support/postgres.ts';
import { until } from '../support/processes.ts';
import { type ServedFault, survives } from './served-run.ts';
import { waitMs } from './stage.ts';

let [primary, standby]: PostgresServer[] = [];
let way: CuttingProxy;

beforeAll(async () => {
  primary = await startPostgres();
  standby = await primary.standby();
  way = await cuttingProxy(primary.port);
}, 180_000);
afterAll(async () => {
  await way?.close();
  await standby?.stop();
  await primary?.stop();
});

/** From now on a commit is acknowledged when the standby has it, too. */
async function waitsForStandby({ url }: PostgresServer): Promise<void> {
  await asStranger(url, "alter system set synchronous_standby_names = '*'");
  await asStranger(url, 'select pg_reload_conf()');
  const isSync = async () => {
    const rows = await asStranger<{ readonly sync_state: string }>(
      url,
      'select sync_state from pg_stat_replication',
    );
    return rows.some(({ sync_state }) => sync_state === 'sync');
  };
  expect(await untilTold(isSync, waitMs), 'its commits wait for the standby').toBe(true);
}

/** Somebody gives hints without end; those that he was told are taken. */
function hinting({ typed }: World) {
  const taken: string[] = [];
  let isOver = false;
  const going = (async () => {
    for (let n = 1; !isOver; n += 1) {
      const text = `hint no. ${n}`;
      const { exit } = await typed(['hint', 'one', text]);
      if (exit === 0) taken.push(text);
    }
  })();
  return {
    taken,
    end: () => {
      isOver = true;
      return going;
    },
  };
}

const digestOf = (text: string) => `sha256:${createHash('sha256').update(text).digest('hex')}`;

async function hintsIn({ rows }: World): Promise<readonly string[]> {
  const events = await rows<{ readonly data: string }>(
    "select data from events where type = 'hint.added' order by position",
  );
  return events.map(({ data }) => (JSON.parse(data) as { readonly text: string }).text);
}

test('the database dies and its standby takes over: recovered (RR-5, RR-35, RR-46)', async () => {
  if (primary === undefined || standby === undefined) throw new Error('there is no standby');
  const [dies, follows] = [primary, standby];
  const own = await emptyStore(dies.url);
  await waitsForStandby(dies);
  const world = await openWorld(own.replace(`:${dies.port}/`, `:${way.port}/`));
  try {
    const first = await world.server();
    await world.server();
    await world.worker('ada', first.url);
    await world.start('one');
    expect(await until(() => world.work.wrote().length > 2, waitMs), 'at work').toBe(true);
    const hints = hinting(world);
    try {
      await survives(world, takenOver(dies, follows, hints));
    } finally {
      await hints.end();
    }
    const audited = await world.typed(['audit', 'verify']);
    expect(audited.exit, audited.stdout).toBe(0);
  } finally {
    await world.close();
  }
});

type Hints = ReturnType<typeof hinting>;

function takenOver(
  dies: PostgresServer,
  follows: PostgresServer,
  { taken, end }: Hints,
): ServedFault {
  const takes = (count: number) => until(() => taken.length >= count, waitMs);
  return {
    name: 'the database dies, its standby takes over',
    strike: async () => {
      expect(await takes(3), 'hints are taken').toBe(true);
      await dies.crash();
      await asStranger(follows.url, 'select pg_promote()');
      way.turn(follows.port);
      expect(await takes(taken.length + 3), 'hints are taken again').toBe(true);
      await end();
    },
    truth: null,
    worker: 'same',
    lost: async (world) => {
      const kept = await hintsIn(world);
      expect(new Set(kept).size, 'each hint once').toBe(kept.length);
      return taken.filter((text) => !kept.includes(digestOf(text))).length;
    },
  };
}
