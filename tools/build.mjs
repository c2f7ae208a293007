/**
 * Bundles `src` into `dist`: one file per process that is started on its own, code split, so that
 * a command loads only what it needs; and `status.cjs`, the one page that must be there at once,
 * with the code that this Node makes of it.
 * Does nothing when nothing has changed since the last build.
 *
 *   node tools/build.mjs            build what changed
 *   node tools/build.mjs --clean    empty `dist` first, and write declarations too (before packing)
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const out = join(root, 'dist');
const stamp = join(out, '.stamp.json');
const packageVersion = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version;
const isClean = process.argv.includes('--clean');

/** Name in `dist` → source. An entry whose source does not exist yet is left out. */
const entries = {
  pawl: 'src/main/pawl.ts',
  driver: 'src/main/driver.ts',
  'lane-host': 'src/main/lane-host.ts',
  'check-host': 'src/main/check-host.ts',
  'worker-host': 'src/main/worker-host.ts',
  'sync-probe': 'src/main/sync-probe.ts',
  'terminal-runner': 'src/main/terminal-runner.ts',
  index: 'src/main/index.ts',
  testing: 'src/testing/index.ts',
};
/** What users start; the others are started by name. */
const executables = ['pawl.js', 'pawl.cjs'];
/** Packages that stay packages: they find a prebuilt binary beside themselves. */
const external = ['@photostructure/sqlite', 'node:sqlite'];
/**
 * An `import()` of a bundled CommonJS package yields its default alone, so what `tsc` and Node
 * allow would break in the bundle: such a package is taken from its ESM build.
 */
const alias = { yaml: join(root, 'node_modules/yaml/browser/index.js') };
/** Old chunks are kept this long: a driver that lives through a rebuild still finds its own. */
const staleMs = 24 * 60 * 60 * 1000;

function digestOfInputs() {
  const hash = createHash('sha256').update(process.platform);
  const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((path) => !/[.](test|suite)[.]ts$/.test(path))
    .sort();
  for (const path of [
    ...sources.map((source) => join('src', source)),
    'package-lock.json',
    'package.json',
  ]) {
    const stat = statSync(join(root, path), { throwIfNoEntry: false });
    if (stat?.isFile()) hash.update(`${path}\0${stat.size}\0${stat.mtimeMs}\n`);
  }
  return hash.update(readFileSync(fileURLToPath(import.meta.url))).digest('hex');
}

function isUpToDate(digest) {
  if (!existsSync(stamp)) return false;
  const last = JSON.parse(readFileSync(stamp, 'utf8'));
  return last.digest === digest && last.files.every((file) => existsSync(join(out, file)));
}

const common = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: 'node20',
  external,
  alias,
  legalComments: 'none',
  sourcemap: false,
  define: { PAWL_VERSION: JSON.stringify(packageVersion) },
  mainFields: ['module', 'main'],
  write: false,
  logLevel: 'warning',
};

async function bundle() {
  const present = Object.entries(entries).filter(([, source]) => existsSync(join(root, source)));
  const result = await build({
    ...common,
    entryPoints: Object.fromEntries(present),
    outdir: out,
    splitting: true,
    format: 'esm',
    chunkNames: 'chunks/[name]-[hash]',
    minifySyntax: true,
  });
  const programs = result.outputFiles.map((file) => ({
    path: file.path.slice(out.length + 1),
    text: withPrologue(file.path.slice(out.length + 1), file.text),
  }));
  return [
    ...programs,
    await atOnce('pawl.cjs', 'src/main/binary.ts'),
    await atOnce('status.cjs', 'src/main/status.ts'),
    await atOnce('workspace.cjs', 'src/git/workspace.ts'),
  ];
}

/** What the page of `pawl status` may load while it runs; the other commands are left out of it. */
const statusMayLoad = new Set([
  './status.ts',
  './connect.ts',
  '../host/store-trouble.ts',
  // Which agents are there, for the options of a parked run (src/main/agents-here.ts).
  '../detect/agents.ts',
  './programs.ts',
]);
/** What it never loads, beside the commands. */
const statusNeverLoads = new Set([
  ...['../detect/detection.ts', '../git/first-commit.ts', '../git/make-repository.ts'],
  ...[
    '../store/postgres/postgres-store.ts',
    './check-receipt.ts',
    './driver-unit.ts',
    './operator.ts',
  ],
  ...['./health.ts', './probe/agent-probe.ts', './project-files.ts', './runtime.ts'],
  ...['./serve-program.ts', './server-client.ts', './spool-reader.ts', './store-admin.ts'],
  ...['./try-baseline.ts', './worker-program.ts', './worker-registry.ts'],
]);
/** Each is a file of its own, loaded when it is asked for. */
const ownFiles = new Map([
  ['dynamic-import ./pawl.ts', './pawl.js'],
  ['dynamic-import ../git/workspace.ts', './workspace.cjs'],
]);

/**
 * One CommonJS file: Node loads it in one step, where a module costs a turn of its loader for each
 * of some fifty files. Measured by `npm run bench:cli`.
 */
