/**
 * A worker is killed with -9 while it is inside steps whose effects are made and not recorded: how
 * long until the work is taken up again, and how often the effects were made, by the witness.
 * And: a second process of the same worker starts while the first one lives and works.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { clockMs } from './clock.mjs';
import { start } from './process.mjs';
import { closing, openRestate, temporary } from './servers.mjs';

export const leaseMs = 5_000;
const limitMs = 45_000;
/** A second process has this long to make an effect that is being made already. */
const twinMs = 4_000;
const keysOf = (runs) => Array.from({ length: runs }, () => `k${randomBytes(6).toString('hex')}`);

/** `{ ms, sinceBeatMs, runs, doubled, unknown }` each: milliseconds of each run from the kill. */
export const takeovers = {
  'pawl, effects reserved': (around) => pawl(around, { reserved: true }),
  'pawl, lane run again': (around) => pawl(around, { reserved: false }),
  'DBOS, restarted at once': dbos,
  'Restate, restarted at once': restate,
};

/** How many effects were made twice. */
export const twins = { pawl: pawlTwin, DBOS: dbosTwin, Restate: restateTwin };

async function pawlBed({ databases, witness }, keep) {
  const { directory: home, remove } = temporary('home');
  keep({ close: remove });
  const database = await databases.fresh('takeover');
  keep({ close: database.drop });
  const server = keep(await start('server', { url: database.url, home, leaseTtlMs: leaseMs }));
  const worker = async (heard, known) => {
    const options = { url: server.opened.url, code: await server.ask('code'), witness, known };
    return keep(await start('remote', options, heard));
  };
  return { server, worker };
}

const holding = (runs, reserved) => ({ count: runs, beatMs: leaseMs / 3, reserved });

function pawl(around, { reserved }) {
  const { runs, count } = around;
  return closing(async (keep) => {
    const { server, worker } = await pawlBed(around, keep);
    let beat = 0;
    const first = await worker((told) => {
      if (told.beat !== undefined) beat = told.beat;
    });
    const second = await worker(() => {});
    const started = await server.ask('start', { count: runs });
    const keys = started.map(({ run }) => run);
    await first.ask('hold', holding(runs, reserved));
    const taking = second.ask('take', { count: runs, waitMs: 20_000 }, limitMs);
    await wait(300);
    const killed = clockMs();
    await first.kill();
    const taken = await taking;
    for (const one of taken) await goOn({ server, second }, one);
    const states = await Promise.all(keys.map((run) => server.ask('find', { run })));
    return {
      ms: taken.map(({ claimed }) => claimed - killed),
      sinceBeatMs: taken.map(({ claimed }) => claimed - beat),
      runs,
      doubled: keys.filter((key) => count(key) > 1).length,
      unknown: states.filter(({ reason }) => reason === 'unknown_outcome').length,
    };
  });
}

/** What the one before reserved and did not record may have happened: the record says which. */
async function goOn({ server, second }, { execution, grantId, run }) {
  const events = await server.ask('events', { run });
  const isReserved = events.some(
    ({ type, id }) => type === 'execution.checkpointed' && id !== execution,
  );
  await second.ask(isReserved ? 'unknown' : 'again', { execution, grantId, run });
}

function dbos({ databases, witness, runs, count }) {
  return closing(async (keep) => {
    const database = await databases.fresh('takeover');
    keep({ close: database.drop });
    const options = { url: database.url, executor: 'a', witness };
    const held = entries(runs);
    const first = keep(await start('dbos', { ...options, stays: true }, held.heard));
    const keys = keysOf(runs);
    await first.ask('hold', { keys });
    await held.all;
    return killed(first, { keys, count }, async (heard) =>
      keep(await start('dbos', options, heard)),
    );
  });
}

function restate({ witness, runs, count }) {
  return closing(async (keep) => {
    const { ingress, admin } = keep(await openRestate());
    const options = { ingress, admin, witness, service: 'effects' };
    const held = entries(runs);
    const first = keep(
      await start('restate', { ...options, registers: true, stays: true }, held.heard),
    );
    const keys = keysOf(runs);
    await first.ask('hold', { keys });
    await held.all;
    return killed(first, { keys, count }, async (heard) =>
      keep(await start('restate', { ...options, port: first.opened.port }, heard)),
    );
  });
}

async function killed(first, { keys, count }, restart) {
  const again = entries(keys.length);
  const at = clockMs();
  await first.kill();
  await restart(again.heard);
  const entered = await again.all;
  const doubled = keys.filter((key) => count(key) > 1).length;
  const ms = entered.map((one) => one - at);
  return { ms, sinceBeatMs: null, runs: keys.length, doubled, unknown: 0 };
}

/** When each of so many steps was entered. */
function entries(runs) {
  const at = new Map();
  let done;
  const all = new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error(`${at.size} of ${runs} entered`)), limitMs);
    done = () => {
      clearTimeout(late);
      resolve([...at.values()]);
    };
  });
  // Whoever waits for it hears; nobody may wait for it any more when something else has failed.
  all.catch(() => {});
  const heard = (told) => {
    if (told.entered === undefined || at.has(told.entered)) return;
    at.set(told.entered, told.at);
    if (at.size === runs) done();
  };
  return { heard, all };
}

function pawlTwin(around) {
  const { runs, count } = around;
  return closing(async (keep) => {
    const { server, worker } = await pawlBed(around, keep);
    const first = await worker(() => {});
    const keys = (await server.ask('start', { count: runs })).map(({ run }) => run);
    await first.ask('hold', holding(runs, false));
    const twin = await worker(() => {}, first.opened);
    // Whatever it is offered it would do; it is offered nothing, so that this never answers.
    const taking = twin.ask('take', { count: 1 }).then((taken) => twin.ask('again', taken[0]));
    taking.catch(() => {});
    await wait(twinMs);
    return keys.filter((key) => count(key) > 1).length;
  });
}

function dbosTwin({ databases, witness, runs, count }) {
  return closing(async (keep) => {
    const database = await databases.fresh('twin');
    keep({ close: database.drop });
    const options = { url: database.url, executor: 'a', witness, stays: true };
    return twinOf({
      runs,
      count,
      keep,
      start: (more, heard) => start('dbos', { ...options, ...more }, heard),
    });
  });
}

function restateTwin({ witness, runs, count }) {
  return closing(async (keep) => {
    const { ingress, admin } = keep(await openRestate());
    const options = { ingress, admin, witness, service: 'effects', stays: true, registers: true };
    return twinOf({
      runs,
      count,
      keep,
      start: (more, heard) => start('restate', { ...options, ...more }, heard),
    });
  });
}

async function twinOf({ runs, count, keep, start: begin }) {
  const held = entries(runs);
  const first = keep(await begin({}, held.heard));
  const keys = keysOf(runs);
  await first.ask('hold', { keys });
  await held.all;
  keep(await begin({}, () => {}));
  await wait(twinMs);
  return keys.filter((key) => count(key) > 1).length;
}
