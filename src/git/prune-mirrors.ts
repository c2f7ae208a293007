/**
 * Removing the mirrors of a worker that nothing stands on. Whoever works in one has said so in a
 * claim before it brings a commit, and brings it under the lock that is held here: so it is either
 * seen in time, or finds no mirror and makes a new one.
 */
import { utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { emptyTrash, entriesOf, realpathOf, removeTree, statOf } from './files.ts';
import { tryLock } from './lock.ts';
import { allRecords } from './records.ts';
import { poolPath } from './repository.ts';

export const mirrorsOf = (home: string): string => join(home, 'mirrors');

const trashOf = (home: string): string => join(home, 'trash');

export const isKey = (key: string): boolean => /^[0-9a-f]{8,64}$/.test(key);

export const mirrorLock = (home: string, key: string): string =>
  join(home, 'locks', `mirror-${key}.lock`);

/** Its settings are written once, so that their date is free to tell when it was used last. */
const usedMark = (directory: string): string => join(directory, 'config');

export async function markUsed(directory: string): Promise<void> {
  const now = new Date();
  await utimes(usedMark(directory), now, now);
}

export interface Unused {
  readonly forMs: number;
  /** Of whoever has it without a tree: a claim that is held, or not handed in yet. */
  readonly isUsed: (root: string) => boolean;
  /** Homes, beside that of the mirrors, that have check trees of them. */
  readonly checkHomes: readonly string[];
}

/**
 * Mirrors, with their check trees, into which nothing was brought for that long and on which no
 * tree of a run stands. Answers where they lay. What an earlier removal was killed over goes too.
 */
export async function pruneMirrors(home: string, unused: Unused): Promise<readonly string[]> {
  await emptyTrash(trashOf(home), unused.forMs);
  const removed: string[] = [];
  for (const name of await entriesOf(mirrorsOf(home))) {
    const key = name.replace(/\.git(\.[0-9a-f]+)?$/, '');
    // One of another process, being made or brought to a commit now, is in use.
    const held = isKey(key) ? await tryLock(mirrorLock(home, key)) : null;
    if (held === null) continue;
    try {
      const directory = join(mirrorsOf(home), name);
      if (await removeUnused(home, directory, unused)) removed.push(directory);
    } finally {
      await held.release();
    }
  }
  return removed;
}

async function removeUnused(home: string, directory: string, unused: Unused): Promise<boolean> {
  // What its maker left unfinished may have no settings yet.
  const used = (await statOf(usedMark(directory))) ?? (await statOf(directory));
  if (used === null || Date.now() - used.mtimeMs < unused.forMs) return false;
  if (unused.isUsed(directory) || (await hasTree(home, directory))) return false;
  const trash = trashOf(home);
  // Before the mirror, by which they are found: whatever comes between is found again.
  for (const checkHome of [home, ...unused.checkHomes]) {
    await removeTree(await poolPath({ home: checkHome }, { commonDir: directory }), trash);
  }
  await removeTree(directory, trash);
  return true;
}

async function hasTree(home: string, directory: string): Promise<boolean> {
  const own = [directory, (await realpathOf(directory)) ?? directory];
  return (await allRecords(home)).some(({ root }) => own.includes(root));
}
