/**
 * bench:verify — what a second check of an unchanged environment adds to the check itself.
 *
 * Method: a repository whose setup makes many files; the same check by itself and through the
 * verifier, interleaved in one run. The first verification (setup, digests, links) is shown apart.
 * Aim: at most 1 s added at 30,000 files on a quiet machine.
 *
 *   node bench/verify.mjs [--files 30000] [--rounds 7] [--json]
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const { values } = parseArgs({
  options: {
    files: { type: 'string', default: '30000' },
    rounds: { type: 'string', default: '7' },
    json: { type: 'boolean', default: false },
  },
});
const files = positive('files');
const rounds = positive('rounds');

const { verifier, definitionWith, check } = await verifierModule();
const v = verifier();
try {
  report(await measure());
} finally {
  v.remove();
}

async function measure() {
  const folders = Math.ceil(files / 30);
  const setup = `#!/bin/sh
exec node -e '
const { mkdirSync, writeFileSync } = require("node:fs");
for (let d = 0, n = 0; d < ${folders}; d += 1) {
  mkdirSync("node_modules/p" + d, { recursive: true });
  for (let f = 0; f < 30 && n < ${files}; f += 1, n += 1)
    writeFileSync("node_modules/p" + d + "/f" + f + ".js", "module.exports = " + n + ";\\n".repeat(40));
}'
`;
  const base = v.commit({ '.gitignore': 'node_modules\n', 'setup.sh': setup, a: '0' });
  const command = 'node -e "process.exit(0)"';
  const definition = definitionWith(v.root, base, {
    criteria: [check(command)],
    workspace: {
      setup: { command: './setup.sh', timeoutMs: 600_000 },
      copy: [],
      submodules: 'auto',
    },
  });
  const first = await timed(() => verify(definition, v.commit({ a: '1' })));
  const alone = [];
  const through = [];
  const checkItself = [];
  for (let round = 0; round < rounds; round += 1) {
    const commit = v.commit({ a: `round ${round}` });
    alone.push(await timed(() => execFileSync('/bin/sh', ['-c', command], { cwd: v.root })));
    through.push(
      await timed(async () => {
        const verdict = await verify(definition, commit);
        checkItself.push(verdict.criteria[0].durationMs);
      }),
    );
  }
  const added = through.map((ms, at) => ms - checkItself[at]);
  return { files, rounds, firstMs: first, alone, checkItself, through, added };
}

async function verify(definition, commit) {
  const verdict = await v.checks.verify(v.request(definition, commit));
  if (verdict.outcome !== 'passed') throw new Error(`${verdict.outcome}: ${verdict.summary}`);
  const { environment } = await v.predicate(verdict.receipt);
  if (environment.rebuilt.length > 0) throw new Error('the environment was made again');
  return verdict;
}

async function timed(work) {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

function report(found) {
  const line = (name, list) => ({ what: name, median: median(list), worst: Math.max(...list) });
  const lines = [
    line('the command by itself', found.alone),
    line('the check in its tree', found.checkItself),
    line('a whole verification', found.through),
    line('added by the verifier', found.added),
  ];
  if (values.json) {
    process.stdout.write(`${JSON.stringify({ ...found, lines })}\n`);
    return;
  }
  const ms = (n) => `${n.toFixed(0).padStart(7)} ms`;
  process.stdout.write(`${found.files} files, ${found.rounds} rounds\n`);
  process.stdout.write(`first verification (setup and links)  ${ms(found.firstMs)}\n`);
  for (const { what, median: middle, worst } of lines) {
    process.stdout.write(`${what.padEnd(24)} median ${ms(middle)}  worst ${ms(worst)}\n`);
  }
}

function median(list) {
  const sorted = [...list].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

function positive(name) {
  const number = Number(values[name]);
  if (Number.isInteger(number) && number > 0) return number;
  process.stderr.write(`--${name} takes a whole number above 0, not "${values[name]}"\n`);
  process.exit(2);
}

/** The composition that the tests use, bundled: Node 20 cannot import TypeScript. */
async function verifierModule() {
  const folder = join(root, 'node_modules', '.cache', 'pawl-bench');
  mkdirSync(folder, { recursive: true });
  const outfile = join(folder, `verify-${process.pid}.mjs`);
  await build({
    absWorkingDir: root,
    entryPoints: ['test/support/verifier.ts'],
    bundle: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    outfile,
    logLevel: 'warning',
  });
  return import(pathToFileURL(outfile).href);
}
