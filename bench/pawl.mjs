/** pawl's own sources as they lie here, bundled for plain Node; nothing of them is copied. */
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
/** Inside the checkout, so that the bundle finds the same packages as pawl does. */
const bundle = join(root, 'node_modules', '.cache', 'pawl-bench', 'pawl.mjs');

const entry = `
export { sqliteStore } from './src/store/sqlite/sqlite-store.ts';
export { sqliteBinding } from './src/store/sqlite/binding.ts';
export { openConnection } from './src/store/sqlite/connection.ts';
export { composeDecide } from './src/engine/compose.ts';
export { foldEvolve } from './src/engine/fold.ts';
`;

export async function buildPawl() {
  const { build } = await import('esbuild');
  mkdirSync(dirname(bundle), { recursive: true });
  await build({
    stdin: { contents: entry, resolveDir: root, loader: 'ts' },
    outfile: bundle,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    packages: 'external',
    logLevel: 'error',
  });
}

/** What {@link buildPawl} has built. */
export const loadPawl = () => import(pathToFileURL(bundle).href);
