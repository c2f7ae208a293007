/**
 * Landing a run's branch. Everything that can fail comes first: the merge in a scratch tree, the
 * judgement of the merged commit, the dry run on a checkout that shows the target. Then the
 * checkout follows, and the branch moves from its old value or not at all.
 */
import { WorldError } from '../kernel/errors.ts';
import type { Commit } from '../ports/words.ts';
import type { Landing, LandRequest } from '../ports/workspace.ts';
import { commitTree } from './commit-tree.ts';
import { type Followed, followCheckouts } from './follow.ts';
import { pawlIdentity } from './git.ts';
import { withLock } from './lock.ts';
import { mergeTrees } from './merge.ts';
import { namesOf } from './own-index.ts';
import { markLanded } from './records.ts';
import {
  commitOf,
  dropRef,
  isAncestor,
  moveRef,
  needRepository,
  type Place,
  repositoryLock,
  treeIdOf,
} from './repository.ts';

const roundsMax = 5;
const lockMs = 120_000;

type Failure = Extract<Landing, { ok: false }>;
const failed = (reason: Failure['reason'], detail: string, moved: number): Failure => ({
  ok: false,
  reason,
  detail,
  moved,
});

export async function land(place: Place, request: LandRequest): Promise<Landing> {
  await needRepository(place, request.root);
  for (let round = 0; round < roundsMax; round += 1) {
    const landing = await landOnce(place, request);
    if (landing.ok || landing.reason !== 'target_moved_again') return landing;
  }
  return failed('target_moved_again', `${request.into} moved ${roundsMax} times meanwhile`, 0);
}

interface Candidate {
  readonly target: Commit;
  readonly commit: Commit;
  readonly moved: number;
}

async function landOnce(place: Place, request: LandRequest): Promise<Landing> {
  const call = { cwd: request.root };
  const target = await commitOf(place, `refs/heads/${request.into}`, call);
  if (target === null) {
    return failed('target_missing', `there is no branch ${request.into}`, 0);
  }
  const made = await candidate(place, request, target);
  if ('ok' in made) return made;
  const kept = `refs/pawl/landing/${request.run}`;
  await place.git.run(['update-ref', kept, made.commit], call);
  try {
    const landing = await judgeAndMove(place, request, made);
    if (landing.ok && request.judgeOnly !== true) await mark(place, request, made);
    return landing;
  } finally {
    await dropRef(place, [kept, made.commit], call);
  }
}

async function mark(place: Place, request: LandRequest, made: Candidate): Promise<void> {
  const { commit, target: from } = made;
  const keep = request.keep === true ? { keep: true } : {};
  await markLanded(place.home, request.run, { commit, into: request.into, from, ...keep });
}

/** The commit that the target would move to; no branch has moved yet. */
async function candidate(
  place: Place,
  request: LandRequest,
  target: Commit,
): Promise<Candidate | Failure> {
  const call = { cwd: request.root };
  const { head } = request;
  const count = await place.git.text(['rev-list', '--count', `${request.base}..${target}`], call);
  const isForward = await isAncestor(place, [target, head], call);
  const moved = isForward ? 0 : Math.max(1, Number(count));
  if (request.method === 'ff') {
    if (isForward) return { target, commit: head, moved };
    const detail = `${request.into} has commits that the work does not`;
    return failed('not_ff', detail, moved);
  }
  const merged = isForward
    ? { ok: true as const, treeId: await treeIdOf(place, head, call) }
    : await mergeTrees(place, { root: request.root, target, head });
  if (!merged.ok) return failed('conflict', merged.paths.join('\n'), moved);
  return { target, moved, commit: await landingCommit(place, request, merged.treeId, target) };
}

/** The target itself when everything is in it already. */
async function landingCommit(
  place: Place,
  request: LandRequest,
  treeId: string,
  target: Commit,
): Promise<Commit> {
  const call = { cwd: request.root };
  const { head, method } = request;
  if (treeId === (await treeIdOf(place, target, call))) {
    if (method === 'squash' || (await isAncestor(place, [head, target], call))) return target;
  }
  const parents = method === 'merge' ? [target, head] : [target];
  const who = await identityOf(place, request.root);
  const message = request.message === '' ? `Land ${request.branch}` : request.message;
  return commitTree(place, { treeId, parents, message, who }, call);
}

/** A landing is a human's act: it carries the name that the user's own commits carry. */
async function identityOf(place: Place, root: string) {
  const [name, email] = await Promise.all(
    ['user.name', 'user.email'].map((key) =>
      place.git.maybe(['config', '--get', key], { cwd: root }),
    ),
  );
  return name && email ? { name, email } : pawlIdentity;
}

async function judgeAndMove(place: Place, request: LandRequest, made: Candidate): Promise<Landing> {
  const done = {
    ok: true,
    commit: made.commit,
    into: request.into,
    method: request.method,
  } as const;
  const mustJudge = request.verify !== null && (made.moved > 0 || request.always === true);
  if (request.verify !== null && mustJudge) {
    const { passed, summary } = await request.verify(made.commit);
    if (!passed) return failed('check_failed', summary, made.moved);
  }
  const isThere = made.commit === made.target;
  if (isThere || request.judgeOnly === true)
    return { ...done, reverified: mustJudge, moved: made.moved };
  const { commonDir } = await needRepository(place, request.root);
  const lock = await repositoryLock(place, commonDir);
  const failure = await withLock(lock, { waitMs: lockMs }, () => moveAll(place, request, made));
  if (failure !== null) return failure;
  const submodules = await linksMoved(place, request.root, made);
  const told = submodules.length === 0 ? {} : { submodules };
  return { ...done, reverified: mustJudge, moved: made.moved, ...told };
}

/** Paths of submodules that are at another commit than on the target before. */
async function linksMoved(
  place: Place,
  root: string,
  { target, commit }: Candidate,
): Promise<readonly string[]> {
  const args = ['diff-tree', '-r', '-z', '--raw', '--no-renames', target, commit];
  const fields = await namesOf(place, args, { cwd: root });
  return fields.flatMap((field, i) => (/^:\d{6} 160000 /.test(field) ? (fields[i + 1] ?? []) : []));
}

/** Checkouts first, then the branch, from its old value; null when both are done. */
async function moveAll(
  place: Place,
  request: LandRequest,
  made: Candidate,
): Promise<Failure | null> {
  const again = failed('target_moved_again', `${request.into} moved`, made.moved);
  const ref = `refs/heads/${request.into}`;
  if ((await commitOf(place, ref, { cwd: request.root })) !== made.target) return again;
  const step = { root: request.root, branch: request.into, from: made.target, to: made.commit };
  const followed = await followCheckouts(place, step);
  if (!followed.ok) {
    const { paths, hindrance } = followed;
    return { ...failed('dirty_target', paths.join('\n'), made.moved), hindrance };
  }
  return (await moveTarget(place, request, made, followed)) ? null : again;
}

/** A checkout that has followed already goes back when the branch cannot move. */
async function moveTarget(
  place: Place,
  request: LandRequest,
  made: Candidate,
  followed: Extract<Followed, { ok: true }>,
): Promise<boolean> {
  const move = {
    ref: `refs/heads/${request.into}`,
    to: made.commit,
    old: made.target,
    why: `pawl: land ${request.branch}`,
  };
  try {
    if (await moveRef(place, move, { cwd: request.root })) return true;
  } catch (error: unknown) {
    await followed.undo();
    throw error instanceof WorldError ? error : new WorldError('git_failed', String(error));
  }
  await followed.undo();
  return false;
}
