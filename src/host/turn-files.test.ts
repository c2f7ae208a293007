import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { Dispatch } from '../ports/plane.ts';
import { readLeft, takeLeft, writeTurnFiles } from './turn-files.ts';

const root = mkdtempSync(join(tmpdir(), 'pawl-turn-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

test('a prompt of 200 kB and the history lie in files that only the owner reads (L-J4)', () => {
  const prompt = 'ä'.repeat(100_000);
  const dispatch = { prompt, history: '# Loop Attempt History', run: 'abcd' } as Dispatch;
  const files = writeTurnFiles(root, join(root, 'home'), dispatch);
  expect(readFileSync(files.prompt, 'utf8')).toBe(prompt);
  expect(files.history.endsWith('.loop-history-abcd.md')).toBe(true);
  expect(statSync(files.prompt).mode & 0o077).toBe(0);
});

test('nothing left is null', async () => {
  expect(await readLeft(join(root, 'nothing'))).toBeNull();
});

test('a result that was taken is not left in the spool (L-N1, L-N5)', async () => {
  const path = join(root, 'taken');
  writeFileSync(path, '{"text":"a secret"}');
  expect(await takeLeft(path)).toBe('{"text":"a secret"}');
  expect(await readLeft(path)).toBeNull();
  expect(await takeLeft(path)).toBeNull();
});

test('a pipe that nobody writes does not hold the host (L-D20)', async () => {
  const pipe = join(root, 'pipe');
  execFileSync('sh', ['-c', 'mkfifo "$0"', pipe]);
  expect(await readLeft(pipe)).toBe('not a plain file');
});

test('a link is not followed and a folder is no result', async () => {
  symlinkSync('/etc/hostname', join(root, 'link'));
  expect(await readLeft(join(root, 'link'))).toBe('not a plain file');
  expect(await readLeft(root)).toBe('not a plain file');
});

test('a file above the bound is read one byte beyond it and no further', async () => {
  writeFileSync(join(root, 'big'), 'x'.repeat(1_000_000));
  expect((await readLeft(join(root, 'big')))?.length).toBe(256 * 1024 + 1);
});
