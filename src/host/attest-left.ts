/** After a turn: which files it left to be looked at, as a fact of its result (EV-67). */
import type { AttestedFiles } from '../domain/execution/state.ts';
import type { Commit } from '../domain/ids.ts';
import type { FilesLeft, Tree } from '../ports/workspace.ts';
import { type LaneWork, told } from './lane-work.ts';
import { withRoom } from './room.ts';

/** What travels in an event; all of it is in the statement. */
const listedMax = 20;
const pathMax = 200;

/** Null: nothing is to be left. The files are looked at and stay where they are. */
export async function attestLeft(
  work: LaneWork,
  tree: Tree,
  commit: Commit | null,
): Promise<AttestedFiles | null> {
  const { options, dispatch } = work;
  const globs = dispatch.definition.artifacts ?? [];
  if (globs.length === 0) return null;
  const left = await leftIn(work, tree, globs);
  const { run, execution, definition, job } = dispatch;
  const asked = { run, execution, attempt: job.attempt, definition, commit, left };
  const statement = await withRoom(work, () => options.checks.attestFiles(asked));
  const listed = left.files.filter(({ path }) => path.length <= pathMax).slice(0, listedMax);
  return {
    statement,
    files: listed,
    more: left.files.length - listed.length,
    missing: left.missing.slice(0, listedMax),
    refused: left.refused.filter(({ path }) => path.length <= pathMax).slice(0, listedMax),
  };
}

/** A tree that cannot be looked at is told of, and costs the turn nothing else. */
async function leftIn(work: LaneWork, tree: Tree, globs: readonly string[]): Promise<FilesLeft> {
  try {
    return await work.options.workspace.leftFiles(tree.directory, globs);
  } catch (error: unknown) {
    work.journal.note(`what was left to be looked at cannot be read: ${told(error, work.secrets)}`);
    return { files: [], refused: [], missing: [...globs] };
  }
}
