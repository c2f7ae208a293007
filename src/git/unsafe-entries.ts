/**
 * What git itself allows in a tree and what work from elsewhere may not bring: links that lead out
 * of the tree or into git's own folder, links whose name is another path's on a file system that
 * folds case, and commits of submodules, which a bundle does not carry.
 */
import { posix } from 'node:path';
import type { BundleRefusal } from '../ports/source.ts';
import type { Commit } from '../ports/words.ts';
import { type GitCall, splitNul } from './git.ts';
import { namesOf } from './own-index.ts';
import type { Place } from './repository.ts';

const linkBytesMax = 4_096;
const linksMax = 10_000;

interface Entry {
  readonly mode: string;
  readonly id: string;
  readonly path: string;
}
export interface Unsafe {
  readonly reason: BundleRefusal;
  readonly detail: string;
}

/** Null: nothing that changed between the two is unsafe. */
export async function unsafeEntry(
  place: Place,
  call: GitCall,
  [from, tip]: readonly [Commit, Commit],
): Promise<Unsafe | null> {
  const entries = await changedEntries(place, call, [from, tip]);
  const moved = entries.find(({ mode }) => mode === '160000');
  if (moved !== undefined) {
    const detail = `${shown(moved.path)}: work in a submodule is not carried`;
    return { reason: 'bundle.submodule', detail };
  }
  const links = entries.filter(({ mode }) => mode === '120000');
  if (links.length === 0) return null;
  if (links.length > linksMax) return unsafe(`${links.length} links`);
  for (const link of links) {
    const target = await targetOf(place, call, link);
    if (target === null) return unsafe(`${shown(link.path)} leads nowhere`);
    if (leadsAway(link.path, target)) {
      return unsafe(`${shown(link.path)} leads to ${shown(target)}`);
    }
  }
  return collision(place, call, { tip, links });
}

const unsafe = (detail: string): Unsafe => ({ reason: 'bundle.unsafe_link', detail });
const shown = (path: string): string => JSON.stringify(path.slice(0, 100));

/** The new side of whatever is there at `tip` and is not as at `from`. */
async function changedEntries(
  place: Place,
  call: GitCall,
  [from, tip]: readonly [Commit, Commit],
): Promise<readonly Entry[]> {
  const args = ['diff-tree', '-r', '-z', '--raw', '--no-abbrev', '--no-renames', from, tip];
  const fields = splitNul((await place.git.run(args, call)).bytes);
  const entries: Entry[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [, mode = '', , id = ''] = fields[at]?.split(' ') ?? [];
    if (mode !== '000000') entries.push({ mode, id, path: fields[at + 1] ?? '' });
  }
  return entries;
}

async function targetOf(place: Place, call: GitCall, link: Entry): Promise<string | null> {
  const args = ['cat-file', 'blob', link.id];
  const answer = await place.git.run(args, { ...call, outputBytesMax: linkBytesMax, cut: true });
  return answer.isCut || answer.bytes.length === 0 ? null : answer.bytes.toString('utf8');
}

/** Whether a link at `path` leads out of the tree, or into a folder of git's. */
export function leadsAway(path: string, target: string): boolean {
  const slashed = target.replaceAll('\\', '/');
  if (slashed.startsWith('/') || /^[A-Za-z]:/.test(slashed) || slashed.includes('\0')) return true;
  const end = posix.normalize(posix.join(posix.dirname(path), slashed));
  if (end === '..' || end.startsWith('../')) return true;
  return end.split('/').some((part) => /^(\.git|git~\d+)[. ]*$/i.test(part));
}

/** A path that a link's name also stands for, or that would lie behind it. */
async function collision(
  place: Place,
  call: GitCall,
  { tip, links }: { readonly tip: Commit; readonly links: readonly Entry[] },
): Promise<Unsafe | null> {
  const fold = (path: string) => path.normalize('NFC').toLowerCase();
  const byName = new Map(links.map(({ path }) => [fold(path), path]));
  const args = ['ls-tree', '-r', '-z', '--name-only', '--full-tree', tip];
  for (const path of await namesOf(place, args, call)) {
    const parts = fold(path).split('/');
    for (let n = 1; n <= parts.length; n += 1) {
      const link = byName.get(parts.slice(0, n).join('/'));
      if (link === undefined || link === path) continue;
      return unsafe(`${shown(link)} and ${shown(path)} have one name where case is folded`);
    }
  }
  return null;
}
