import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';

const programs = ['pawl', 'driver', 'lane-host', 'check-host'];

/** The four programs with fault points, which the shipped ones lack; answers with the binary. */
export async function buildWithFaults(): Promise<{
  readonly program: string;
  readonly remove: () => void;
}> {
  const directory = mkdtempSync(join(tmpdir(), 'pawl-crash-programs-'));
  const out = join(directory, 'programs');
  mkdirSync(out);
  symlinkSync(resolve('node_modules'), join(directory, 'node_modules'), 'dir');
  await build({
    entryPoints: Object.fromEntries(
      programs.map((name) => [name, resolve(`test/crash/programs/${name}.ts`)]),
    ),
    outdir: out,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    packages: 'external',
    logLevel: 'silent',
  });
  return {
    program: join(out, 'pawl.js'),
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}
