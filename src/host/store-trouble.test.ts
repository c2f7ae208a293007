import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { storeTrouble } from './store-trouble.ts';

const home = mkdtempSync(join(tmpdir(), 'pawl-trouble-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

test('a store that takes writes is no trouble, and nothing is left of the try', () => {
  const found = storeTrouble(home);
  expect(found.filter(({ id }) => id === 'store.writable')).toEqual([]);
  expect(readdirSync(home)).toEqual([]);
});

test('a store that takes none is named with why and what to type (UX 5.2)', () => {
  const file = join(home, 'a-file');
  writeFileSync(file, '');
  expect(storeTrouble(file)).toEqual([
    {
      id: 'store.writable',
      state: 'fail',
      detail: `store unwritable: ${file} (ENOTDIR)`,
      next: 'pawl doctor',
    },
  ]);
});
