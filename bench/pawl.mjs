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
export { openPostgresStore } from './src/store/postgres/postgres-store.ts';
export { diskArtifacts } from './src/store/artifacts/disk-artifacts.ts';
export { nodeClock } from './src/host/clock.ts';
export { nodeIds } from './src/host/ids.ts';
export { engine } from './src/engine/engine.ts';
export { engineClient } from './src/engine/client.ts';
export { driver } from './src/engine/driver.ts';
export { localPlane } from './src/engine/local-plane.ts';
export { planeWorkers } from './src/engine/plane-workers.ts';
export { httpServer } from './src/http/server.ts';
export { eventTail } from './src/http/plane/event-tail.ts';
export { refusalLog } from './src/http/plane/evidence.ts';
export { planeRoutes } from './src/http/plane/routes.ts';
export { planeTokens } from './src/http/plane/tokens.ts';
export { codeDigest } from './src/http/plane/worker-handlers.ts';
export { sealAttestor } from './src/verify/seal-attestor.ts';
export { sealJudge } from './src/verify/seal-statement.ts';
export { signerOf } from './src/verify/signer.ts';
export { httpPlane } from './src/worker/http-plane.ts';
export { planeCaller } from './src/worker/plane-call.ts';
export { enrol, newWorkerKey, workerKeyOf, workerSession } from './src/worker/session.ts';
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
