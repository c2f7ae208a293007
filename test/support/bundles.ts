/** Bundles as a worker makes them, and as nobody should be able to hand them in. */
import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Fixture } from './repositories.ts';

const identity = {
  GIT_AUTHOR_NAME: 'w',
  GIT_AUTHOR_EMAIL: 'w@example.org',
  GIT_COMMITTER_NAME: 'w',
  GIT_COMMITTER_EMAIL: 'w@example.org',
};

/** Git with input, for objects that no command would make. */
function plumb(root: string, input: string | Buffer, ...args: readonly string[]): string {
  const env = { PATH: process.env['PATH'] ?? '', HOME: '/nonexistent', ...identity };
  return execFileSync('git', args, { cwd: root, input, env }).toString('utf8').trim();
}

/** A pack of the named objects and nothing that they need. */
export const packOf = (root: string, ...ids: readonly string[]): Buffer =>
  execFileSync('git', ['pack-objects', '--stdout', '-q'], {
    cwd: root,
    input: `${ids.join('\n')}\n`,
  });

export const blob = (root: string, content: string): string =>
  plumb(root, content, 'hash-object', '-w', '--stdin');

/** One line of a tree: `100644 blob <id>\t<name>`. */
export const entry = (mode: string, id: string, name: string): string => {
  const types: Readonly<Record<string, string>> = { '040000': 'tree', '160000': 'commit' };
  return `${mode} ${types[mode] ?? 'blob'} ${id}\t${name}`;
};

export const tree = (root: string, ...lines: readonly string[]): string =>
  plumb(root, lines.map((line) => `${line}\n`).join(''), 'mktree', '--missing');

export const commitOn = (root: string, treeId: string, ...parents: readonly string[]): string =>
  plumb(root, 'work\n', 'commit-tree', treeId, ...parents.flatMap((id) => ['-p', id]));

/** The tree of `parent` with one more entry. */
export function withEntry(fixture: Fixture, parent: string, line: string): string {
  const before = fixture.git('ls-tree', parent).split('\n');
  return commitOn(fixture.root, tree(fixture.root, ...before, line), parent);
}

/** What git bundles of the tips, but for what is named. */
export function bundleOf(
  fixture: Fixture,
  refs: Readonly<Record<string, string>>,
  ...without: readonly string[]
): Buffer {
  for (const [ref, tip] of Object.entries(refs)) fixture.git('update-ref', ref, tip);
  const file = join(fixture.root, '.git', 'made.bundle');
  fixture.git('bundle', 'create', '-q', file, ...Object.keys(refs), '--not', ...without);
  const bytes = readFileSync(file);
  rmSync(file);
  for (const ref of Object.keys(refs)) fixture.git('update-ref', '-d', ref);
  return bytes;
}
