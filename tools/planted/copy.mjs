/** A copy of the tree in which faults are planted, so that the tree itself is never written. */
import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

/** What is written by hand as it stands now, committed or not; packages are linked. */
export function copyTree(root, into) {
  const listed = execFileSync('git', ['ls-files', '-coz', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  for (const path of new Set(listed.split('\0').filter((name) => name !== ''))) {
    const from = join(root, path);
    if (!existsSync(from)) continue;
    const to = join(into, path);
    mkdirSync(dirname(to), { recursive: true });
    if (lstatSync(from).isSymbolicLink()) symlinkSync(readlinkSync(from), to);
    else copyFileSync(from, to);
  }
  symlinkSync(join(root, 'node_modules'), join(into, 'node_modules'), 'dir');
}

/** Answers what takes it back. @throws when the text is not there exactly once. */
export function plant(directory, { id, file, find, replace }) {
  const path = join(directory, file);
  const before = readFileSync(path, 'utf8');
  const places = before.split(find).length - 1;
  if (places !== 1) throw new Error(`${id}: its text is ${places} times in ${file}`);
  // As a function: a `$` in the text is a `$`.
  writeFileSync(
    path,
    before.replace(find, () => replace),
  );
  return () => writeFileSync(path, before);
}
