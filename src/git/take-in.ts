/**
 * Work that was made elsewhere comes into the repository of its project. Its bundle is nobody's
 * word: bounds first, then its head, then its objects in a {@link inQuarantine | quarantine} with
 * git's strict checks, then what git allows and we do not; only then objects, the ref
 * `refs/pawl/incoming/<execution>` and the branch of the run.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { WorldError } from '../kernel/errors.ts';
import type { BundleLimits, BundleRefusal, Transport, WorkBundle } from '../ports/source.ts';
import { type BundleHead, readBundleHead } from './bundle-header.ts';
import { ensureCommit } from './clone.ts';
import { entriesOf } from './files.ts';
import { tooLarge } from './make-bundle.ts';
import { inQuarantine, type Quarantine } from './quarantine.ts';
import { allRecords, markOvertaken } from './records.ts';
import {
  commitOf,
  isAncestor,
  moveRef,
  needRepository,
  type Place,
  type Repository,
  runRef,
} from './repository.ts';
import { moveBranch } from './snapshot.ts';
import { unsafeEntry } from './unsafe-entries.ts';

const lookMs = 5 * 60_000;
const namesMax = 9;

type Taken = Transport<{ readonly branch: string }>;
type Refusal = Extract<Taken, { ok: false }>;
const refused = (reason: BundleRefusal, detail: string): Refusal => ({
  ok: false,
  reason,
  detail,
});

export interface TakeIn {
  readonly work: WorkBundle;
  readonly limits: BundleLimits;
  readonly isWanted: () => Promise<boolean>;
}

const incomingRef = (work: WorkBundle): string => `refs/pawl/incoming/${work.execution}`;

export async function takeIn(place: Place, asked: TakeIn): Promise<Taken> {
  const { work, limits } = asked;
  const repository = await needRepository(place, work.root);
  const call = { cwd: repository.root };
  const before = await commitOf(place, incomingRef(work), call);
  if (before === work.tip) return comeIn(place, asked, repository);
  if (before !== null) return refused('bundle.other_work', `it handed in ${before} before`);
  const head = headOf(work, limits);
  if (!('tip' in head)) return head;
  const gap = await unknownBase(place, { work, head }, repository);
  if (gap !== null) return gap;
  const known = [work.from, ...head.needs];
  return inQuarantine(place, { repository, known }, async (quarantine) => {
    const problem = await problemIn(place, { quarantine, asked, head });
    if (problem !== null) return problem;
    if (!(await asked.isWanted())) return notWanted;
    const { directory: from } = quarantine;
    await ensureCommit(place, { into: repository.root, from, commit: work.tip });
    return comeIn(place, asked, repository);
  });
}

const notWanted = refused('bundle.not_wanted', 'another execution owns the attempt now');

function headOf({ bundle, tip }: WorkBundle, limits: BundleLimits): BundleHead | Refusal {
  if (bundle.length > limits.bytes) return tooLarge(bundle.length, limits.bytes, 'packed');
  const read = readBundleHead(bundle);
  if (!read.ok) return read;
  const { head } = read;
  if (head.objects > limits.objects) {
    const detail = `${head.objects} objects of at most ${limits.objects}`;
    return refused('bundle.too_many_objects', detail);
  }
  if (head.tip !== tip) return refused('bundle.wrong_tip', `it carries ${head.tip}, not ${tip}`);
  return head;
}

/** What it stands on must be history of what the work started from, not anything that is there. */
async function unknownBase(
  place: Place,
  { work, head }: { readonly work: WorkBundle; readonly head: BundleHead },
  repository: Repository,
): Promise<Refusal | null> {
  const call = { cwd: repository.root };
  for (const commit of [work.from, ...head.needs]) {
    const isThere = (await commitOf(place, commit, call)) === commit;
    const isOwn = isThere && (await isAncestor(place, [commit, work.from], call));
    if (!isOwn) return refused('bundle.missing_base', `it stands on ${commit}`);
  }
  return null;
}

interface Looking {
  readonly quarantine: Quarantine;
  readonly asked: TakeIn;
  readonly head: BundleHead;
}

