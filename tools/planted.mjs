/**
 * Plants one fault after the other (`test/tidy/mutants`) in a copy of the tree, and runs the tests
 * that must catch it. Prints fault × caught by × yes or NO × seconds; exits 1 when one survives,
 * when its tests are red without it, or when they never ended.
 *
 *   npm run test:planted                                all of them, two at a time
 *   npm run test:planted -- --only dedup-key --jobs 1   one
 */
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { copyTree, plant } from './planted/copy.mjs';
import { judgeClean, judgeFault } from './planted/judge.mjs';
import { optionsFrom } from './planted/options.mjs';
import { endAll, runTests } from './planted/run-tests.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
/** Of one run; far more than the longest of them takes. */
const boundMs = 180_000;
/** Of all files of a lane together, without a fault. */
const cleanBoundMs = 600_000;
const say = (line) => process.stdout.write(`${line}\n`);

// As vitest names it: without links.
const place = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-planted-')));
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.once(signal, () => {
    endAll();
    rmSync(place, { recursive: true, force: true });
    process.exit(130);
  });
}
try {
  const options = optionsFrom(process.argv.slice(2), await listed());
  if ('problem' in options) {
    process.stderr.write(`${options.problem}\n`);
    process.exitCode = 2;
  } else {
    process.exitCode = await tryAll(options);
  }
} finally {
  rmSync(place, { recursive: true, force: true });
}

async function listed() {
  const outfile = join(place, 'mutants.mjs');
  await build({
    entryPoints: [join(root, 'test/tidy/mutants/mutants.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'warning',
  });
  return (await import(pathToFileURL(outfile).href)).mutants;
}

async function tryAll({ chosen, jobs }) {
  const beganMs = performance.now();
  const copies = Array.from({ length: Math.min(jobs, chosen.length) }, (_, n) => copied(n));
  const red = await cleanly(copies, chosen);
  const widest = Math.max(...chosen.map(({ id }) => id.length));
  let caught = 0;
  await shared(copies, chosen, async (directory, mutant) => {
    const fromMs = performance.now();
    const { isCaught, by } = await tried(directory, mutant, red);
    if (isCaught) caught += 1;
    const verdict = isCaught ? 'yes' : 'NO ';
    const { project, files } = mutant.caughtBy;
    const lane = `${project} ${files.join(' ')}`;
    say(
      `${mutant.id.padEnd(widest)}  ${verdict}  ${seconds(fromMs).padStart(4)} s  ${lane}: ${by}`,
    );
  });
  say(`${caught} of ${chosen.length} planted faults caught, ${seconds(beganMs)} s`);
  return caught === chosen.length ? 0 : 1;
}

function copied(n) {
  const directory = join(place, `copy-${n}`);
  mkdirSync(directory);
  copyTree(root, directory);
  return directory;
}

/**
 * What is red without any fault, by lane, file and title: what its tests would see is not the
 * fault. Files of a lane are run together, those of which a title is meant by themselves.
 */
async function cleanly(copies, chosen) {
  const runs = new Map();
  for (const { caughtBy } of chosen) {
    const { project, files, title } = caughtBy;
    const key = title === undefined ? project : keysOf(caughtBy).join();
    const before = runs.get(key)?.files ?? [];
    runs.set(key, { project, title, files: [...new Set([...before, ...files])] });
  }
  const red = new Map();
  await shared(copies, [...runs.values()], async (directory, tests) => {
    const { report, hung, output } = await runTests(directory, tests, cleanBoundMs);
    if (report === null) say(output);
    for (const file of tests.files) {
      const trouble = hung
        ? `not over after ${cleanBoundMs / 1000} s without a fault`
        : judgeClean(ofFile(report, join(directory, file)));
      if (trouble === null) continue;
      red.set(keysOf({ ...tests, files: [file] })[0], trouble);
      say(`RED without a fault: ${tests.project} ${file}: ${trouble}`);
    }
  });
  return red;
}

function keysOf({ project, files, title = '' }) {
  return files.map((file) => [project, file, title].join(' '));
}

function ofFile(report, path) {
  const testResults = (report?.testResults ?? []).filter(({ name }) => name === path);
  return report === null ? null : { ...report, testResults };
}

async function tried(directory, mutant, red) {
  const trouble = keysOf(mutant.caughtBy)
    .map((key) => red.get(key))
    .find((one) => one !== undefined);
  if (trouble !== undefined) return { isCaught: false, by: `RED ${trouble}` };
  const takeBack = plant(directory, mutant);
  try {
    const { report, hung } = await runTests(directory, mutant.caughtBy, boundMs);
    if (hung) return { isCaught: false, by: `not over after ${boundMs / 1000} s` };
    const { how, by } = judgeFault(report, mutant.caughtBy.says);
    return { isCaught: how === 'caught', by: how === 'caught' ? by : `${how} ${by}` };
  } finally {
    takeBack();
  }
}

/** Each copy takes the next one when it is done with the last. */
async function shared(copies, all, act) {
  const left = [...all];
  await Promise.all(
    copies.map(async (directory) => {
      for (let one = left.shift(); one !== undefined; one = left.shift()) {
        await act(directory, one);
      }
    }),
  );
}

function seconds(fromMs) {
  return ((performance.now() - fromMs) / 1000).toFixed(0);
}
