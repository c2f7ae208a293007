/** Bundles test/sim/replay.ts and runs it: `npm run sim -- --seed N [--seeds N] [--trace]`. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const directory = mkdtempSync(join(tmpdir(), 'pawl-sim-'));
const outfile = join(directory, 'replay.mjs');
try {
  await build({
    entryPoints: ['test/sim/replay.ts'],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'warning',
  });
  await import(pathToFileURL(outfile).href);
} finally {
  rmSync(directory, { recursive: true, force: true });
}
