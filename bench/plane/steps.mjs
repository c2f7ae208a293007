/** Steps a second: 1, 4 and 16 workers with a run each, then 100 runs at once, in every system. */
import { start } from './process.mjs';
import { closing, openRestate, processorTime, temporary } from './servers.mjs';
import { smallBytes } from './systems/walk.mjs';

const largeBytes = 1_000;
/** Longer than the bench: nobody beats here, and nothing is to be taken over. */
const leaseTtlMs = 3_600_000;

/** `runs`: of each worker. */
export const cases = [
  { name: '1 worker', workers: 1, runs: 1, bytes: smallBytes, hasBytes: true, isShort: true },
  { name: '4 workers', workers: 4, runs: 1, bytes: smallBytes },
  { name: '16 workers', workers: 16, runs: 1, bytes: smallBytes },
  { name: '100 runs, 1 worker', workers: 1, runs: 100, bytes: smallBytes, hasBytes: true },
  { name: '100 runs, 4 workers', workers: 4, runs: 25, bytes: smallBytes, isShort: true },
  { name: '1 worker, 1 KB', workers: 1, runs: 1, bytes: largeBytes, hasBytes: true },
  { name: '100 runs, 4 workers, 1 KB', workers: 4, runs: 25, bytes: largeBytes, isShort: true },
];

/** One system through all cases; for each steps a second, and what a step costs. */
export async function measureSteps(system, { databases, forMs, only = cases }) {
  return closing(async (keep) => {
    const bed = await beds[system]({ databases, keep });
    const count = Math.max(...only.map(({ workers }) => workers));
    const workers = [];
    for (let n = 0; n < count; n += 1) workers.push(keep(await bed.worker(n)));
    await bed.grow?.();
    const measured = {};
    for (const one of only) measured[one.name] = await measureCase(bed, workers, { ...one, forMs });
    return measured;
  });
}

async function measureCase(bed, all, { workers: wanted, runs, bytes, forMs }) {
  const workers = all.slice(0, wanted);
  await bed.begin?.(wanted * runs);
  await Promise.all(workers.map(({ ask }) => ask('prepare', { count: runs })));
  const pids = [...workers.map(({ pid }) => pid), ...bed.pids];
  const before = { ...(await bed.written()), times: processorTime(pids) };
  const walked = await Promise.all(workers.map(({ ask }) => ask('walk', { forMs, bytes })));
  const after = { ...(await bed.written()), times: processorTime(pids) };
  const steps = walked.reduce((sum, one) => sum + one.all, 0);
  const perSecond = walked.reduce((sum, one) => sum + one.steps / one.seconds, 0);
  const each = (what) => (before[what] === null ? null : (after[what] - before[what]) / steps);
  const cpuMs = before.times === null ? null : used(before.times, after.times) / steps;
  return { perSecond, stored: each('stored'), log: each('log'), cpuMs };
}

const used = (before, after) =>
  [...after].reduce((sum, [pid, ms]) => sum + ms - (before.get(pid) ?? 0), 0);

/** `pids`: of the servers that do a part of the work, beside the workers. */
const beds = {
  pawl: async ({ databases, keep }) => {
    const { database, home } = await placeOf(databases, keep);
    const options = { url: database.url, home, leaseTtlMs };
    const { written, grow } = database;
    return { written, grow, pids: [databases.pid], worker: () => start('pawl', options) };
  },
  'pawl over HTTP': async ({ databases, keep }) => {
    const { database, home } = await placeOf(databases, keep);
    const server = keep(await start('server', { url: database.url, home, leaseTtlMs }));
    return {
      written: database.written,
      pids: [databases.pid, server.pid],
      begin: (count) => server.ask('start', { count }),
      worker: async () =>
        start('remote', { url: server.opened.url, code: await server.ask('code') }),
    };
  },
  DBOS: async ({ databases, keep }) => {
    const database = await databases.fresh('dbos');
    keep({ close: database.drop });
    return {
      written: database.written,
      pids: [databases.pid],
      worker: (n) => start('dbos', { url: database.url, executor: `worker${n}` }),
    };
  },
  Restate: async ({ keep }) => {
    const { ingress, admin, written, pid } = keep(await openRestate());
    return {
      written,
      pids: [pid],
      worker: (n) => start('restate', { ingress, admin, registers: true, service: `steps${n}` }),
    };
  },
};

async function placeOf(databases, keep) {
  const { directory: home, remove } = temporary('home');
  keep({ close: remove });
  const database = await databases.fresh('pawl');
  keep({ close: database.drop });
  return { database, home };
}
