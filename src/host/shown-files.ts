/**
 * What a maker left to be looked at, put before the one who judges what is seen (EV-67). A file
 * that git ignores is in no commit: it is brought into the judge's own folder, which goes away with
 * him, when it is still byte for byte what was attested. The maker's files are only read.
 */
import { createHash } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import { copyFile, lstat, mkdir, realpath } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import type { Definition } from '../domain/definition/definition.ts';
import { checkerOf } from '../kernel/profiles.ts';
import type { ShownFiles } from '../ports/judge.ts';
import { workBranch } from '../ports/tree-name.ts';
import type { LeftFile } from '../ports/workspace.ts';
import { type LaneWork, told } from './lane-work.ts';

/** Null: nothing was to be left, or who judges does not judge what is seen. */
export async function shownFiles(
  work: LaneWork,
  criterion: number,
  directory: string,
): Promise<ShownFiles | null> {
  const { options, dispatch } = work;
  const { attested, definition } = dispatch;
  if (attested === undefined || !judgesSight(definition, criterion)) return null;
  const { commit, statement } = attested;
  const left = await options.checks.attestedFiles(statement);
  if (left === null) {
    const gone = { path: '(all of them)', why: 'their attestation is not in this store' };
    return { commit, shown: [], unseen: [gone], missing: [] };
  }
  const shown: LeftFile[] = [];
  const unseen = [...left.refused];
  const tree = await treeOf(work);
  for (const file of left.files) {
    const why = await bring(work, file, { tree, directory });
    if (why === null) shown.push(file);
    else unseen.push({ path: file.path, why });
  }
  return { commit, shown, unseen, missing: left.missing };
}

function judgesSight({ criteria, roles }: Definition, criterion: number): boolean {
  if (criteria[criterion]?.kind === 'observer') return true;
  return checkerOf(roles.verify?.profile ?? '')?.sees === true;
}

async function treeOf({ options, dispatch }: LaneWork): Promise<string | null> {
  const { project } = dispatch.definition;
  if (dispatch.job.commit === null) return null;
  return options.workspace.locate(project.root, workBranch(dispatch.runName, dispatch.run));
}

interface Places {
  /** Where the maker worked; null: it is gone, or the judge looks at the very folder. */
  readonly tree: string | null;
  readonly directory: string;
}

/** Null: the judge finds it at its path. Else why he does not. */
async function bring(work: LaneWork, file: LeftFile, places: Places): Promise<string | null> {
  const { tree, directory } = places;
  try {
    if (await isAt(directory, file)) return null;
    if (tree === null || !(await isAt(tree, file))) return 'it is gone or was changed since';
    const target = join(directory, file.path);
    await mkdir(dirname(target), { recursive: true });
    const [folder, place] = [await realpath(dirname(target)), await realpath(directory)];
    if (folder !== place && !folder.startsWith(`${place}${sep}`)) return 'its folder is a link';
    await copyFile(join(tree, file.path), target, constants.COPYFILE_FICLONE);
    return (await isAt(directory, file)) ? null : 'it was changed while it was read';
  } catch (error: unknown) {
    work.journal.note(`a file to be looked at cannot be shown: ${told(error, work.secrets)}`);
    return 'it cannot be read';
  }
}

/** Never through a link, and never more than what was attested. */
async function isAt(folder: string, { path, bytes, sha256 }: LeftFile): Promise<boolean> {
  const file = join(folder, path);
  try {
    const found = await lstat(file);
    if (!found.isFile() || found.size !== bytes) return false;
    const hash = createHash('sha256');
    // As far as it was attested: it may grow while it is read.
    for await (const chunk of createReadStream(file, { end: Math.max(0, bytes - 1) })) {
      hash.update(chunk);
    }
    return hash.digest('hex') === sha256;
  } catch (error: unknown) {
    if (error instanceof Error && 'code' in error && absent.has(String(error.code))) return false;
    throw error;
  }
}

const absent = new Set(['ENOENT', 'ENOTDIR']);
