/**
 * Where one PostgreSQL ends: steps a second by the number of runs at once, claims a second by the
 * number of workers, and what a step and a dispatch cost when the tables have grown.
 */
import pg from 'pg';
import { latencies } from './latency.mjs';
import { start } from './process.mjs';
import { closing, temporary } from './servers.mjs';
import { measureSteps } from './steps.mjs';
import { smallBytes } from './systems/walk.mjs';
import { fixed, median, table } from './tables.mjs';

export async function scale(around) {
  const { print } = around;
  await byRuns(around);
  await byWorkers(around);
  await bySize(around);
  print('Median of three spans where three are told (least to most).');
  print();
}

async function byRuns({ databases, print, say, look, isShort }) {
  const forMs = isShort ? 500 : 1_500;
  const counts = isShort ? [10, 100] : [1, 10, 50, 100, 200, 400, 800];
  const lines = [];
  for (const count of counts) {
    look();
    say(`${count} runs at once`);
    const workers = Math.min(4, count);
    const runs = Math.ceil(count / workers);
    const one = (name) => ({ name, workers, runs, bytes: smallBytes });
    const only = [one('a'), one('b'), one('c')];
    const local = await perSecond('pawl', { databases, forMs, only });
    const remote = await perSecond('pawl over HTTP', { databases, forMs, only });
    lines.push([count, local, remote]);
  }
  print('Steps a second by runs at once, 4 worker processes');
  print();
  table(print, ['runs', 'pawl', 'pawl over HTTP, one server'], lines);
}

async function perSecond(system, options) {
  const measured = await measureSteps(system, options);
  const all = Object.values(measured).map((one) => one.perSecond);
  return `${fixed(median(all), 0)} (${fixed(Math.min(...all), 0)} to ${fixed(Math.max(...all), 0)})`;
}

async function byWorkers({ databases, print, say, look, isShort }) {
  const counts = isShort ? [1, 4] : [1, 2, 4, 8, 16];
  const runs = isShort ? 48 : 240;
  const lines = [];
  for (const count of counts) {
    look();
    say(`${count} workers claim`);
    lines.push([count, ...(await claims({ databases, count, runs }))]);
  }
  print(`Claims a second by workers, ${runs} runs waiting, one server`);
  print();
  table(print, ['workers', 'claims/s', 'median ms between offer and claim'], lines);
}

function claims({ databases, count, runs }) {
  return closing(async (keep) => {
    const { server, worker } = await bed({ databases, keep });
    const workers = [];
    for (let n = 0; n < count; n += 1) workers.push(await worker());
    await server.ask('start', { count: runs });
    const from = performance.now();
    const share = Math.floor(runs / count);
    const taken = await Promise.all(workers.map(({ ask }) => ask('take', { count: share })));
    const seconds = (performance.now() - from) / 1000;
    const all = taken.flat();
    const spans = all.map(({ offered, claimed }) => claimed - offered);
    return [fixed(all.length / seconds, 0), fixed(median(spans), 1)];
  });
}

async function bed({ databases, keep }) {
  const { directory: home, remove } = temporary('home');
  keep({ close: remove });
  const database = await databases.fresh('scale');
  keep({ close: database.drop });
  const options = { url: database.url, home, leaseTtlMs: 3_600_000 };
  const server = keep(await start('server', options));
  const worker = async () => {
    const code = await server.ask('code');
    return keep(await start('remote', { url: server.opened.url, code }));
  };
  return { server, worker, database };
}

/** Runs that have ended, as many as asked for, copied from one that was really made. */
async function bySize({ databases, print, say, look, isShort }) {
  const sizes = isShort ? [0, 500] : [0, 2_500, 10_000, 25_000];
  const lines = [];
  for (const ended of sizes) {
    look();
    say(`${ended} ended runs`);
    const bytes = { value: 0 };
    const wide = {
      ...databases,
      fresh: async (name) => {
        const database = await databases.fresh(name);
        const more = async () => {
          bytes.value = await grow(database.url, ended);
        };
        return { ...database, grow: more };
      },
    };
    const one = { name: 'a', workers: 4, runs: 25, bytes: smallBytes };
    const only = [one, { ...one, name: 'b' }, { ...one, name: 'c' }];
    const forMs = isShort ? 500 : 1_500;
    const steps = await perSecond('pawl', { databases: wide, forMs, only });
    const tries = isShort ? 8 : 30;
    const spans = await latencies['pawl, decided by another process']({ databases: wide, tries });
    const span = fixed(median(spans.map(({ committed }) => committed)), 1);
    lines.push([ended, ended * eventsEach, fixed(bytes.value / 2 ** 20, 0), steps, span]);
  }
  print('By the size of the tables: 100 runs at once in 4 processes; one dispatch at a time');
  print();
  table(
    print,
    ['ended runs', 'their events', 'MB', 'steps/s', 'dispatch to claim, median ms'],
    lines,
  );
}

const eventsEach = 40;

/** Rows of the shape and size of a run with one attempt; answers what the database takes. */
async function grow(url, ended) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    if (ended > 0) for (const text of grown) await client.query(text, [ended]);
    if (ended > 0) await client.query('analyze');
    const { rows } = await client.query('select pg_database_size(current_database())::float8 as n');
    return rows[0].n;
  } finally {
    await client.end();
  }
}

const name = "'old' || lpad(n::text, 9, '0')";
const grown = [
  `insert into streams(seq, stream, previous, hash)
select 1000000000 + n, ${name}, null, decode(repeat('ab', 32), 'hex') from generate_series(1, $1) n`,
  `insert into runs(seq, id, name, project, kind, status, disposition, version, head, definition,
  created_at, updated_at, state)
select 1000000000 + n, ${name}, 'old', '/bench', 'attempts', 'complete', 'passed', ${eventsEach},
  decode(repeat('ab', 32), 'hex'), 'sha256:' || repeat('0', 64), n, n, repeat('{"a":1}', 300)
from generate_series(1, $1) n`,
  `insert into events(stream, version, type, format, actor, at, data, salt, data_hash, hash)
select 1000000000 + n, v, 'execution.checkpointed', 1, 'bench', n, repeat('x', 160),
  decode(repeat('cd', 16), 'hex'), decode(repeat('ab', 32), 'hex'), decode(repeat('ef', 32), 'hex')
from generate_series(1, $1) n, generate_series(1, ${eventsEach}) v`,
  `insert into executions(id, run, job_key, role, attempt, no, status, fence, created_at, job)
select ${name} || '.' || e, 1000000000 + n, 'execute', 'execute', 1, e, 'SUCCEEDED', 1, n, '{}'
from generate_series(1, $1) n, generate_series(1, 3) e`,
];
