/** What the systems stand on: one PostgreSQL, a Restate server, a witness; all on loopback. */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { createServer as createPort } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { startPostgres } from '../../tools/postgres.mjs';

const require = createRequire(import.meta.url);
const readyMs = 60_000;

/** As a server is run: every commit is on the disk before it is told. */
const settings = {
  fsync: 'on',
  full_page_writes: 'on',
  synchronous_commit: 'on',
  shared_buffers: '128MB',
  max_wal_size: '2GB',
};

export async function openDatabases() {
  const server = await startPostgres({ settings });
  const admin = new pg.Pool({ connectionString: server.url, max: 1 });
  // Its connections are cut when the server ends; a query that fails says so itself.
  admin.on('error', () => {});
  const [{ server_version: version }] = (await admin.query('show server_version')).rows;
  let made = 0;
  return {
    version,
    pid: server.pid,
    /** An empty one of its own, removed by `drop`. */
    fresh: async (name) => {
      made += 1;
      const database = `${name}_${made}`;
      await admin.query(`create database ${database}`);
      const url = server.urlOf(database);
      const drop = () => admin.query(`drop database ${database} with (force)`);
      return { url, drop, written: () => writtenBy(url) };
    },
    close: async () => {
      await admin.end();
      await server.stop();
    },
  };
}

/** Bytes of all tables with their indexes, and the place in the log. */
async function writtenBy(url) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query(`select
      (select sum(pg_total_relation_size(oid)) from pg_class where relkind = 'r')::float8 as stored,
      (pg_current_wal_lsn() - '0/0'::pg_lsn)::float8 as log`);
    return rows[0];
  } finally {
    await client.end();
  }
}

/**
 * Milliseconds of processor time, by process, of these and their children; null where the system
 * does not tell. It says what a system costs however busy the machine is with others.
 */
export function processorTime(pids) {
  if (process.platform !== 'linux') return null;
  const wanted = new Set(pids.map(String));
  const times = new Map();
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    const text = statOf(pid);
    if (text === null) continue;
    const fields = text.slice(text.lastIndexOf(') ') + 2).split(' ');
    const isOurs = wanted.has(pid) || wanted.has(fields[1]);
    if (isOurs) times.set(pid, (Number(fields[11]) + Number(fields[12])) * tickMs);
  }
  return times;
}

const tickMs = 10;

/** Null: it has left. */
function statOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return null;
  }
}

export function temporary(name) {
  const directory = mkdtempSync(join(tmpdir(), `pawl-bench-${name}-`));
  const remove = () => {
    process.removeListener('exit', remove);
    rmSync(directory, { recursive: true, force: true, maxRetries: 10 });
  };
  // Also when the bench is called off.
  process.once('exit', remove);
  return { directory, remove };
}

/** Counts effects by their key: outside of all systems, so that it believes none of them. */
export async function openWitness() {
  const counts = new Map();
  const server = createServer((request, response) => {
    let key = '';
    request.on('data', (part) => {
      key += part;
    });
    request.on('end', () => {
      counts.set(key, (counts.get(key) ?? 0) + 1);
      response.end();
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    count: (key) => counts.get(key) ?? 0,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Null: its package has no program for this machine. */
export function restateBinary() {
  try {
    const own = `@restatedev/restate-server-${process.platform}-${process.arch}`;
    const outer = require.resolve('@restatedev/restate-server/package.json');
    const found = createRequire(outer).resolve(`${own}/package.json`);
    const binary = join(dirname(found), 'bin', 'restate-server');
    return existsSync(binary) ? binary : null;
  } catch {
    return null;
  }
}

export async function openRestate() {
  const { directory, remove } = temporary('restate');
  mkdirSync(join(directory, 'data'));
  const [node, ingress, admin] = await Promise.all([freePort(), freePort(), freePort()]);
  const args = ['--base-dir', join(directory, 'data'), '--no-logo', '--listen-mode', 'tcp'];
  const child = spawn(restateBinary(), [...args, '--bind-ip', '127.0.0.1'], {
    cwd: directory,
    stdio: ['ignore', 'ignore', 'ignore'],
    env: {
      PATH: process.env.PATH,
      HOME: directory,
      DO_NOT_TRACK: '1',
      RUST_LOG: 'error',
      RESTATE_BIND_PORT: `${node}`,
      RESTATE_INGRESS__BIND_PORT: `${ingress}`,
      RESTATE_ADMIN__BIND_PORT: `${admin}`,
    },
  });
  const isLost = () => child.kill('SIGKILL');
  process.once('exit', isLost);
  const gone = new Promise((resolve) => child.once('exit', resolve));
  const urls = { ingress: `http://127.0.0.1:${ingress}`, admin: `http://127.0.0.1:${admin}` };
  const close = async () => {
    child.kill('SIGKILL');
    await gone;
    process.removeListener('exit', isLost);
    remove();
  };
  try {
    await healthy(`${urls.admin}/health`, child);
    await healthy(`${urls.ingress}/restate/health`, child);
  } catch (error) {
    await close();
    throw error;
  }
  return { ...urls, pid: child.pid, close, written: () => writtenByProcess(child.pid) };
}

/** Its folder is made beforehand in full size, so that only what it writes can be counted. */
function writtenByProcess(pid) {
  const text = readFileSync(`/proc/${pid}/io`, 'utf8');
  return { stored: null, log: Number(/write_bytes: (\d+)/.exec(text)?.[1] ?? Number.NaN) };
}

async function healthy(url, child) {
  const end = performance.now() + readyMs;
  for (;;) {
    const isUp = await fetch(url).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isUp) return;
    if (child.exitCode !== null || performance.now() > end) throw new Error(`no answer: ${url}`);
    await wait(100);
  }
}

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createPort();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

/** Closes what was opened, last first, whatever happens in between. */
export async function closing(action) {
  const opened = [];
  const keep = (one) => {
    opened.push(one);
    return one;
  };
  try {
    return await action(keep);
  } finally {
    for (const one of opened.reverse()) await one.close();
  }
}
