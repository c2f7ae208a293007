/** Goal: what globs name is found, nothing outside is, and what is left out is told. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { leftBounds, leftFiles } from './left-files.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'pawl-left-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}
const named = async (...globs: readonly string[]) =>
  (await leftFiles(root, globs)).files.map(({ path }) => path);

test('files that globs or folders name are found with digest and size, in order (EV-67)', async () => {
  write('shots/wide/b.png', 'bb');
  write('shots/a.png', 'a');
  write('shots/a.txt', 'no');
  write('.hidden/c.png', 'c');
  expect(await leftFiles(root, ['shots/**/*.png'])).toEqual({
    files: [
      {
        path: 'shots/a.png',
        sha256: 'ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb',
        bytes: 1,
      },
      { path: 'shots/wide/b.png', sha256: expect.stringMatching(/^[0-9a-f]{64}$/), bytes: 2 },
    ],
    refused: [],
    missing: [],
  });
  expect(await named('shots')).toEqual(['shots/a.png', 'shots/a.txt', 'shots/wide/b.png']);
  expect(await named('./shots/a.txt', '**/*.png')).toEqual([
    '.hidden/c.png',
    'shots/a.png',
    'shots/a.txt',
    'shots/wide/b.png',
  ]);
});

test('a glob that nothing fits is missing, and not passed over (EV-67)', async () => {
  write('shots/a.png', 'a');
  const { missing } = await leftFiles(root, ['shots/*.png', 'shots/*.svg', 'none/**']);
  expect(missing).toEqual(['shots/*.svg', 'none/**']);
});

test('no link is followed, and folders of tools are looked into only by name', async () => {
  const outside = mkdtempSync(join(tmpdir(), 'pawl-left-outside-'));
  try {
    writeFileSync(join(outside, 'secret.png'), 's');
    symlinkSync(outside, join(root, 'out'));
    mkdirSync(join(root, 'shots'));
    symlinkSync(join(outside, 'secret.png'), join(root, 'shots/link.png'));
    write('node_modules/x/y.png', 'y');
    write('.git/z.png', 'z');
    const left = await leftFiles(root, ['out/*.png', 'shots/*.png', '**/*.png']);
    expect(left.files).toEqual([]);
    expect(left.refused).toEqual([
      { path: 'shots/link.png', why: 'it is a link or no plain file' },
    ]);
    expect(await named('node_modules/x/*.png')).toEqual(['node_modules/x/y.png']);
  } finally {
    rmSync(outside, { recursive: true, force: true });
  }
});

test('count, bytes and entries are bounded, and what is beyond is told', async () => {
  for (const name of ['a', 'b', 'c']) write(`${name}.png`, name.repeat(10));
  const bounded = (over: Partial<Record<keyof typeof leftBounds, number>>) =>
    leftFiles(root, ['*.png'], { ...leftBounds, ...over });
  const few = await bounded({ files: 2 });
  expect(few.files.map(({ path }) => path)).toEqual(['a.png', 'b.png']);
  expect(few.refused).toEqual([{ path: 'c.png', why: 'more than 2 files fit' }]);
  const large = await bounded({ bytes: 25 });
  expect(large.refused).toEqual([{ path: 'c.png', why: 'it is too large: 10 bytes' }]);
  expect((await bounded({ fileBytes: 5 })).files).toEqual([]);
  expect((await bounded({ entries: 1 })).refused.at(-1)).toEqual({
    path: '.',
    why: 'only 1 entries were looked at',
  });
});
