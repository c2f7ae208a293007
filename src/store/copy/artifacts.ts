/**
 * The bytes that rows of the copy refer to, one artifact at a time and a bounded part of it. Each
 * is verified three times over: before anything is put, as it is read again, and by the digest that
 * the database names it by.
 */
import type { Digest } from '../../domain/ids.ts';
import { type RequestError, WorldError } from '../../kernel/errors.ts';
import { invariant } from '../../kernel/invariant.ts';
import type { ArtifactStore } from '../../ports/artifacts.ts';
import type { CopyReport } from '../../ports/store-admin.ts';
import { chunkBytes } from '../artifacts/chunks.ts';
import { digestText } from '../bytes.ts';
import type { Session } from '../postgres/connect.ts';
import { openPostgres } from '../postgres/postgres-store.ts';
import { query } from '../query.ts';
import type { Connection } from '../sqlite/connection.ts';
import type { CopyOptions } from './options.ts';
import { refused } from './source.ts';

const digestsAfter = query<[after: Uint8Array, limit: number], { readonly digest: Uint8Array }>(
  `select distinct digest from artifact_refs where digest > $1 order by digest limit $2`,
);

const whoRefers = query<
  [digest: Uint8Array],
  { readonly name: string; readonly stream: string | null }
>(
  `select a.name, s.stream from artifact_refs a left join streams s on s.seq = a.owner
where a.digest = $1 order by a.owner, a.name limit 1`,
);

/** Waits for a collector that has one in hand, and keeps the next one away until the commit. */
const notHeld = query<[], { readonly digest: Uint8Array }>(
  `with held as materialized (select digest, state from artifacts
  where digest in (select digest from artifact_refs) order by digest for share)
select digest from artifact_refs r
where not exists (select from held h where h.digest = r.digest and h.state = 'ready') limit 1`,
);

const atOnce = 200;
const namedMax = 5;

type Copied = CopyReport['artifacts'];
type Readable = CopyOptions['artifacts'];

/**
 * What there is to copy, each byte of it read and verified.
 * @throws RequestError `copy_refused`, which names what is missing or changed.
 */
export async function checkBytes(source: Connection, artifacts: Readable): Promise<Copied> {
  const found = { copied: 0, bytes: 0 };
  const wrong: string[] = [];
  let wrongs = 0;
  for (const digest of referred(source)) {
    const size = await sizeOf(artifacts, digestText(digest));
    if (typeof size === 'number') {
      found.copied += 1;
      found.bytes += size;
      continue;
    }
    wrongs += 1;
    if (wrong.length < namedMax) wrong.push(`${shown(source, digest)} ${size}`);
  }
  if (wrongs > 0) throw notWhole(wrongs, wrong);
  return found;
}

/**
 * Whoever is interrupted leaves bytes that nobody refers to: a second try finds them, and without
 * one they are collected.
 */
export async function copyBytes(
  source: Connection,
  { artifacts, url, clock, progress }: CopyOptions,
  { copied: of }: Copied,
): Promise<void> {
  if (of === 0) return;
  const target = await openPostgres({ url, clock, connectionsMax: 1 });
  try {
    let done = 0;
    for (const bytes of referred(source)) {
      const digest = digestText(bytes);
      try {
        const put = await putFrom(artifacts, target.artifacts, digest);
        if (put === null) throw notWhole(1, [`${shown(source, bytes)} is missing`]);
        invariant(put === digest, `the bytes that were read as ${digest} are put as ${put}`);
      } catch (error: unknown) {
        throw isDamaged(error) ? notWhole(1, [`${shown(source, bytes)} was changed`]) : error;
      }
      done += 1;
      progress({ table: 'artifacts', done, of });
    }
  } finally {
    await target.store.close();
  }
}

/**
 * Every artifact that a row of this transaction refers to is there, and stays until it ends.
 * @throws WorldError `artifact_missing`.
 */
export async function holdReferred(session: Session): Promise<void> {
  const [gone] = await session.all(notHeld);
  if (gone === undefined) return;
  const digest = digestText(gone.digest);
  throw new WorldError('artifact_missing', `artifact ${digest} was removed while it was copied`, {
    so: 'nothing was kept of the copy',
    next: 'pawl db copy, while nothing else works on that database',
  });
}

function* referred(source: Connection): Iterable<Uint8Array> {
  let after: Uint8Array = new Uint8Array();
  for (;;) {
    const page = source.all(digestsAfter, after, atOnce);
    for (const { digest } of page) yield digest;
    const last = page.at(-1);
    if (last === undefined || page.length < atOnce) return;
    after = last.digest;
  }
}

/** A text says what is wrong with it. */
async function sizeOf(artifacts: Readable, digest: Digest): Promise<number | string> {
  const found = await artifacts.parts(digest);
  if (found === null) return 'is missing';
  try {
    for await (const part of found.bytes) void part;
    return found.size;
  } catch (error: unknown) {
    if (isDamaged(error)) return 'was changed';
    throw error;
  }
}

/** The kind is of the one who put it first; content is the same whatever it is called. */
async function putFrom(
  artifacts: Readable,
  to: ArtifactStore,
  digest: Digest,
): Promise<Digest | null> {
  const found = await artifacts.parts(digest);
  if (found === null) return null;
  if (found.size > chunkBytes) return await to.putParts(found.bytes, 'output');
  // In one statement, and none at all where an earlier try has put it.
  const parts: Uint8Array[] = [];
  for await (const part of found.bytes) parts.push(part);
  return await to.put(Buffer.concat(parts), 'output');
}

function shown(source: Connection, digest: Uint8Array): string {
  const by = source.get(whoRefers, digest);
  return `${digestText(digest)} (${by?.name} of ${by?.stream ?? 'an unknown run'})`;
}

const isDamaged = (error: unknown): boolean =>
  error instanceof WorldError && error.code === 'artifact_damaged';

const notWhole = (count: number, named: readonly string[]): RequestError =>
  refused(
    `${count} of the artifacts that the store refers to ${count === 1 ? 'is' : 'are'} not whole`,
    {
      found: `${named.join('; ')}${count > named.length ? '; …' : ''}`,
      next: 'bring them back from a backup of artifacts/ in PAWL_HOME: <first two digits>/<the rest>',
    },
  );
