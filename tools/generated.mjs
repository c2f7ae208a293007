/**
 * Writes a generated page, or with `--check` says whether the page that lies there is still true.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './load.mjs';

export function generated(path, text) {
  const target = join(root, path);
  if (!process.argv.includes('--check')) {
    writeFileSync(target, text);
    process.stdout.write(`wrote ${path}\n`);
    return;
  }
  const isFresh = existsSync(target) && readFileSync(target, 'utf8') === text;
  if (!isFresh) process.stderr.write(`${path} is out of date: npm run docs\n`);
  process.exitCode = isFresh ? process.exitCode : 1;
}
