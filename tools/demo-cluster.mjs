/**
 * Many machines on one: PostgreSQL, two servers behind a balancer, three workers that share neither
 * disk nor database with them, and runs whose agents need one or two attempts. In the middle one
 * server and one worker are killed with -9, and one worker is stopped past its leases and goes on.
 * The table is read from the event log and from a witness that each agent writes outside of pawl.
 * Nothing is installed by hand; everything lies in one temporary directory, removed at the end.
 *
 *   npm run demo:cluster                 30 runs, some five minutes on two cores
 *   npm run demo:cluster -- --runs 6     fewer
 */
import { setTimeout as wait } from 'node:timers/promises';
import { openCluster } from './demo-cluster/cluster.mjs';
import { judged } from './demo-cluster/judged.mjs';
import { makeProject, startRuns } from './demo-cluster/project.mjs';
import { say } from './demo-cluster/say.mjs';

const runs = countOf(process.argv.slice(2));
/** A lease lasts 30 s; who is stopped for longer has lost what he held. */
const stoppedMs = 45_000;
const wholeMs = 20 * 60_000;

const cluster = await openCluster();
try {
  const project = makeProject(cluster);
  await startRuns(cluster, project, runs);
  await disturb(cluster, project);
  await untilAllEnded(cluster);
  process.exitCode = (await judged(cluster, project, runs)) ? 0 : 1;
} finally {
  await cluster.close();
}

/** Each blow falls while work is held by whom it hits, so that it is not a blow in the air. */
async function disturb({ servers, workers, balancer, heldBy }) {
  const [first] = servers;
  const [killed, stopped] = workers;
  await heldBy(stopped);
  const frozen = stopped.processes();
  stopped.signal(frozen, 'SIGSTOP');
  say(`worker ${stopped.name} is stopped with ${frozen.length} processes, past its leases`);
  const goesOn = wait(stoppedMs).then(() => {
    stopped.signal(frozen, 'SIGCONT');
    say(`worker ${stopped.name} goes on, ${stoppedMs / 1_000} s later`);
  });
  await heldBy(killed);
  await killed.kill();
  say(`worker ${killed.name} is killed with -9, its hosts too`);
  await first.kill();
  say(`server ${first.name} is killed with -9; ${balancer.standing()} is left`);
  await goesOn;
  killed.start();
  say(`worker ${killed.name} is started again`);
}

async function untilAllEnded({ openRuns }) {
  const end = performance.now() + wholeMs;
  for (let before = -1; ; ) {
    const open = await openRuns();
    if (open !== before) say(`${open} of ${runs} runs are open`);
    if (open === 0) return;
    if (performance.now() > end) throw new Error(`${open} runs are open after 20 minutes`);
    before = open;
    await wait(2_000);
  }
}

function countOf([flag, value, ...more]) {
  if (flag === undefined) return 30;
  const n = Number(value);
  if (flag === '--runs' && Number.isInteger(n) && n > 2 && n <= 200 && more.length === 0) return n;
  process.stderr.write('usage: npm run demo:cluster [-- --runs <3 to 200>]\n');
  process.exit(2);
}
