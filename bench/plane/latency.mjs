/**
 * From a dispatch to its start by whoever waits for it, one at a time on an idle system: from the
 * moment at which the decision is durable (its caller has heard so), and from the call before it.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { start } from './process.mjs';
import { closing, openRestate, temporary } from './servers.mjs';

/** A wait between two, never in step with anybody's poll. */
const pauseMs = (n) => 20 + ((n * 37) % 60);
const answerMs = 20_000;

/** Spans in milliseconds: `committed` and `called`, of each try. */
export const latencies = {
  'pawl, decided by the same server': (around) => pawl(around, 'same'),
  'pawl, decided by another process': (around) => pawl(around, 'other'),
  'DBOS queue, as shipped': (around) => dbos(around, null),
  'DBOS queue, polling every 10 ms': (around) => dbos(around, 10),
  Restate: restate,
};

function pawl({ databases, tries }, decider) {
  return closing(async (keep) => {
    const { directory: home, remove } = temporary('home');
    keep({ close: remove });
    const database = await databases.fresh('latency');
    keep({ close: database.drop });
    const place = { url: database.url, home };
    const server = keep(await start('server', place));
    await database.grow?.();
    const code = await server.ask('code');
    const worker = keep(await start('remote', { url: server.opened.url, code }));
    const from = decider === 'same' ? server : keep(await start('pawl', place));
    const once = async () => {
      const taking = worker.ask('take', { count: 1, waitMs: answerMs });
      await wait(pauseMs(0));
      const [{ committed, from: called }] = await from.ask('start', { count: 1 });
      const [{ claimed }] = await taking;
      return { committed: claimed - committed, called: claimed - called };
    };
    return collect(tries, once);
  });
}

function dbos({ databases, tries }, pollMs) {
  return closing(async (keep) => {
    const database = await databases.fresh('latency');
    keep({ close: database.drop });
    const entries = entered();
    const place = { url: database.url, pollMs };
    const told = { ...place, executor: 'b', listens: true };
    keep(await start('dbos', told, entries.heard));
    const sender = keep(await start('dbos', { url: database.url, executor: 'a' }));
    return collect(Math.min(tries, pollMs === null ? 12 : tries), entries.through(sender));
  });
}

function restate({ tries }) {
  return closing(async (keep) => {
    const { ingress, admin } = keep(await openRestate());
    const entries = entered();
    const options = { ingress, admin, registers: true, service: 'notes' };
    const worker = keep(await start('restate', options, entries.heard));
    return collect(tries, entries.through(worker));
  });
}

/** Whose handlers tell when they were entered. */
function entered() {
  const waiting = new Map();
  return {
    heard: ({ entered: n, at }) => waiting.get(n)?.(at),
    through: (sender) => async (n) => {
      const entry = new Promise((resolve, reject) => {
        const late = setTimeout(() => reject(new Error('never entered')), answerMs);
        waiting.set(n, (at) => {
          clearTimeout(late);
          resolve(at);
        });
      });
      const { from, committed } = await sender.ask('send', { n });
      const at = await entry;
      return { committed: at - committed, called: at - from };
    },
  };
}

/** The first ones load code and prepare statements. */
const warmUps = 3;

async function collect(tries, once) {
  const spans = [];
  for (let n = 0; n < tries + warmUps; n += 1) {
    await wait(pauseMs(n));
    const span = await once(n);
    if (n >= warmUps) spans.push(span);
  }
  return spans;
}
