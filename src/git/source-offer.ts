/**
 * What a worker without a shared disk is offered in order to have a commit: the public address of
 * the repository where it has one, and a bundle of what that address, as far as is known here, and
 * the worker lack.
 */

import { basename, join } from 'node:path';
import { WorldError } from '../kernel/errors.ts';
import type { SourceOffer, SourceRemote, SourceRequest } from '../ports/source.ts';
import type { Commit } from '../ports/words.ts';
import { refuseLfs, refuseShallow } from './carried.ts';
import { realpathOf, shortHash, unique } from './files.ts';
import type { GitCall } from './git.ts';
import { makeBundle, sourceLimits } from './make-bundle.ts';
import { commitOf, isAncestor, needRepository, type Place } from './repository.ts';
import { depthMax, filledSubmodules, urlFrom } from './submodules.ts';

const haveMax = 64;
const refsMax = 16;

export async function offerSource(place: Place, request: SourceRequest): Promise<SourceOffer> {
  const { root, commit } = request;
  const repository = await needRepository(place, root);
  const call = { cwd: repository.root };
  if ((await commitOf(place, commit, call)) !== commit) {
    throw new WorldError('source_unavailable', `${commit} is not in the repository`, {
      where: repository.root,
    });
  }
  await refuseLfs(place, call, commit);
  const found = request.withoutRemote ? null : await remoteSide(place, call, commit);
  const remote = found?.remote ?? null;
  const has = found === null ? [] : [found.tip];
  return {
    key: shortHash((await realpathOf(repository.commonDir)) ?? root),
    name: basename(root),
    commit,
    remote,
    bundle: await bundleFor(place, call, request, has),
    submodules:
      request.withoutSubmodules !== true &&
      (await carriesSubmodules(place, repository.root, remote?.url ?? null)),
  };
}

/**
 * False: none is filled. A worker clones each from its own address, without a login.
 * @throws WorldError `source_unavailable` where it cannot.
 */
async function carriesSubmodules(
  place: Place,
  root: string,
  origin: string | null,
  depth = 0,
): Promise<boolean> {
  if (depth >= depthMax) return false;
  const filled = await filledSubmodules(place, root);
  for (const { path, url } of filled) {
    const from = url === null ? '' : urlFrom(origin ?? root, url);
    if (!isPublic(from)) {
      throw new WorldError('source_unavailable', 'a submodule is where no worker can read it', {
        found: `${path}, at ${url ?? 'no address'}`,
        next: 'push it to a remote that a worker can read without a login, or leave submodules empty: workspace: { submodules: off }',
      });
    }
    await carriesSubmodules(place, join(root, path), from, depth + 1);
  }
  return filled.length > 0;
}

async function bundleFor(
  place: Place,
  call: GitCall,
  { commit, have }: SourceRequest,
  has: readonly Commit[],
): Promise<Uint8Array | null> {
  if (have === null) return null;
  const known = await knownOf(place, call, have);
  return lacking(place, call, { commit, without: [...has, ...known] });
}

/** Null when nothing is lacking. */
async function lacking(
  place: Place,
  call: GitCall,
  { commit, without }: { readonly commit: Commit; readonly without: readonly Commit[] },
): Promise<Uint8Array | null> {
  for (const has of without) if (await isAncestor(place, [commit, has], call)) return null;
  await refuseShallow(place, call);
  const what = { name: `source-${unique()}`, tip: commit, without, limits: sourceLimits };
  const made = await makeBundle(place, call, what);
  if (made.ok) return made.bundle;
  throw new WorldError('source_unavailable', 'the repository is too large to be sent', {
    where: call.cwd,
    found: made.detail,
    next: 'push the base to a remote that a worker can read without a login',
  });
}

async function knownOf(
  place: Place,
  call: GitCall,
  have: readonly Commit[],
): Promise<readonly Commit[]> {
  const known: Commit[] = [];
  for (const commit of have.slice(0, haveMax)) {
    if ((await commitOf(place, commit, call)) === commit) known.push(commit);
  }
  return known;
}

interface RemoteSide {
  readonly remote: SourceRemote;
  /** What is known here of that ref. */
  readonly tip: Commit;
}

/** The first remote that anybody can read and that knows something of this history. */
async function remoteSide(place: Place, call: GitCall, commit: Commit): Promise<RemoteSide | null> {
  for (const name of await remotesOf(place, call)) {
    const url = await place.git.maybe(['config', '--get', `remote.${name}.url`], call);
    if (url === null || !isPublic(url)) continue;
    const branch = await branchThere(place, call, { name, commit });
    if (branch !== null) return { remote: { url, ref: branch.ref }, tip: branch.tip };
  }
  return null;
}

/** The branch there that has the commit, else one whose history it shares. */
async function branchThere(
  place: Place,
  call: GitCall,
  { name, commit }: { readonly name: string; readonly commit: Commit },
): Promise<{ readonly ref: string; readonly tip: Commit } | null> {
  const prefix = `refs/remotes/${name}/`;
  const format = '--format=%(objectname) %(refname)';
  const args = ['for-each-ref', format, '--sort=-committerdate', `--count=${refsMax}`];
  const holding = await refsOf(place, call, [...args, '--contains', commit, prefix]);
  const candidates = holding.length > 0 ? holding : await refsOf(place, call, [...args, prefix]);
  for (const [tip, ref] of candidates) {
    if (ref === `${prefix}HEAD`) continue;
    if ((await place.git.maybe(['merge-base', commit, tip], call)) === null) continue;
    return { ref: `refs/heads/${ref.slice(prefix.length)}`, tip: tip as Commit };
  }
  return null;
}

async function remotesOf(place: Place, call: GitCall): Promise<readonly string[]> {
  const names = (await place.git.text(['remote'], call)).split('\n').filter((name) => name !== '');
  return [...names].sort((a, b) => Number(b === 'origin') - Number(a === 'origin'));
}

async function refsOf(
  place: Place,
  call: GitCall,
  args: readonly string[],
): Promise<readonly (readonly [string, string])[]> {
  const lines = (await place.git.text(args, call)).split('\n').filter((line) => line !== '');
  return lines.map((line) => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)]);
}

/**
 * An address that needs nobody's key and tells nobody's password; a path is of this machine alone.
 */
export function isPublic(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, username, password } = new URL(url);
  if (username !== '' || password !== '') return false;
  return ['https:', 'http:', 'git:'].includes(protocol);
}
