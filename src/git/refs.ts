/**
 * Branches, tags, stash and every other ref of the user's repository, before and after a turn. What
 * pawl moves itself (`refs/pawl/`, the branches of runs, landings) is left out: runs at the same
 * time are not held against each other. Nobody can tell who moved any other ref, so it is said
 * when, and not by whom.
 */
import { createHash } from 'node:crypto';
import type { Commit } from '../ports/words.ts';
import { type GitCall, splitNul } from './git.ts';
import type { IsOwnMove } from './own-landings.ts';
import { isAncestor, type Place } from './repository.ts';

const refsMax = 5000;
const listBytesMax = 64 * 1024 * 1024;
const changesMax = 200;
/** A command that is cut would be another command. */
const commandMax = 200;

export type RefPrints = Readonly<Record<string, string>>;

/** A digest stands for what lies beyond the bound. */
const beyond = '(further refs)';
const stashPrefix = 'stash ';

/** Object ids by name; each entry of the stash under its own. */
export async function refPrints(place: Place, call: GitCall): Promise<RefPrints> {
  const format = '--format=%(refname) %(objectname)%00';
  const listed = await place.git.run(['for-each-ref', format], {
    ...call,
    outputBytesMax: listBytesMax,
  });
  const all = splitNul(listed.bytes)
    .map((line) => line.trim().split(' '))
    .filter(([name = '']) => name !== '' && name !== 'refs/stash');
  const own = all.some(([name]) => name === 'refs/heads/pawl')
    ? /^refs\/(pawl\/|heads\/pawl-)/
    : /^refs\/(pawl\/|heads\/pawl\/)/;
  const refs = all.filter(([name = '']) => !own.test(name)).sort(byWeight);
  const prints: Record<string, string> = {};
  for (const [name = '', id = ''] of refs.slice(0, refsMax)) prints[name] = id;
  if (refs.length > refsMax) {
    const rest = JSON.stringify(refs.slice(refsMax));
    prints[beyond] = createHash('sha256').update(rest).digest('hex');
  }
  for (const id of await stashOf(place, call)) prints[`${stashPrefix}${id}`] = id;
  return prints;
}

type Listed = readonly string[];
/** What follows a server comes last: it can be had again. */
const byWeight = ([a = '']: Listed, [b = '']: Listed): number =>
  Number(a.startsWith('refs/remotes/')) - Number(b.startsWith('refs/remotes/')) || (a < b ? -1 : 1);

async function stashOf(place: Place, call: GitCall): Promise<readonly string[]> {
  const args = ['log', '-g', '--format=%H', '-n', '1000', 'refs/stash', '--'];
  const listed = await place.git.maybe(args, call);
  return listed === null ? [] : listed.split('\n').filter((id) => id !== '');
}

export interface RefChanges {
  /** `branch other 1a2b3c4 → 5d6e7f8` */
  readonly said: readonly string[];
  /** The command that brings the old state back, for each; empty where nothing was lost. */
  readonly back: readonly string[];
}

/**
 * What changed between two prints. What was there before is kept reachable, so that it can return.
 */
export async function refChanges(
  place: Place,
  call: GitCall,
  sides: {
    readonly before: RefPrints;
    readonly now: RefPrints;
    /** Its going forward is told as the checkout's. */
    readonly shown: string | null;
    readonly isOwn: IsOwnMove;
  },
): Promise<RefChanges> {
  const { before, now, shown, isOwn } = sides;
  const names = [...new Set([...Object.keys(before), ...Object.keys(now)])]
    .filter((name) => before[name] !== now[name])
    .filter((name) => !isLanded({ name, was: before[name] ?? null, is: now[name] ?? null }, isOwn))
    .sort((a, b) => byWeight([a], [b]));
  const said: string[] = [];
  const back: string[] = [];
  for (const name of names.slice(0, changesMax)) {
    const change = { name, was: before[name] ?? null, is: now[name] ?? null };
    if (name === `refs/heads/${shown}` && (await isForward(place, call, change))) continue;
    said.push(sentence(change));
    const isKept = await keepOld(place, call, change);
    const way = command(change, name === `refs/heads/${shown}`);
    back.push(isKept && way.length <= commandMax ? way : '');
  }
  const more = names.length - changesMax;
  if (more > 0) said.push(`${more} more refs`);
  return { said, back };
}

interface Change {
  readonly name: string;
  readonly was: string | null;
  readonly is: string | null;
}

function isLanded({ name, was, is }: Change, isOwn: IsOwnMove): boolean {
  const [kind, short] = kindOf(name);
  return kind === 'branch' && was !== null && is !== null && isOwn(short, was, is);
}

async function isForward(place: Place, call: GitCall, { was, is }: Change): Promise<boolean> {
  if (was === null || is === null) return was === null;
  return isAncestor(place, [was as Commit, is as Commit], call);
}

export const brief = (id: string): string => id.slice(0, 7);

function sentence({ name, was, is }: Change): string {
  if (name === beyond) return `refs beyond the first ${refsMax}`;
  if (name.startsWith(stashPrefix)) {
    return is === null ? `stash ${brief(was ?? '')} gone` : `stash ${brief(is)} new`;
  }
  const [kind, short] = kindOf(name);
  const label = kind === 'ref' ? name : `${kind} ${short}`;
  if (was === null) return `${label} new at ${brief(is ?? '')}`;
  return is === null ? `${label} ${brief(was)} gone` : `${label} ${brief(was)} → ${brief(is)}`;
}

function kindOf(name: string): readonly ['branch' | 'tag' | 'ref', string] {
  const [, kind, short = ''] = /^refs\/(heads|tags)\/([^-].*)$/.exec(name) ?? [];
  if (kind === undefined) return ['ref', name];
  return [kind === 'heads' ? 'branch' : 'tag', short];
}

/** False where nothing is lost, and where the object is gone already. */
async function keepOld(place: Place, call: GitCall, { name, was }: Change): Promise<boolean> {
  if (was === null || name === beyond) return false;
  const args = ['update-ref', `refs/pawl/lost/ref-${was.slice(0, 12)}`, was];
  return (await place.git.run(args, { ...call, accept: [1, 128] })).exit === 0;
}

/** A branch that is checked out is moved by its ref alone: what lies in the checkout stays. */
function command({ name, was, is }: Change, isShown: boolean): string {
  const id = (was ?? '').slice(0, 12);
  if (name.startsWith(stashPrefix)) return `git stash store ${was}`;
  const [kind, short] = kindOf(name);
  if (kind === 'ref' || isShown) return `git update-ref ${quoted(name)} ${id}`;
  return `git ${kind}${is === null ? '' : ' -f'} ${quoted(short)} ${id}`;
}

const quoted = (name: string): string =>
  /^[\w./@+-]+$/.test(name) ? name : `'${name.replaceAll("'", `'\\''`)}'`;
