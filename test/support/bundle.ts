import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';

/**
 * One TypeScript file and what it imports as a program that plain Node can run, for tests that need
 * real processes. Packages stay outside and are found by a link to the checkout's own.
 */
export async function bundleProgram(
  entry: string,
): Promise<{ readonly file: string; readonly remove: () => void }> {
  const directory = mkdtempSync(join(tmpdir(), 'pawl-program-'));
  symlinkSync(resolve('node_modules'), join(directory, 'node_modules'), 'dir');
  const file = join(directory, 'program.mjs');
  await build({
    entryPoints: [entry],
    outfile: file,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    packages: 'external',
    sourcemap: 'inline',
    logLevel: 'silent',
  });
  return { file, remove: () => rmSync(directory, { recursive: true, force: true }) };
}