async function problemIn(place: Place, looking: Looking): Promise<Refusal | null> {
  const { quarantine, asked, head } = looking;
  const { work, limits } = asked;
  const { call } = quarantine;
  const unsound = await unsoundness(place, looking);
  if (unsound !== null) return unsound;
  const bytes = await unpackedBytes(place, quarantine);
  if (bytes > limits.unpackedBytes) return tooLarge(bytes, limits.unpackedBytes, 'unpacked');
  if ((await commitOf(place, head.tip, call)) !== head.tip) {
    return refused('bundle.wrong_tip', `${head.tip} is no commit in it`);
  }
  if (!(await isAncestor(place, [work.from, head.tip], call))) {
    return refused('bundle.wrong_tip', `${head.tip} does not go on from ${work.from}`);
  }
  const unsafe = await unsafeEntry(place, call, [work.from, head.tip]);
  return unsafe === null ? null : refused(unsafe.reason, unsafe.detail);
}

/** Git's own checks, each the strictest that it has; null: it found nothing. */
async function unsoundness(place: Place, looking: Looking): Promise<Refusal | null> {
  const { quarantine, asked, head } = looking;
  const { bundle, from } = asked.work;
  const { call, directory } = quarantine;
  const file = join(directory, 'work.bundle');
  await writeFile(file, bundle, { mode: 0o600 });
  const limit = `--max-input-size=${asked.limits.bytes}`;
  const checks: readonly (readonly [readonly string[], Uint8Array | undefined])[] = [
    [['bundle', 'verify', '-q', file], undefined],
    [['index-pack', '--stdin', '--strict', '--fix-thin', limit], bundle.subarray(head.packAt)],
    [['rev-list', '--objects', '--quiet', head.tip, '--not', from], undefined],
  ];
  for (const [args, input] of checks) {
    try {
      const given = input === undefined ? {} : { input };
      await place.git.run(args, { ...call, ...given, deadlineMs: lookMs });
    } catch (error: unknown) {
      if (!(error instanceof WorldError) || error.code !== 'git_failed') throw error;
      const said = (error.details.found ?? error.message).split('\n')[0] ?? '';
      return refused('bundle.not_sound', said.slice(0, 300));
    }
  }
  return null;
}

/** Of what came in, not of what was there: a small pack may hold a very large file. */
async function unpackedBytes(place: Place, { call, directory }: Quarantine): Promise<number> {
  const folder = join(directory, 'objects', 'pack');
  const ids: string[] = [];
  for (const name of await entriesOf(folder)) {
    if (!name.endsWith('.idx')) continue;
    const input = await readFile(join(folder, name));
    const listed = await place.git.text(['show-index'], { ...call, input });
    ids.push(...listed.split('\n').map((line) => line.split(' ')[1] ?? ''));
  }
  const asked = ['cat-file', '--batch-check=%(objectsize)'];
  const sizes = await place.git.text(asked, { ...call, input: `${ids.join('\n')}\n` });
  return sizes.split('\n').reduce((sum, size) => sum + Number(size), 0);
}

/** Its objects are there: now its refs, each only while it is wanted. */
async function comeIn(place: Place, asked: TakeIn, repository: Repository): Promise<Taken> {
  const { work, isWanted } = asked;
  const call = { cwd: repository.root };
  const ref = incomingRef(work);
  const old = await commitOf(place, ref, call);
  const move = { ref, to: work.tip, old, why: 'pawl: incoming' };
  if (old !== work.tip && !(await moveRef(place, move, call))) {
    return refused('bundle.other_work', 'other work of the same execution came in meanwhile');
  }
  if (!(await isWanted())) return notWanted;
  const branch = await branchFor(place, work, repository);
  await markOvertaken(place.home, work.run, work.tip);
  await moveBranch(place, { root: repository.root, run: work.run, branch }, work.tip);
  return { ok: true, branch };
}

/** That of the run's tree on this machine; else its own name, or the next that is free. */
async function branchFor(place: Place, work: WorkBundle, repository: Repository): Promise<string> {
  const call = { cwd: repository.root };
  const own = await allRecords(place.home);
  const record = own.findLast(({ run, root }) => run === work.run && root === work.root);
  if (record !== undefined) return record.branch;
  const isTaken = (await commitOf(place, 'refs/heads/pawl', call)) !== null;
  const stem = isTaken ? work.branch.replace('/', '-') : work.branch;
  const recorded = await commitOf(place, runRef(work.run), call);
  for (let n = 1; n <= namesMax; n += 1) {
    const name = n === 1 ? stem : `${stem}-${n}`;
    const tip = await commitOf(place, `refs/heads/${name}`, call);
    if (tip === null || [work.tip, work.from, recorded].includes(tip)) return name;
  }
  throw new WorldError('workspace_failed', `the branch ${stem} exists with other work`, {
    where: repository.root,
  });
}
