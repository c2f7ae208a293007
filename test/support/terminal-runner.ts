/** The program that runs a lane's program in a terminal, built for a test. */
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';

export async function builtRunner(): Promise<{ readonly program: string; remove(): void }> {
  const directory = mkdtempSync(join(tmpdir(), 'pawl-terminal-'));
  symlinkSync(resolve('node_modules'), join(directory, 'node_modules'), 'dir');
  const program = join(directory, 'terminal-runner.mjs');
  await build({
    entryPoints: [resolve('src/main/terminal-runner.ts')],
    outfile: program,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    packages: 'external',
    logLevel: 'silent',
  });
  return { program, remove: () => rmSync(directory, { recursive: true, force: true }) };
}