async function atOnce(name, entry) {
  const result = await build({
    ...common,
    entryPoints: [entry],
    outfile: join(out, name),
    format: 'cjs',
    define: { ...common.define, 'import.meta.url': '__filename' },
    minify: true,
    supported: { 'dynamic-import': name === 'pawl.cjs' },
    plugins: [{ name: 'status-only', setup: leaveOutOtherCommands }],
  });
  const { text } = result.outputFiles[0];
  if (name === 'pawl.cjs') return { path: name, text: `#!/usr/bin/env node\n${text}` };
  const lazy = lazyBuiltins + withLazyBuiltins(text);
  return { path: name, text: name === 'status.cjs' ? startedBy(lazy) : lazy };
}

/** `status.cjs` is a function that `src/main/precompiled.ts` calls. */
const startedBy = (text) => `(function (require, __filename) {${text}})`;

function leaveOutOtherCommands({ onResolve, onLoad }) {
  onResolve({ filter: /^[.]/ }, ({ importer, kind, path }) => {
    const own = ownFiles.get(`${kind} ${path}`);
    if (own !== undefined) return { path: own, external: true };
    if (kind !== 'dynamic-import' || statusMayLoad.has(path)) return undefined;
    const isKnown = importer.endsWith('/src/cli/commands.ts') || statusNeverLoads.has(path);
    if (isKnown) return { path, namespace: 'left-out' };
    const text = `tools/build.mjs has to say whether the status page loads ${path}`;
    return { errors: [{ text }] };
  });
  onLoad({ filter: /.*/, namespace: 'left-out' }, ({ path }) => ({
    contents: `throw new Error(${JSON.stringify(`${path} is no part of the status page`)})`,
  }));
}

/** Node's own modules cost as well: each is loaded when one of its functions is first called. */
const lazyBuiltins = `"use strict";
const lazily = (name) => new Proxy({}, { get: (_, key) => require(name)[key] });
`;

function withLazyBuiltins(text) {
  return text.replace(/\brequire\("(node:[a-z_/]+)"\)/g, (whole, name) => {
    // What it would make is here, and it brings the loader of ES modules.
    if (name === 'node:module') return '{createRequire:()=>require}';
    return name === 'node:sqlite' ? whole : `lazily("${name}")`;
  });
}

/** Bundled CommonJS packages ask for Node's own modules by `require`, which ESM lacks. */
const requireShim =
  "import { createRequire as pawlRequire } from 'node:module';\nconst require = pawlRequire(import.meta.url);\n";

function withPrologue(path, text) {
  const body = text.startsWith('#!') ? text.slice(text.indexOf('\n') + 1) : text;
  const shim = body.includes('Dynamic require of') ? requireShim : '';
  const isExecutable = executables.includes(path);
  return `${isExecutable ? '#!/usr/bin/env node\n' : ''}${shim}${body}`;
}

/** Each file is renamed into place, so that a process that starts meanwhile reads a whole one. */
function write(files) {
  for (const { path, text } of files) {
    const target = join(out, path);
    mkdirSync(dirname(target), { recursive: true });
    const temporary = `${target}.${process.pid}.tmp`;
    writeFileSync(temporary, text);
    if (executables.includes(path)) chmodSync(temporary, 0o755);
    renameSync(temporary, target);
  }
}

/**
 * `status.<Node>.code`, if this Node has not made it yet: what V8 compiles while the page of an
 * empty store is shown. It holds for one version of Node, so it is no part of the package.
 */
function precompile() {
  const name = `status.${process.version}-${process.platform}-${process.arch}.code`;
  if (existsSync(join(out, name))) return;
  const home = mkdtempSync(join(tmpdir(), 'pawl-build-'));
  // V8 takes code only under the flags that it was made under.
  const env = { ...process.env, PAWL_HOME: home, NODE_OPTIONS: '' };
  const options = { env, stdio: ['ignore', 'ignore', 'pipe'] };
  const code = join(home, name);
  try {
    // First a store is made, which later starts do not do.
    execFileSync(process.execPath, [join(out, 'pawl.cjs'), 'status'], options);
    const tool = join(root, 'tools/precompile.mjs');
    execFileSync(process.execPath, [tool, 'status', join(out, 'status.cjs'), code], options);
    write([{ path: name, text: readFileSync(code) }]);
  } catch (error) {
    process.stderr.write(`built without ${name}: ${error.message}\n`);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** Code of an earlier `status.cjs` is never run, but it would lie here for ever. */
function removeCode() {
  for (const name of existsSync(out) ? readdirSync(out) : []) {
    if (name.endsWith('.code')) rmSync(join(out, name), { force: true });
  }
}

function removeStaleChunks(kept) {
  const chunks = join(out, 'chunks');
  if (!existsSync(chunks)) return;
  for (const name of readdirSync(chunks)) {
    const path = join(chunks, name);
    const age = Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
    if (!kept.has(join('chunks', name)) && age > staleMs) rmSync(path, { force: true });
  }
}

if (isClean) rmSync(out, { recursive: true, force: true });
const digest = digestOfInputs();
if (!isUpToDate(digest)) {
  const files = await bundle();
  removeCode();
  write(files);
  removeStaleChunks(new Set(files.map((file) => file.path)));
  write([
    { path: '.stamp.json', text: JSON.stringify({ digest, files: files.map((f) => f.path) }) },
  ]);
}
precompile();
if (isClean) {
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const declarations = [
    '-p',
    'tsconfig.build.json',
    '--emitDeclarationOnly',
    '--outDir',
    'dist/types',
  ];
  execFileSync(process.execPath, [tsc, ...declarations], { cwd: root, stdio: 'inherit' });
}
