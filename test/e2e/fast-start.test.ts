/**
 * Goal: what is typed most loads what its page needs and no more. Loaded files and built-ins are
 * counted, not milliseconds; those are told by `npm run bench:cli`.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { binary, type Pawl, pawl } from '../support/pawl.ts';

interface Loaded {
  /** Files that are no part of Node, from the folder above `dist`. */
  readonly files: readonly string[];
  /** Node's own modules, internal ones too, that a bare start does not load. */
  readonly builtins: readonly string[];
  /** Of each script that was run by hand: whether V8 took the code that was made of it. */
  readonly rejected: readonly (boolean | null)[];
}

let it: Pawl;
beforeEach(() => {
  it = pawl();
});
afterEach(() => it.close());

/** Required before the program, by the option of Node: tells at the end what was loaded since. */
const probe = `
const vm = require('node:vm');
const { writeFileSync } = require('node:fs');
const before = new Set(process.moduleLoadList);
const rejected = [];
const Script = vm.Script;
vm.Script = class extends Script {
  constructor(...given) {
    super(...given);
    rejected.push(this.cachedDataRejected ?? null);
  }
};
process.on('exit', () => {
  const files = Object.keys(require.cache).filter((path) => path !== __filename);
  const builtins = process.moduleLoadList.filter((name) => !before.has(name));
  writeFileSync(process.env.PROBE, JSON.stringify({ files, builtins, rejected }));
});
`;

async function loadedBy(args: readonly string[]): Promise<Loaded> {
  const script = join(it.root, 'probe.cjs');
  const told = join(it.root, 'loaded.json');
  writeFileSync(script, probe);
  const env = { NODE_OPTIONS: `--require ${script}`, PROBE: told };
  expect(await it.run(args, { env })).toMatchObject({ exit: 0, stderr: '' });
  const { files, ...rest } = JSON.parse(readFileSync(told, 'utf8')) as Loaded;
  return { ...rest, files: files.map((path) => relative(dirname(dirname(binary)), path)) };
}

/** Loaded by the module loader, by waiting, by standard error: none of which a page needs. */
const needless = /fs\/promises|esm|child_process|crypto|http|perf_hooks|readline|worker|zlib/;

test('pawl status loads its script and the binary of SQLite, and compiles neither', async () => {
  // The first start makes the store.
  await it.run(['status']);
  const { files, builtins, rejected } = await loadedBy(['status']);
  expect(rejected).toEqual([false]);
  const [program, ...others] = files;
  expect(program).toBe('dist/pawl.cjs');
  // Node 22 has SQLite in itself.
  expect(others.filter((path) => !/sqlite[^/]*[.]node$/.test(path))).toEqual([]);
  expect(builtins.filter((name) => needless.test(name))).toEqual([]);
});

test.each([[['--help']], [[]]])('pawl %s loads the same script, and no store', async (args) => {
  const { files, builtins, rejected } = await loadedBy(args);
  expect(files).toEqual(['dist/pawl.cjs']);
  expect(rejected).toEqual([false]);
  expect(builtins.filter((name) => needless.test(name))).toEqual([]);
});

test('pawl --version loads the program alone, and says the version of the package', async () => {
  const { files, builtins, rejected } = await loadedBy(['--version']);
  expect(files).toEqual(['dist/pawl.cjs']);
  expect(rejected).toEqual([]);
  expect(builtins.filter((name) => /stream|net|tty/.test(name) || needless.test(name))).toEqual([]);
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  expect(await it.run(['--version'])).toMatchObject({ exit: 0, stdout: `${version}\n` });
});
