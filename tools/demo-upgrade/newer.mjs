/**
 * A later release of this tree, built beside it: the format of its store is raised by one step, and
 * so are the version of the program and that of the adapter for commands, which tells its agents
 * (`PAWL_ADAPTER`). It is changed while it is bundled: nothing of it is in this tree, nor shipped.
 */
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const tree = fileURLToPath(new URL('../..', import.meta.url));
const programs = ['pawl', 'driver', 'lane-host', 'check-host', 'terminal-runner'];
const laterVersion = '99.0.0';
const laterAdapter = '2';

const list = /(migrations: readonly [^=]+= \[)([^;]*?),?\s*\];/;
const withStep = (_, head, steps) =>
  `${head}${steps}, { name: '9999-later', sql: 'alter table runs add column later text;' }];`;
const format = /storeFormat = (\d+)/;
const changes = {
  'src/store/chain.ts': [[format, (_, now) => `storeFormat = ${Number(now) + 1}`]],
  'src/store/postgres/migrate.ts': [[list, withStep]],
  'src/store/sqlite/migrate.ts': [[list, withStep]],
  'src/agents/command/adapter.ts': [
    [/version: '1'/, () => `version: '${laterAdapter}'`],
    [
      /env: (turnEnvironment\(setting\))/,
      (_, env) => `env: { ...${env}, PAWL_ADAPTER: '${laterAdapter}' }`,
    ],
  ],
};

/** @throws when a place that is to be changed is not found: the tree has moved on. */
export async function buildLater(folder) {
  const out = join(folder, 'programs');
  mkdirSync(out, { recursive: true });
  symlinkSync(join(tree, 'node_modules'), join(folder, 'node_modules'), 'dir');
  const entries = programs.map((name) => [name, join(tree, `src/main/${name}.ts`)]);
  const changed = new Set();
  await build({
    entryPoints: Object.fromEntries(entries),
    outdir: out,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    packages: 'external',
    define: { PAWL_VERSION: JSON.stringify(laterVersion) },
    plugins: [{ name: 'later', setup: ({ onLoad }) => onLoad({ filter }, loading(changed)) }],
    logLevel: 'error',
  });
  const missing = Object.keys(changes).filter((name) => !changed.has(name));
  if (missing.length > 0) throw new Error(`no part of the programs: ${missing.join(', ')}`);
  const now = Number(format.exec(readFileSync(join(tree, 'src/store/chain.ts'), 'utf8'))[1]);
  return { program: join(out, 'pawl.js'), formats: { now, later: now + 1 } };
}

const filter = /[/\\](chain|migrate|adapter)\.ts$/;

const loading = (changed) => (file) => {
  const name = Object.keys(changes).find((one) => file.path === join(tree, one));
  if (name === undefined) return undefined;
  changed.add(name);
  let contents = readFileSync(file.path, 'utf8');
  for (const [pattern, made] of changes[name]) {
    if (!pattern.test(contents)) throw new Error(`${name} has no ${pattern}`);
    contents = contents.replace(pattern, made);
  }
  return { contents, loader: 'ts' };
};
