/**
 * Holds `src` and `test` to the table of layers in `.dependency-cruiser.mjs`.
 * A run over no modules, and a folder of `src` without a row, are errors too: a rule that looks at
 * nothing passes for ever.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { layers } from '../.dependency-cruiser.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const cruiser = join(root, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs');
const run = spawnSync(
  process.execPath,
  [cruiser, 'src', 'test', '--config', '.dependency-cruiser.mjs', '--output-type', 'json'],
  { cwd: root, encoding: 'utf8', maxBuffer: 256 * 1024 * 1024 },
);
if (run.stdout === '') {
  process.stderr.write(run.stderr);
  process.exit(1);
}
const { summary } = JSON.parse(run.stdout);
const problems = summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} → ${to}`);
for (const folder of readdirSync(join(root, 'src'), { withFileTypes: true })) {
  const isKnown = folder.isDirectory() && Object.hasOwn(layers, folder.name);
  if (!isKnown) problems.push(`src/${folder.name} has no row in the table of layers`);
}
if (summary.totalCruised === 0) problems.push('no modules were looked at');

for (const problem of problems) process.stderr.write(`error  ${problem}\n`);
process.stdout.write(
  `layers: ${summary.totalCruised} modules, ${summary.totalDependenciesCruised} dependencies, ${problems.length} problems\n`,
);
process.exit(problems.length === 0 ? 0 : 1);
