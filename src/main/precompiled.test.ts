/** Goal: code that the build made is run for the source that it was made of, and for no other. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Script } from 'node:vm';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { runPrecompiled } from './precompiled.ts';

vi.mock('node:vm', { spy: true });

const load = createRequire(import.meta.url);
const code = `page.${process.version}-${process.platform}-${process.arch}.code`;
const says = (word: string) =>
  `(function (require, __filename) { require('process').pawlSaid = '${word}'; })`;

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pawl-precompiled-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function write(word: string): void {
  writeFileSync(join(folder, 'page.cjs'), says(word));
}

/** As the build does it. */
function precompile(): void {
  const tool = 'tools/precompile.mjs';
  execFileSync(process.execPath, [tool, 'page', join(folder, 'page.cjs'), join(folder, code)]);
}

/** What the script said, and whether V8 took the code that was there; null: it was offered none. */
function run(): { readonly said: unknown; readonly rejected: boolean | null } {
  vi.mocked(Script).mockClear();
  runPrecompiled(folder, 'page', load);
  const [made] = vi.mocked(Script).mock.instances;
  const said = Object.entries(process).find(([name]) => name === 'pawlSaid')?.[1];
  return { said, rejected: made?.cachedDataRejected ?? null };
}

test('a script without code is compiled', () => {
  write('one');
  expect(run()).toEqual({ said: 'one', rejected: null });
});

test('a script with its code takes it', () => {
  write('one');
  precompile();
  expect(run()).toEqual({ said: 'one', rejected: false });
});

test('code of another source of the same length is not run', () => {
  write('one');
  precompile();
  write('two');
  expect(run()).toEqual({ said: 'two', rejected: null });
});

test.each([
  ['that was cut off', 'three', (whole: Buffer, begin: number) => whole.subarray(0, begin + 40)],
  ['of another V8', 'four', (whole: Buffer, begin: number) => versionless(whole, begin)],
])('code %s is not run', (_, word, spoilt) => {
  // A word of its own: what this process has compiled once, it does not look at again.
  write(word);
  precompile();
  const whole = readFileSync(join(folder, code));
  writeFileSync(join(folder, code), spoilt(whole, says(word).length));
  expect(run()).toEqual({ said: word, rejected: true });
});

/** The second number of the code is made of the version of V8. */
function versionless(whole: Buffer, begin: number): Buffer {
  whole.writeUInt32LE(0, begin + 4);
  return whole;
}
