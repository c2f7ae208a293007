/**
 * What pawl's plane costs beside DBOS and Restate: `npm run bench:plane`. Everything is measured in
 * one run on one PostgreSQL, system after system within each round, since figures of different
 * moments of a shared machine do not compare.
 *
 *   --short      one round, short spans: to see that it works
 *   --scale      instead of the comparison: where one PostgreSQL ends
 *   --markdown   both: the block between the marks of docs/scale.md
 *   --rounds <n> rounds (3)
 */
import { cpus, loadavg, totalmem } from 'node:os';
import { parseArgs } from 'node:util';
import { buildPawl } from './pawl.mjs';
import { latencies } from './plane/latency.mjs';
import { scale } from './plane/scale.mjs';
import { closing, openDatabases, openWitness, restateBinary } from './plane/servers.mjs';
import { cases, measureSteps } from './plane/steps.mjs';
import { fixed, median, range, ratio, table } from './plane/tables.mjs';
import { leaseMs, takeovers, twins } from './plane/takeover.mjs';

const { values } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    scale: { type: 'boolean', default: false },
    markdown: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '3' },
  },
});
const rounds = values.short ? 1 : Number(values.rounds);
if (!Number.isInteger(rounds) || rounds < 1 || rounds > 9) {
  process.stderr.write(
    'usage: npm run bench:plane -- [--short] [--scale] [--markdown] [--rounds 1 to 9]\n',
  );
  process.exit(2);
}
const forMs = values.short ? 700 : 1_800;
const tries = values.short ? 10 : 40;
const shownCases = values.short ? cases.filter(({ isShort }) => isShort) : cases;
const hasRestate = restateBinary() !== null;
const systems = ['pawl', 'pawl over HTTP', 'DBOS', ...(hasRestate ? ['Restate'] : [])];
const isMeasured = (name) => hasRestate || !name.startsWith('Restate');

