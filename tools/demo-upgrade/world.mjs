/** PostgreSQL, and one state folder whose server is replaced by that of a later release. */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { openRuns } from '../demo-cluster/cluster.mjs';
import { atTerminal, binary, plain, program, seen } from '../demo-cluster/program.mjs';
import { say } from '../demo-cluster/say.mjs';
import { startPostgres } from '../postgres.mjs';
import { buildLater } from './newer.mjs';

export async function openWorld() {
  const root = mkdtempSync(join(tmpdir(), 'pawl-demo-upgrade-'));
  const opened = [{ close: () => rmSync(root, { recursive: true, force: true, maxRetries: 10 }) }];
  const close = async () => {
    for (const one of opened.reverse()) await one.close();
  };
  try {
    mkdirSync(join(root, 'later'));
    const later = await buildLater(join(root, 'later'));
    say(`a later pawl is built: store format ${later.formats.later}, a newer adapter`);
    const postgres = await startPostgres();
    opened.push({ close: () => postgres.stop() });
    say(`PostgreSQL listens on 127.0.0.1:${postgres.port}`);
    const database = new pg.Pool({ connectionString: postgres.url, max: 2 });
    // Its connections are cut when the server ends; a query that fails says so itself.
    database.on('error', () => {});
    opened.push({ close: () => database.end() });
    const rows = async (sql, values = []) => (await database.query(sql, values)).rows;
    const around = { root, home: join(root, 'home'), database: postgres.url, later };
    const world = {
      ...around,
      rows,
      openRuns: () => openRuns(rows),
      url: null,
      built: binary,
      close,
    };
    return { ...world, ...acts(around, opened) };
  } catch (error) {
    await close();
    throw error;
  }
}

function acts({ root, home, database }, opened) {
  const env = { ...plain(root), PAWL_HOME: home, PAWL_DATABASE: database };
  return {
    async serve(name, built) {
      const args = ['serve', '--listen', '127.0.0.1:0'];
      const server = program({ name, mark: root, args, env, cwd: root, built });
      server.start();
      opened.push({ close: () => server.end() });
      const [, url] = await seen(server, /"url":"([^"]+)"/);
      say(`the ${name} server listens on ${url}`);
      return { ...server, url };
    },
    drain: ({ url }) =>
      atTerminal(binary, ['serve', '--drain'], { cwd: root, env: { ...env, PAWL_SERVER: url } }),
    /** What this pawl says when it is typed: its exit code and its lines. */
    typed: (line, cwd = root) =>
      new Promise((resolve) => {
        execFile(process.execPath, [binary, ...line], { cwd, env }, (error, stdout, stderr) => {
          resolve({ exit: error === null ? 0 : error.code, said: `${stdout}${stderr}` });
        });
      }),
    /** What hosts of lanes said as they ended, by the id of the execution. */
    hostsSaid: (how) => {
      const log = readFileSync(join(home, 'log', 'lane-host.log'), 'utf8');
      const found = log.matchAll(/lane-host\[\d+\] (\S+) (\w+): /g);
      return [...found].filter(([, , ended]) => ended === how).map(([, execution]) => execution);
    },
  };
}
