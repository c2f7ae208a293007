/**
 * Writes docs/state-machines.md by asking the deciders. `--check` writes nothing and fails when the
 * file is stale. Plain Node: the sources are bundled in memory by esbuild.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const target = fileURLToPath(new URL('../docs/state-machines.md', import.meta.url));

const { outputFiles } = await build({
  absWorkingDir: root,
  entryPoints: ['test/support/state-tables.ts'],
  bundle: true,
  format: 'esm',
  platform: 'neutral',
  write: false,
  logLevel: 'silent',
});
const source = Buffer.from(outputFiles[0].contents).toString('base64');
const { stateMachines } = await import(`data:text/javascript;base64,${source}`);
const text = stateMachines();

if (process.argv.includes('--check')) {
  const present = readOrNull(target);
  if (present !== text) {
    process.stderr.write(
      'docs/state-machines.md is stale; write it anew: node tools/state-tables.mjs\n',
    );
    process.exitCode = 1;
  }
} else writeFileSync(target, text);

function readOrNull(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return null;
    throw error;
  }
}
