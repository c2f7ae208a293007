/**
 * Putting paths of recorded work back to base as a commit of its own: what is judged afterwards is
 * what the branch holds and what can land. Made from the recorded commit by plumbing, whatever lies
 * in the work tree meanwhile; the work tree follows in the named paths alone.
 */
import type { Commit } from '../ports/words.ts';
import type { PutBack, PutBackRequest, Tree } from '../ports/workspace.ts';
import type { GitCall } from './git.ts';
import { outOfScope } from './out-of-scope.ts';
import { namesOf, type OwnIndex, withOwnIndex } from './own-index.ts';
import { type Proven, prove } from './proof.ts';
import { commitOf, moveRef, type Place, runRef } from './repository.ts';
import { mendedKey, restoreTo } from './restore.ts';
import { isSameAt, keyName, matcher, type ProtectedKey, splitProtected } from './scope.ts';
import { commitUnless, movingBranch, publish, settle } from './snapshot.ts';

const triesMax = 3;

export async function putBack(place: Place, tree: Tree, request: PutBackRequest): Promise<PutBack> {
  const { base } = tree;
  if (tree.isolation === 'none' || base === null) return { commit: request.commit, restored: [] };
  for (let round = 0; round < triesMax; round += 1) {
    const proven = await prove(place, tree);
    const done = await withOwnIndex(place, proven, (index) =>
      record(place, { proven, index, base, request }),
    );
    if (done === null) continue;
    if (done.restored.length === 0) return done;
    if (proven.record.kind === 'clone') await publish(place, proven, done.commit);
    return done;
  }
  throw movingBranch(tree);
}

interface Work {
  readonly proven: Proven;
  readonly index: OwnIndex;
  readonly base: Commit;
  readonly request: PutBackRequest;
}

/** Null when the branch moved meanwhile. */
async function record(place: Place, work: Work): Promise<PutBack | null> {
  const { proven, index, base, request } = work;
  const { commit: from, message } = request;
  await place.git.run(['read-tree', from], index.call);
  const restored = await intoIndex(place, work);
  if (restored.length === 0) return { commit: from, restored };
  const treeId = await place.git.text(['write-tree'], index.call);
  const ref = `refs/heads/${proven.record.branch}`;
  const tip = await commitOf(place, ref, proven.call);
  const parents = await heldBy(place, tip === null ? [from] : [from, tip], proven.call);
  const commit = await commitUnless(place, { treeId, parents, message, proven });
  if (commit !== tip) {
    const move = { ref, to: commit, old: tip, why: 'pawl: put back to base' };
    if (!(await moveRef(place, move, proven.call))) return null;
  }
  await place.git.run(['update-ref', runRef(proven.record.run), commit], proven.call);
  await restoreTo(place, proven, base, restored);
  await settle(place, proven, index);
  return { commit, restored };
}

/** Those lines that no other one holds: what was written before stays in the history. */
async function heldBy(
  place: Place,
  lines: readonly Commit[],
  call: GitCall,
): Promise<readonly Commit[]> {
  const independent = await place.git.text(['merge-base', '--independent', ...lines], call);
  const held = new Set(independent.split('\n'));
  return [...new Set(lines)].filter((line) => held.has(line));
}

/** Answers the names of what was not as at base: a path, or a path with its key. */
async function intoIndex(place: Place, work: Work): Promise<readonly string[]> {
  const { index, base, request } = work;
  const { globs, keys } = splitProtected(request.entries);
  const names = ['diff-tree', '-r', '-z', '--name-only', '--no-renames', base, request.commit];
  const paths = await namesOf(place, names, index.call);
  const isAllowed = matcher(request.allowed);
  const isNamed = matcher(globs);
  const drifted = await outside(place, work, paths);
  const whole = paths.filter((path) => drifted.has(path) || (isNamed(path) && !isAllowed(path)));
  for (const path of whole) await entryOfBase(place, work, path);
  const restored = [...whole];
  for (const key of keys) {
    const files = paths.filter(matcher([key.file])).filter((path) => !restored.includes(path));
    for (const path of files) {
      if (isAllowed(keyName(path, key))) continue;
      if (await keyOfBase(place, work, { path, key })) restored.push(keyName(path, key));
    }
  }
  return restored;
}

/** What lies outside of the scope, where it is to go back too. */
async function outside(
  place: Place,
  { proven, index, request }: Work,
  paths: readonly string[],
): Promise<ReadonlySet<string>> {
  const { allowed, commit, fileScope } = request;
  if (fileScope === undefined) return new Set();
  const lines = await namesOf(place, ['ls-tree', '-r', '-z', '--full-tree', commit], index.call);
  const links = new Map(
    lines.flatMap((line) => {
      const [, id, path] = /^120000 blob (\S+)\t(.*)$/s.exec(line) ?? [];
      return id === undefined || path === undefined ? [] : [[path, id] as const];
    }),
  );
  const linkAt = async (path: string) => {
    const id = links.get(path);
    return id === undefined ? null : place.git.maybe(['cat-file', 'blob', id], index.call);
  };
  const policy = { fileScope, allowed };
  const drifted = await outOfScope(paths, { directory: proven.directory, policy, linkAt });
  return new Set(drifted.map(({ path }) => path));
}

/** False when it is as at base already. */
async function keyOfBase(
  place: Place,
  work: Work,
  { path, key }: { readonly path: string; readonly key: ProtectedKey },
): Promise<boolean> {
  const read = async (tree: string) => {
    const args = ['cat-file', 'blob', `${tree}:${path}`];
    const answer = await place.git.run(args, { ...work.index.call, accept: [128] });
    return answer.exit === 0 ? answer.bytes.toString('utf8') : null;
  };
  const before = await read(work.base);
  // The index, not the commit: another key of the same file may have been put back already.
  const after = await read('');
  if (isSameAt(before, after, key)) return false;
  const text = mendedKey(before, after, key);
  if (text === null) await entryOfBase(place, work, path);
  else await entryOfText(place, work, { path, text });
  return true;
}

async function entryOfBase(place: Place, { index, base }: Work, path: string): Promise<void> {
  const args = ['--literal-pathspecs', 'ls-tree', '-z', '--full-tree', base, '--', path];
  const [line] = await namesOf(place, args, index.call);
  const [mode = '', , id = ''] = line?.slice(0, line.indexOf('\t')).split(' ') ?? [];
  const entry = line === undefined ? `0 ${'0'.repeat(base.length)}` : `${mode} ${id}`;
  await place.git.run(['update-index', '-z', '--index-info'], {
    ...index.call,
    input: `${entry}\t${path}\0`,
  });
}

async function entryOfText(
  place: Place,
  { index }: Work,
  file: { readonly path: string; readonly text: string },
): Promise<void> {
  const staged = ['--literal-pathspecs', 'ls-files', '-s', '-z', '--', file.path];
  const [line = ''] = await namesOf(place, staged, index.call);
  const [mode = '100644'] = line.split(' ');
  const id = await place.git.text(['hash-object', '-w', '--stdin'], {
    ...index.call,
    input: file.text,
  });
  await place.git.run(['update-index', '-z', '--index-info'], {
    ...index.call,
    input: `${mode} ${id}\t${file.path}\0`,
  });
}
