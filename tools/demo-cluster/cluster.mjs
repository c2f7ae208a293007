/** PostgreSQL, two servers behind a balancer, three workers: each with a home of its own. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { startPostgres } from '../postgres.mjs';
import { openBalancer } from './balancer.mjs';
import { atTerminal, binary, plain, program, seen } from './program.mjs';
import { say } from './say.mjs';

const slots = 3;

export async function openCluster() {
  const root = mkdtempSync(join(tmpdir(), 'pawl-demo-cluster-'));
  const postgres = await startPostgres();
  say(`PostgreSQL listens on 127.0.0.1:${postgres.port}`);
  const around = { root, home: join(root, 'operator'), database: postgres.url };
  const opened = [{ close: () => rmSync(root, { recursive: true, force: true, maxRetries: 10 }) }];
  opened.push({ close: () => postgres.stop() });
  const close = async () => {
    for (const one of opened.reverse()) await one.close();
  };
  try {
    const database = new pg.Pool({ connectionString: postgres.url, max: 2 });
    // Its connections are cut when the server ends; a query that fails says so itself.
    database.on('error', () => {});
    opened.push({ close: () => database.end() });
    const servers = [];
    for (const name of ['one', 'two']) servers.push(await openServer(around, name));
    for (const one of servers) opened.push({ close: () => one.end() });
    const balancer = await openBalancer(servers);
    opened.push({ close: () => balancer.close() });
    const workers = [];
    for (const name of ['ada', 'bob', 'cyd']) {
      workers.push(await openWorker(around, name, balancer.url));
      opened.push({ close: () => workers.find((one) => one.name === name).end() });
    }
    const { url } = balancer;
    return { ...around, url, ...asked(database), servers, balancer, workers, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function openServer({ root, database }, name) {
  const own = join(root, `server-${name}`);
  mkdirSync(own);
  const env = { ...plain(own), PAWL_HOME: join(own, 'home'), PAWL_DATABASE: database };
  const args = ['serve', '--listen', '127.0.0.1:0', '--elsewhere'];
  const server = program({ name, mark: own, args, env, cwd: own });
  server.start();
  const [, url] = await seen(server, /"url":"([^"]+)"/);
  say(`server ${name} listens on ${url}`);
  return { ...server, url };
}

/** Enrolled by a code that a human gets at a terminal of the server. */
async function openWorker({ root, home, database }, name, server) {
  const own = join(root, `worker-${name}`);
  mkdirSync(own);
  const typed = { ...plain(root), PAWL_HOME: home, PAWL_DATABASE: database };
  const code = await enrolmentCode(typed, root);
  const env = { ...plain(own), PAWL_HOME: own };
  const args = ['worker', '--server', server, '--slots', String(slots), '--name', name];
  const worker = program({ name, mark: own, args, env, cwd: own });
  worker.start(['--code', code]);
  await seen(worker, /enrol|work|offer|slots/i);
  say(`worker ${name} is enrolled, with ${slots} slots`);
  return worker;
}

async function enrolmentCode(env, cwd) {
  const said = await atTerminal(binary, ['worker', 'enroll', '--json'], { cwd, env });
  const found = /"code"\s*:\s*"([^"]+)"/.exec(said);
  if (found === null) throw new Error(`no enrolment code:\n${said}`);
  return found[1];
}

export async function openRuns(rows) {
  const sql = `select count(*)::int as n from runs where status not in
    ('complete', 'cancelled', 'needs_operator')`;
  const [{ n }] = await rows(sql);
  return n;
}

/** What the database itself says. */
function asked(database) {
  const rows = async (sql, values = []) => (await database.query(sql, values)).rows;
  /** Until an agent of that worker is at work. */
  const heldBy = async (worker) => {
    const end = performance.now() + 120_000;
    while (!worker.processes().some(({ command }) => command.includes('agent.mjs'))) {
      if (performance.now() > end) {
        throw new Error(`no agent worked at worker ${worker.name}:\n${worker.said()}`);
      }
      await wait(50);
    }
  };
  return { rows, openRuns: () => openRuns(rows), heldBy };
}
