/**
 * Goal: a gate verb's caller is known by every living ancestor, whatever stands between.
 * Method: the pure rule over written chains; then real chains, where the program that looks is
 * started through `script`, `setsid` and `env -i` below a process that carries a marker.
 */
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type Ancestor, judgeAncestors } from './ancestry.ts';
import { until } from './containment/waiting.ts';

/** Real processes on a busy machine: a bound, not an expectation. */
vi.setConfig({ testTimeout: 60_000 });

const ancestor = (name: string, environ: string | null = 'HOME=/x', more = {}): Ancestor => ({
  pid: 10,
  parent: 9,
  name,
  environ,
  ...more,
});
const shell = ancestor('bash');
const login = ancestor('sshd', null);
const first = ancestor('init', 'HOME=/', { pid: 1, parent: 0 });

test('a chain of readable ancestors up to a login program is clean', () => {
  expect(judgeAncestors('HOME=/x', [shell, login, first])).toEqual({
    ancestry: 'clean',
    foundName: null,
    foundVariable: null,
  });
});

test('the outermost process of a container is never given orphans, so its chain is clean', () => {
  const outer = ancestor('bash', 'HOME=/x', { pid: 40, parent: 0 });
  expect(judgeAncestors('', [shell, outer]).ancestry).toBe('clean');
});

test('a chain that ends at pid 1 cannot be told from an orphan', () => {
  expect(judgeAncestors('', [ancestor('tmux: server'), first]).ancestry).toBe('unknown');
  expect(judgeAncestors('', [first]).ancestry).toBe('unknown');
  expect(judgeAncestors('', null).ancestry).toBe('unknown');
});

test('an ancestor that may not be read leaves the rest unsaid', () => {
  expect(judgeAncestors('', [ancestor('ssh-agent', null), login]).ancestry).toBe('unknown');
});

test('a marker counts wherever it stands, in the process itself or far above', () => {
  const lane = ancestor('node', 'A=1\0PAWL_EXECUTION=abcd.3\0B=2');
  const found = { ancestry: 'lane', foundName: 'abcd.3', foundVariable: 'PAWL_EXECUTION' };
  expect(judgeAncestors('PAWL_EXECUTION=abcd.3', [shell, login])).toEqual(found);
  expect(judgeAncestors('', [shell, ancestor('script', ''), lane, login])).toEqual(found);
});

test.each([
  ['CLAUDECODE=1', 'claude'],
  ['CODEX_SANDBOX_NETWORK_DISABLED=1', 'codex'],
  ['GEMINI_CLI=1', 'gemini'],
  ['OPENCODE=1', 'opencode'],
])('%s tells of an agent', (entry, name) => {
  expect(judgeAncestors('', [ancestor('sh', entry), login])).toMatchObject({
    ancestry: 'agent',
    foundName: name,
  });
});

test.each(['CODEX_HOME=/x', 'OPENCODE_CONFIG=/x', 'CLAUDECODE=', 'PAWL_EXECUTION='])(
  '%s tells of none',
  (entry) => {
    expect(judgeAncestors(entry, [login]).ancestry).toBe('clean');
  },
);

const directory = mkdtempSync(join(tmpdir(), 'pawl-ancestry-'));
const program = join(directory, 'look.mjs');
beforeAll(async () => {
  const contents = `
    import { writeFileSync } from 'node:fs';
    import { ancestry } from './ancestry.ts';
    writeFileSync(process.argv[2], JSON.stringify(ancestry(process.env)));`;
  await build({
    stdin: { contents, resolveDir: import.meta.dirname, loader: 'ts' },
    outfile: program,
    bundle: true,
    platform: 'node',
    format: 'esm',
  });
}, 60_000);
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const node = process.execPath;
test.each([
  ['sh', '"$@"; true'],
  ['setsid', 'setsid -w "$@"; true'],
  ['env -i', 'env -i "$@"; true'],
  ['script', 'env -i script -qec "$*" /dev/null; true'],
  ['all of them', 'env -i setsid -w script -qec "env -i setsid -w $*" /dev/null; true'],
])('a living lane is found through %s', (name, line) => {
  const out = join(directory, `out-${name}`.replaceAll(' ', '-'));
  execFileSync('sh', ['-c', line, 'sh', node, program, out], {
    env: { PATH: process.env['PATH'], PAWL_EXECUTION: 'abcd.7' },
    stdio: 'ignore',
    timeout: 20_000,
  });
  const looked = JSON.parse(readFileSync(out, 'utf8'));
  expect(looked).toMatchObject({ ancestry: 'lane', foundName: 'abcd.7' });
  if (line.includes('script')) expect(looked).toMatchObject({ stdinIsTerminal: true });
});

test('an orphan of a lane that cleaned its environment is unknown, not clean', async () => {
  const out = join(directory, 'out-orphan');
  // The middle process is gone before the program looks: it waits for its parent to change.
  const wait = 'while [ "$(cut -d" " -f4 /proc/$$/stat)" != 1 ]; do sleep 0.01; done; exec "$@"';
  const line = `(env -i PATH="$PATH" setsid sh -c '${wait}' sh "$@" &)`;
  spawn('sh', ['-c', line, 'sh', node, program, out], {
    env: { PATH: process.env['PATH'], PAWL_EXECUTION: 'abcd.8' },
    stdio: 'ignore',
  });
  const read = () => {
    try {
      return readFileSync(out, 'utf8');
    } catch {
      return '';
    }
  };
  await until(() => read().endsWith('}'), 10_000);
  expect(JSON.parse(read())).toMatchObject({ ancestry: 'unknown', foundName: null });
}, 20_000);