const print = (line = '') => process.stdout.write(`${line}\n`);
/** What is under way, for whoever waits; not part of what is printed. */
const say = (line) => process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${line}\n`);
const loads = [];
const look = () => loads.push(loadavg()[0]);

async function inRounds(names, measure) {
  const results = new Map(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    // Another one begins in each round, so that none is always the first.
    const order = names.map((_, n) => names[(n + round) % names.length]);
    for (const name of order) {
      look();
      say(`round ${round + 1} of ${rounds}: ${name}`);
      results.get(name).push(await measure(name));
    }
  }
  return results;
}

async function latency(around) {
  const names = Object.keys(latencies).filter(isMeasured);
  const spans = new Map();
  for (const name of names) {
    look();
    say(`latency: ${name}`);
    spans.set(name, await latencies[name]({ ...around, tries }));
  }
  print('From a dispatch to its start by a waiting worker, one at a time, ms');
  print();
  table(
    print,
    ['system', 'n', 'from the commit: median', 'p95', 'from the call: median', 'p95'],
    names.map((name) => {
      const committed = spans.get(name).map((span) => span.committed);
      const called = spans.get(name).map((span) => span.called);
      const both = [committed, called].flatMap((of) => [fixed(median(of), 1), fixed(p95(of), 1)]);
      return [name, committed.length, ...both];
    }),
  );
}

const p95 = (of) => [...of].sort((a, b) => a - b)[Math.ceil(of.length * 0.95) - 1];

async function steps(around) {
  const results = await inRounds(systems, (name) =>
    measureSteps(name, { ...around, forMs, only: shownCases }),
  );
  const of = (name, one, what) => results.get(name).map((round) => round[one.name][what]);
  const byCase = (cases, cell) =>
    table(
      print,
      ['case', ...systems],
      cases.map((one) => [one.name, ...systems.map((name) => cell(name, one))]),
    );
  print(`Steps a second: median of ${rounds} rounds, (least to most)`);
  print();
  byCase(shownCases, (name, one) => range(of(name, one, 'perSecond')));
  const peers = ['DBOS', ...(hasRestate ? ['Restate'] : [])];
  const pairs = ['pawl', 'pawl over HTTP'].flatMap((own) => peers.map((peer) => [own, peer]));
  const against = (one, what) =>
    pairs.map(([own, peer]) => ratio(of(own, one, what), of(peer, one, what)));
  print('Steps a second of pawl against each, round by round: median of the ratios');
  print();
  const pairHead = ['case', ...pairs.map((pair) => pair.join(' ÷ '))];
  table(
    print,
    pairHead,
    shownCases.map((one) => [one.name, ...against(one, 'perSecond')]),
  );
  if (process.platform === 'linux') {
    print('Processor time of a step, ms: workers, servers and database together, median');
    print();
    byCase(shownCases, (name, one) => fixed(median(of(name, one, 'cpuMs')), 2));
  }
  print('Bytes a step: stored (tables and indexes, with what updates left behind) / log written');
  print();
  const measured = shownCases.filter(({ hasBytes }) => hasBytes);
  byCase(measured, (name, one) => {
    const stored = of(name, one, 'stored');
    const log = fixed(median(of(name, one, 'log')), 0);
    return `${stored.includes(null) ? '-' : fixed(median(stored), 0)} / ${log}`;
  });
}

async function takeover(around) {
  const names = Object.keys(takeovers).filter(isMeasured);
  const runs = values.short ? 3 : 6;
  const results = await inRounds(names, (name) => takeovers[name]({ ...around, runs }));
  const all = (name, what) => results.get(name).flatMap((one) => one[what] ?? []);
  const sum = (name, what) => all(name, what).reduce((a, b) => a + b, 0);
  print(`Killed with -9 inside steps whose effects are made and not recorded; lease ${leaseMs} ms`);
  print();
  table(
    print,
    [
      'system',
      'from the kill to the work taken up, median ms',
      'most',
      'from the last beat, most',
      'steps',
      'effects doubled',
      'told as unknown',
    ],
    names.map((name) => [
      name,
      fixed(median(all(name, 'ms')), 0),
      fixed(Math.max(...all(name, 'ms')), 0),
      all(name, 'sinceBeatMs').length === 0 ? '-' : fixed(Math.max(...all(name, 'sinceBeatMs')), 0),
      sum(name, 'runs'),
      sum(name, 'doubled'),
      sum(name, 'unknown'),
    ]),
  );
  print('A second process of the same worker starts while the first is inside its steps');
  print();
  const rows = [];
  for (const name of Object.keys(twins).filter(isMeasured)) {
    look();
    say(`second process: ${name}`);
    rows.push([name, runs, await twins[name]({ ...around, runs })]);
  }
  table(print, ['system', 'steps', 'effects doubled'], rows);
}

const heads = [
  'A step is a text that is on the disk before the next step of its run begins. What each does for',
  'it: **DBOS** inserts it as a row (`runStep`). **Restate** appends it to its replicated log',
  '(`ctx.run`) and answers over HTTP/2. **pawl** checks the grant of the lease, appends an event to',
  "the run's hash chain, writes the run's whole state and a reference to the result, in one commit",
  '(`checkpoint`). The text has 71 bytes, the length of a digest, which is what a checkpoint holds;',
  'with *1 KB* pawl puts the result as an artifact first, a synced file. *pawl* is the engine in the',
  "worker's process on PostgreSQL, as DBOS is; *pawl over HTTP* is a worker without a database that",
  'speaks with one server process, as with Restate. A worker is a process. Settings are as shipped;',
  'PostgreSQL has fsync and synchronous commit.',
  '',
  'Killed: *effects reserved* is a checkpoint before the effect; who takes over sees it in the',
  "record, and says that nobody knows instead of doing it again. *Lane run again* is a lane's step",
  'without that: like the others it repeats what was not recorded. Pawl is taken over by another',
  'worker that waits; DBOS and Restate go on when the same worker was started again, here at once.',
];

function conditions(version) {
  const gib = (totalmem() / 2 ** 30).toFixed(0);
  const [least, most] = [Math.min(...loads), Math.max(...loads)].map((one) => one.toFixed(1));
  print(
    `Measured ${new Date().toISOString().slice(0, 16)}Z: ${cpus().length} cores, ${gib} GiB, ` +
      `node ${process.version}, PostgreSQL ${version}; load average ${least} to ${most} at the time ` +
      '(the bench itself makes some).',
  );
  print();
}

// Whatever is open is ended as the process leaves.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130));

await buildPawl();
await closing(async (keep) => {
  const databases = keep(await openDatabases());
  look();
  if (!values.scale) {
    const witness = keep(await openWitness());
    const around = { databases, witness: witness.url, count: witness.count };
    for (const line of heads) print(line);
    print();
    if (!hasRestate) print('Restate has no program for this machine: it is left out.\n');
    await latency(around);
    await steps(around);
    await takeover(around);
  }
  if (values.scale || values.markdown) {
    await scale({ databases, print, say, look, isShort: values.short });
  }
  look();
  conditions(databases.version);
});
