/**
 * What a durable step costs: `npm run bench:step`. Everything is measured in one run, system after
 * system within each round, since figures of different moments of a shared machine do not compare.
 *
 *   --rounds <n>   rounds of the sequential part (5)
 *   --quick        fewer steps; for trying the bench itself
 *   --json         the raw figures on one line, after the tables
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { buildPawl } from './pawl.mjs';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    quick: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
});
const here = dirname(fileURLToPath(import.meta.url));
const rounds = values.quick ? 1 : Number(values.rounds);
const long = values.quick ? 400 : 2000;
const print = (line = '') => process.stdout.write(`${line}\n`);

const hasLangGraph = existsSync(join(here, 'node_modules', '@langchain', 'langgraph'));
const systems = ['insert', 'pawl', ...(hasLangGraph ? ['langgraph'] : [])];

/** A fresh process; null when the mode ends by its own death. */
function work(system, mode, directory, steps) {
  const worker = join(here, 'systems', 'worker.mjs');
  const args = ['--no-warnings', worker, system, mode, directory, `${steps}`];
  const ended = spawnSync(process.execPath, args, { encoding: 'utf8', maxBuffer: 2 ** 28 });
  if (ended.signal === 'SIGKILL' && mode === 'die') return null;
  if (ended.status !== 0) throw new Error(`${system} ${mode}: ${ended.stderr}`);
  return JSON.parse(ended.stdout);
}

function inFreshFolder(action) {
  const directory = mkdtempSync(join(tmpdir(), 'pawl-bench-'));
  try {
    return action(directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function quantile(spans, fraction) {
  const sorted = [...spans].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * fraction))];
}
const median = (spans) => quantile(spans, 0.5);
const forEachSystem = (action) => Object.fromEntries(systems.map((name) => [name, action(name)]));

function table(head, lines) {
  print(`| ${head.join(' | ')} |`);
  print(`|${head.map(() => ' --- ').join('|')}|`);
  for (const line of lines) print(`| ${line.join(' | ')} |`);
  print();
}

/** Interleaved: every system once, then the next round. */
function measure(mode, steps, times) {
  const results = forEachSystem(() => []);
  for (let round = 0; round < times; round += 1) {
    for (const system of systems) {
      results[system].push(inFreshFolder((folder) => work(system, mode, folder, steps)));
    }
  }
  return results;
}

function sequential() {
  const results = measure('sequential', 200, rounds);
  const pooled = forEachSystem((name) => results[name].flatMap(({ spans }) => spans));
  const limit = median(pooled.insert);
  print(`200 steps one after another, ${rounds} rounds pooled`);
  table(
    ['system', 'median ms', 'p99 ms', 'x limit', 'medians of the rounds', 'RSS MB'],
    systems.map((name) => [
      name,
      median(pooled[name]).toFixed(3),
      quantile(pooled[name], 0.99).toFixed(2),
      (median(pooled[name]) / limit).toFixed(2),
      results[name].map(({ spans }) => median(spans).toFixed(2)).join(' / '),
      Math.max(...results[name].map(({ rssMb }) => rssMb)).toFixed(0),
    ]),
  );
  return forEachSystem((name) => ({
    medianMs: median(pooled[name]),
    p99Ms: quantile(pooled[name], 0.99),
    ratio: median(pooled[name]) / limit,
  }));
}

function growth() {
  const few = measure('sizes', 200, 1);
  const many = measure('sizes', long, 1);
  const timed = measure('sequential', long, 1);
  const perStep = (result, steps, what) => result[0][what] / steps;
  print(`Bytes a step, and whether step ${long} costs more than the first ones`);
  table(
    [
      'system',
      'stored at 200',
      `stored at ${long}`,
      'log at 200',
      `log at ${long}`,
      'last 200 / first 200',
    ],
    systems.map((name) => {
      const { spans } = timed[name][0];
      return [
        name,
        perStep(few[name], 200, 'stored').toFixed(0),
        perStep(many[name], long, 'stored').toFixed(0),
        perStep(few[name], 200, 'log').toFixed(0),
        perStep(many[name], long, 'log').toFixed(0),
        (median(spans.slice(-200)) / median(spans.slice(0, 200))).toFixed(2),
      ];
    }),
  );
  return forEachSystem((name) => ({
    storedPerStep: [perStep(few[name], 200, 'stored'), perStep(many[name], long, 'stored')],
    logPerStep: [perStep(few[name], 200, 'log'), perStep(many[name], long, 'log')],
  }));
}

function together() {
  const results = measure('many', 50, Math.min(rounds, 3));
  const best = (name) => Math.max(...results[name].map(({ perSecond }) => perSecond));
  print('100 runs at once, 50 steps each, one process (best round)');
  table(
    ['system', 'steps/s', 'x limit', 'median ms between two steps of a run', 'p99 ms'],
    systems.map((name) => {
      const spans = results[name].flatMap((result) => result.spans);
      const figures = [best(name).toFixed(0), (best(name) / best('insert')).toFixed(2)];
      return [name, ...figures, median(spans).toFixed(1), quantile(spans, 0.99).toFixed(0)];
    }),
  );
  return forEachSystem((name) => ({ perSecond: results[name].map((one) => one.perSecond) }));
}

function reentry() {
  const lines = forEachSystem((name) =>
    inFreshFolder((folder) => {
      work(name, 'die', folder, long);
      return Array.from({ length: 3 }, () => work(name, 'reenter', folder, long));
    }),
  );
  print(
    `Killed inside step ${long + 1}; a new process opens the store and may take the step (first of 3)`,
  );
  table(
    ['system', 'first ms', 'median ms', 'import ms'],
    systems.map((name) => [
      name,
      lines[name][0].reenterMs.toFixed(1),
      median(lines[name].map(({ reenterMs }) => reenterMs)).toFixed(1),
      median(lines[name].map(({ importedMs }) => importedMs)).toFixed(0),
    ]),
  );
  return forEachSystem((name) => ({ reenterMs: lines[name].map((one) => one.reenterMs) }));
}

await buildPawl();
print(`node ${process.version}, ${new Date().toISOString()}`);
if (!hasLangGraph) print('LangGraph is not installed: npm --prefix bench ci');
print();
const figures = {
  sequential: sequential(),
  growth: growth(),
  together: together(),
  reentry: reentry(),
};
if (values.json) print(JSON.stringify(figures));
