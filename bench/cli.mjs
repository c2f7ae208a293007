/**
 * bench:cli — what starting the command line costs: `pawl status` beside the bare start of Node.
 *
 * Method: both are started in turn, round by round, since figures of different moments of a shared
 * machine do not compare; medians. NODE_EXTRA_CA_CERTS is unset: it slows every start of Node
 * alike. Aim: at most 2.2 times the bare start.
 *
 *   node bench/cli.mjs [--rounds 40] [--json]
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '40' }, json: { type: 'boolean', default: false } },
});
const rounds = Number(values.rounds);
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const home = mkdtempSync(join(tmpdir(), 'pawl-bench-cli-'));
const { NODE_EXTRA_CA_CERTS: _, ...inherited } = process.env;
const env = { ...inherited, PAWL_HOME: home };

const commands = {
  'node -e 0': ['-e', '0'],
  'pawl status': [join(root, 'dist/pawl.cjs'), 'status'],
  'pawl --help': [join(root, 'dist/pawl.cjs'), '--help'],
  'pawl --version': [join(root, 'dist/pawl.cjs'), '--version'],
};

function spanOf(args) {
  const begun = performance.now();
  const run = spawnSync(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
  if (run.status !== 0) throw new Error(`${args.join(' ')}: ${run.stderr}`);
  return performance.now() - begun;
}

const median = (spans) => spans.toSorted((a, b) => a - b)[Math.floor(spans.length / 2)];
const spans = Object.fromEntries(Object.keys(commands).map((name) => [name, []]));
try {
  for (const args of Object.values(commands)) spanOf(args);
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, args] of Object.entries(commands)) spans[name].push(spanOf(args));
  }
} finally {
  rmSync(home, { recursive: true, force: true });
}

const bare = median(spans['node -e 0']);
const rows = Object.entries(spans).map(([name, all]) => ({
  name,
  medianMs: Number(median(all).toFixed(1)),
  ratio: Number((median(all) / bare).toFixed(2)),
}));
if (values.json) process.stdout.write(`${JSON.stringify({ rounds, rows })}\n`);
else {
  for (const { name, medianMs, ratio } of rows) {
    process.stdout.write(`${name.padEnd(16)} ${String(medianMs).padStart(7)} ms   ${ratio} ×\n`);
  }
}
