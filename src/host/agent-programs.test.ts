import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { agentPrograms } from './agent-programs.ts';

const root = mkdtempSync(join(tmpdir(), 'pawl-programs-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const programs = agentPrograms(root, '/usr/bin:/bin');

test('a program is found behind its links, or is not there', () => {
  expect(programs.find('sh')).toMatch(/^\//);
  expect(programs.find('no-such-program-here')).toBe(null);
});

test('a folder that is not there is empty', () => {
  mkdirSync(join(root, 'folder'));
  writeFileSync(join(root, 'folder/a'), '');
  expect(programs.list(join(root, 'folder'))).toEqual(['a']);
  expect(programs.list(join(root, 'none'))).toEqual([]);
});

test('the end of a file begins with a whole line', () => {
  const file = join(root, 'lines');
  writeFileSync(file, 'first\nsecond\nthird\n');
  expect(programs.tail(file, 100)).toBe('first\nsecond\nthird\n');
  expect(programs.tail(file, 9)).toBe('third\n');
  expect(programs.tail(join(root, 'none'), 9)).toBe(null);
});

test('a pipe in the place of a file is not waited for (L-D20)', () => {
  const pipe = join(root, 'pipe');
  execFileSync('sh', ['-c', 'mkfifo "$0"', pipe]);
  expect(programs.tail(pipe, 9)).toBe(null);
});
