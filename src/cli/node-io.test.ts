/** Goal: what a user names by mistake where a text is wanted is said, and never read as one. */
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { nodeIo } from './node-io.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pawl-io-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const io = (input: readonly string[] = []) => {
  const stdin = new PassThrough();
  for (const chunk of input) stdin.write(chunk);
  stdin.end();
  return ioOf({ stdin });
};

/** This process with streams of its own, so that no listener of a test stays behind. */
function ioOf(streams: Readonly<Record<string, PassThrough>>) {
  const all = { stdout: new PassThrough(), stderr: new PassThrough(), ...streams };
  const own = Object.entries(all).map(([name, value]) => [name, { value }]);
  return nodeIo(Object.create(process, Object.fromEntries(own)));
}

test('a text is read, and what is not there is null', async () => {
  const path = join(folder, 'a');
  writeFileSync(path, 'ä');
  expect(await io().readFile(path)).toBe('ä');
  expect(await io().readFile(join(folder, 'b'))).toBeNull();
  expect(await io().readFile(join(path, 'b'))).toBeNull();
});

test('a folder, a loop of links and bytes that are no text are refused', async () => {
  await expect(io().readFile(folder)).rejects.toThrow(`${folder} is a folder, not a file`);
  symlinkSync('loop', join(folder, 'loop'));
  await expect(io().readFile(join(folder, 'loop'))).rejects.toThrow('leads to itself');
  writeFileSync(join(folder, 'bytes'), Buffer.from([0xff, 0xfe]));
  await expect(io().readFile(join(folder, 'bytes'))).rejects.toThrow('is not text in UTF-8');
});

test.each([
  [0, 80],
  [undefined, 80],
  [47, 47],
])('a terminal that says it has %s columns has %i', (said, columns) => {
  const stdout = Object.assign(new PassThrough(), { isTTY: true, columns: said });
  expect(ioOf({ stdout }).stdout.columns()).toBe(columns);
});

test('what is typed into stdin is whole or refused, never cut', async () => {
  expect(await io(['ab', 'cd']).readInput(4)).toBe('abcd');
  await expect(io(['ab', 'cde']).readInput(4)).rejects.toThrow('stdin holds over 4 bytes');
});

test('a folder is told from a file and from nothing', () => {
  const file = join(folder, 'file');
  writeFileSync(file, '');
  const { isFolder } = io();
  const paths = [folder, file, join(file, 'x'), join(folder, 'gone')];
  expect(paths.map(isFolder)).toEqual([true, false, false, false]);
});
