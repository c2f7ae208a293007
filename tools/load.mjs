import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Imports a TypeScript module of this repository; Node 20 cannot by itself. */
export async function load(path) {
  const directory = mkdtempSync(join(tmpdir(), 'pawl-load-'));
  const outfile = join(directory, 'module.mjs');
  try {
    await build({
      absWorkingDir: root,
      entryPoints: [path],
      outfile,
      bundle: true,
      format: 'esm',
      platform: 'node',
      // Bundled CommonJS packages ask for Node's own modules by `require`, which ESM lacks.
      banner: {
        js: "import { createRequire } from 'node:module'; const require = createRequire('file:///');",
      },
      logLevel: 'warning',
    });
    return await import(pathToFileURL(outfile).href);
  } finally {
    rmSync(directory, { recursive: true });
  }
}
