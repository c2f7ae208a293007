/**
 * Files that the work put into folders which setup fills: `node_modules/.bin/node` stands before
 * the real one on the PATH of every package script. Such folders are known by name, and by what
 * the base ignores; what the base itself tracks there is the project's own (docs/adr/0006).
 */
import { posix } from 'node:path';

type Listing = ReadonlyMap<string, string>;

const madeByTools: ReadonlySet<string> = new Set([
  ...['node_modules', '.venv', 'venv', '.tox', '.nox', '__pypackages__', 'site-packages'],
  ...['.bundle', '.yarn'],
]);
const programs = /(?:^|\/)(?:\.bin|bin|Scripts)\//;
/** So many are named one by one; more are named by their folder. */
const namedMax = 3;

export interface Ignores {
  readonly folder: string;
  readonly text: string;
}

/** The paths, or `folder/**` where there are many, in order. */
export function planted(
  before: Listing,
  after: Listing,
  ignores: readonly Ignores[],
): readonly string[] {
  const isIgnored = ignoring(ignores);
  const tracked = foldersOf(before);
  const byFolder = new Map<string, string[]>();
  for (const [path, id] of after) {
    if (before.get(path) === id) continue;
    const folder = environmentFolder(path, isIgnored);
    if (folder === null || (tracked.has(folder) && !programs.test(path))) continue;
    byFolder.set(folder, [...(byFolder.get(folder) ?? []).slice(0, namedMax), path]);
  }
  return [...byFolder].flatMap(([folder, paths]) =>
    paths.length > namedMax ? [`${folder}/**`] : paths,
  );
}

function environmentFolder(path: string, isIgnored: (folder: string) => boolean): string | null {
  const parts = path.split('/');
  for (let n = 1; n < parts.length; n += 1) {
    const folder = parts.slice(0, n).join('/');
    if (madeByTools.has(parts[n - 1] ?? '') || isIgnored(folder)) return folder;
  }
  return null;
}

function foldersOf(listing: Listing): ReadonlySet<string> {
  const folders = new Set<string>();
  for (const path of listing.keys()) {
    for (let at = posix.dirname(path); at !== '.' && !folders.has(at); at = posix.dirname(at)) {
      folders.add(at);
    }
  }
  return folders;
}

interface Rule {
  readonly folder: string;
  readonly pattern: RegExp;
  readonly ignores: boolean;
}

/** Git's rules for folders, the last that fits decides; answers are kept: files share folders. */
function ignoring(ignores: readonly Ignores[]): (folder: string) => boolean {
  const rules = ignores.flatMap(({ folder, text }) =>
    text.split('\n').flatMap((line) => ruleOf(folder === '.' ? '' : `${folder}/`, line)),
  );
  const known = new Map<string, boolean>();
  return (folder) => {
    const answer = known.get(folder) ?? isIgnoredBy(rules, folder);
    known.set(folder, answer);
    return answer;
  };
}

function isIgnoredBy(rules: readonly Rule[], path: string): boolean {
  const last = rules.findLast(
    ({ folder, pattern }) => path.startsWith(folder) && pattern.test(path.slice(folder.length)),
  );
  return last?.ignores === true;
}

function ruleOf(folder: string, line: string): readonly Rule[] {
  const text = line.trim();
  if (text === '' || text.startsWith('#')) return [];
  const ignores = !text.startsWith('!');
  const glob = text.replace(/^!/, '').replace(/\/$/, '');
  if (glob === '') return [];
  const isAnchored = glob.includes('/');
  const body = expressionOf(glob.replace(/^\//, ''));
  return [{ folder, ignores, pattern: new RegExp(`^${isAnchored ? '' : '(?:.*/)?'}${body}$`) }];
}

/** `*` and `?` stop at a slash, `**` does not; anything else stands for itself. */
function expressionOf(glob: string): string {
  return glob
    .split(/(\*\*\/|\*+|\?)/)
    .map((part) => {
      if (part === '**/') return '(?:.*/)?';
      if (part === '**') return '.*';
      if (/^\*+$/.test(part)) return '[^/]*';
      return part === '?' ? '[^/]' : part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
    })
    .join('');
}
