/**
 * What pawl knows about each tree it made, in a file beside the tree: whose it is, what it was cut
 * from, which branch carries its work, whether that has landed. Written before the tree is made, so
 * that a crash in between leaves an owner behind.
 */
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Commit, ExecutionId, RunId } from '../ports/words.ts';
import { entriesOf, writeWhole } from './files.ts';
import { hasCode } from './git.ts';
import type { Owner } from './owner.ts';

export interface TreeRecord {
  readonly version: 1;
  readonly run: RunId;
  readonly name: string;
  readonly short: string;
  readonly root: string;
  readonly commonDir: string;
  readonly directory: string;
  readonly kind: 'worktree' | 'clone';
  readonly branch: string;
  /** The branch did not exist before, so a tree that could not be made takes it back. */
  readonly isBranchNew: boolean;
  readonly base: Commit | null;
  readonly from: Commit;
  readonly state: 'making' | 'ready';
  readonly maker: Owner;
  /** A fresh tree took this one's place; null while this one is in use. */
  readonly successor: string | null;
  readonly landed: Landed | null;
  /** Newer work of the run was made elsewhere: no execution enters this tree again. */
  readonly overtakenBy?: Commit;
  /** Its holder lost the execution: kept for who looks for it, and never entered again. */
  readonly quarantinedFor?: ExecutionId;
}

export interface Landed {
  readonly commit: Commit;
  readonly into: string;
  /** Where that branch was before; absent: of a time when that was not noted. */
  readonly from?: Commit;
  /** Asked for at the landing: the tree and the branch stay. */
  readonly keep?: boolean;
}

const suffix = '.tree.json';
export const recordPath = (directory: string): string => `${directory}${suffix}`;

export const worktreesOf = (home: string): string => join(home, 'worktrees');

export async function readRecord(directory: string): Promise<TreeRecord | null> {
  try {
    const record: unknown = JSON.parse(await readFile(recordPath(directory), 'utf8'));
    return isRecord(record) ? record : null;
  } catch (error: unknown) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR') || error instanceof SyntaxError) return null;
    throw error;
  }
}

/** Files of a home that only pawl writes: the version says that the rest has its shape. */
function isRecord(value: unknown): value is TreeRecord {
  return (
    typeof value === 'object' &&
    value !== null &&
    'version' in value &&
    value.version === 1 &&
    'directory' in value &&
    typeof value.directory === 'string' &&
    'run' in value &&
    typeof value.run === 'string'
  );
}

export async function writeRecord(record: TreeRecord): Promise<void> {
  await writeWhole(recordPath(record.directory), `${JSON.stringify(record, null, 2)}\n`);
}

export async function removeRecord(directory: string): Promise<void> {
  await rm(recordPath(directory), { force: true });
}

/** Every record of a home, whatever the project. */
export async function allRecords(home: string): Promise<readonly TreeRecord[]> {
  const found: TreeRecord[] = [];
  for (const project of await entriesOf(worktreesOf(home))) {
    const folder = join(worktreesOf(home), project);
    for (const entry of await entriesOf(folder)) {
      if (!entry.endsWith(suffix)) continue;
      const record = await readRecord(join(folder, entry.slice(0, -suffix.length)));
      if (record !== null) found.push(record);
    }
  }
  return found;
}

/** Its trees here show older work now: the next execution takes another (see `openTree`). */
export async function markOvertaken(home: string, run: RunId, by: Commit): Promise<void> {
  for (const record of await allRecords(home)) {
    if (record.run === run) await writeRecord({ ...record, overtakenBy: by });
  }
}

/** False: there is no tree of ours. */
export async function quarantine(directory: string, execution: ExecutionId): Promise<boolean> {
  const record = await readRecord(directory);
  if (record === null) return false;
  await writeRecord({ ...record, quarantinedFor: record.quarantinedFor ?? execution });
  return true;
}

/** Null: it is not quarantined, or no tree of ours. */
export const quarantinedFor = async (directory: string): Promise<ExecutionId | null> =>
  (await readRecord(directory))?.quarantinedFor ?? null;

/** Whether no execution may enter it any more. */
export const isSpent = ({ overtakenBy, quarantinedFor }: TreeRecord): boolean =>
  overtakenBy !== undefined || quarantinedFor !== undefined;

/** Where the work tree of a private git directory lies, as git itself noted it. */
export async function pointerOf(gitDir: string): Promise<string | null> {
  try {
    return (await readFile(join(gitDir, 'gitdir'), 'utf8')).trim();
  } catch (error: unknown) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return null;
    throw error;
  }
}

/** Noted on every tree of the run, so that prune knows it without asking anybody. */
export async function markLanded(home: string, run: RunId, landed: Landed): Promise<void> {
  for (const record of await allRecords(home)) {
    if (record.run !== run) continue;
    await writeRecord({ ...record, landed });
  }
}
