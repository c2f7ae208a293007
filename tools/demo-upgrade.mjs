/**
 * An upgrade in the middle of 50 runs: `pawl serve` over PostgreSQL is drained while agents work,
 * and a later release takes its place, which raises the format of the store and has a newer
 * adapter. The hosts that the older one started work on for longer than their leases, seal into
 * their spools and leave; the new driver hands that in. Then the older program meets the store.
 * The table is read from the database, the logs and a witness that each agent writes outside of
 * pawl. Nothing is installed by hand; everything lies in a temporary directory, removed at the end.
 *
 *   npm run demo:upgrade                 50 runs, some minutes on two cores
 *   npm run demo:upgrade -- --runs 12    fewer
 */
import { rmSync, writeFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { binary, seen } from './demo-cluster/program.mjs';
import { makeProject, startRuns } from './demo-cluster/project.mjs';
import { say } from './demo-cluster/say.mjs';
import { judged } from './demo-upgrade/judged.mjs';
import { openWorld } from './demo-upgrade/world.mjs';

const runs = countOf(process.argv.slice(2));
/** So many agents work when the server is replaced. */
const atWork = 4;
/** A lease lasts 30 s: they go on for longer than that. */
const heldMs = 40_000;
const wholeMs = 20 * 60_000;
const file = `version: 1\nconcurrency: { group: machine, max: ${atWork} }\n`;

const world = await openWorld();
try {
  const project = makeProject(world, file);
  const older = await world.serve('older', binary);
  world.url = older.url;
  const starting = startRuns(world, project, runs);
  await until('some runs have ended', async () => (await ended()) >= Math.floor(runs / 8));
  writeFileSync(project.hold, '');
  await starting;
  const { server, lived } = await replaced(project, older);
  await wait(heldMs);
  const said = await olderSays(project);
  rmSync(project.hold);
  say(`${lived.length} agents of older hosts go on, ${heldMs / 1_000} s after the upgrade`);
  say(`${await world.openRuns()} of ${runs} runs are open`);
  await until('all runs have ended', async () => (await world.openRuns()) === 0);
  await until('the older server has left', () => !older.isAlive());
  const found = { runs, lived, older: said, drained: older.exit(), server };
  process.exitCode = (await judged(world, project, found)) ? 0 : 1;
} finally {
  await world.close();
}

async function ended() {
  const [{ n }] = await world.rows("select count(*)::int as n from runs where status = 'complete'");
  return n;
}

/** While agents work; answers the executions whose hosts are of the older program and go on. */
async function replaced(project, older) {
  const held = () => project.told().filter(({ what }) => what === 'held');
  await until(`${atWork} agents are in the middle`, () => held().length >= atWork);
  await world.drain(older);
  await seen(older, /"event":"left_seat"/);
  say('the older server was drained: it has given its seat away');
  const before = await leased();
  const server = await world.serve('newer', world.later.program);
  world.url = server.url;
  world.built = world.later.program;
  const [{ value }] = await world.rows("select value from meta where key = 'format'");
  const now = await leased();
  const lived = before.filter((id) => now.includes(id));
  say(`the newer one has moved the store to format ${value}; ${lived.length} older hosts live on`);
  return { server, lived };
}

async function leased() {
  const found = await world.rows(`select e.id, l.pid from leases l
    join executions e on e.seq = l.execution where e.role = 'execute'
    and e.status not in ('SUCCEEDED', 'FAILED', 'EXHAUSTED', 'CANCELLED')`);
  return found.filter(({ pid }) => isAlive(Number(pid))).map(({ id }) => id);
}

async function olderSays({ directory }) {
  const lines = [
    ['status'],
    ['run', 'one more', '--agent-cmd', 'true', '--check', 'true', '-d'],
    ['serve', '--listen', '127.0.0.1:0'],
  ];
  const said = [];
  for (const one of lines) {
    said.push({ typed: one[0], ...(await world.typed(one, directory)) });
  }
  return said;
}

async function until(what, isSo) {
  const end = performance.now() + wholeMs;
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error(`20 minutes, and not yet: ${what}`);
    await wait(250);
  }
}

function isAlive(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    if (error.code === 'ESRCH') return false;
    throw error;
  }
}

function countOf([flag, value, ...more]) {
  if (flag === undefined) return 50;
  const n = Number(value);
  if (flag === '--runs' && Number.isInteger(n) && n >= 12 && n <= 200 && more.length === 0) {
    return n;
  }
  process.stderr.write('usage: npm run demo:upgrade [-- --runs <12 to 200>]\n');
  process.exit(2);
}
