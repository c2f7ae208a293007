/**
 * `standard --fix` as an agent: fixes the first file that has errors and leaves the others, then
 * claims to be done. Run in a work tree whose dependencies are set up.
 */
import { spawnSync } from 'node:child_process';
import { join, relative } from 'node:path';

const standard = join('node_modules', '.bin', 'standard');
const lint = (...args) => spawnSync(standard, args, { encoding: 'utf8', maxBuffer: 1 << 26 });

const report = lint();
if (report.error !== undefined) throw report.error;
const files = report.stdout
  .split('\n')
  .filter((line) => /:\d+:\d+: /.test(line) && !line.includes('(warning)'))
  .map((line) => relative('.', line.trim().replace(/:\d+:\d+: .*$/, '')));
const [first] = [...new Set(files)].sort();
process.stdout.write(`files with errors: ${[...new Set(files)].sort().join(', ') || 'none'}\n`);
if (first !== undefined) lint('--fix', first);
process.stdout.write(
  `${first === undefined ? 'nothing to fix' : `fixed ${first}`}. done, standard passes\n`,
);
