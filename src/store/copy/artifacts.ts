/** The bytes that rows of the copy refer to, one artifact at a time. */
import type { Digest } from '../../domain/ids.ts';
import { WorldError } from '../../kernel/errors.ts';
import type { CopyReport } from '../../ports/store-admin.ts';
import { digestText } from '../bytes.ts';
import { query } from '../query.ts';
import type { Connection } from '../sqlite/connection.ts';
import type { CopyOptions } from './options.ts';

const digestsAfter = query<[after: Uint8Array, limit: number], { readonly digest: Uint8Array }>(
  `select distinct digest from artifact_refs where digest > $1 order by digest limit $2`,
);

const atOnce = 200;

type Copied = CopyReport['artifacts'];

/** What is not there, or not what it was, is counted and left: the references say its digest. */
export async function copyArtifacts(
  source: Connection,
  { artifacts, progress }: Pick<CopyOptions, 'artifacts' | 'progress'>,
): Promise<Copied> {
  const { from, to } = artifacts;
  if (to === null) return null;
  const counted = { copied: 0, bytes: 0, missing: 0 };
  let after: Uint8Array = new Uint8Array();
  for (;;) {
    const page = source.all(digestsAfter, after, atOnce);
    for (const { digest } of page) {
      const bytes = await bytesOf(from, digestText(digest));
      if (bytes === null) counted.missing += 1;
      else {
        // The kind is of the one who put it first; content is the same whatever it is called.
        await to.put(bytes, 'output');
        counted.copied += 1;
        counted.bytes += bytes.byteLength;
      }
    }
    progress({ table: 'artifacts', done: counted.copied, rows: null });
    const last = page.at(-1);
    if (last === undefined || page.length < atOnce) return counted;
    after = last.digest;
  }
}

async function bytesOf(
  from: CopyOptions['artifacts']['from'],
  digest: Digest,
): Promise<Uint8Array | null> {
  try {
    return await from.get(digest);
  } catch (error: unknown) {
    if (error instanceof WorldError && error.code === 'artifact_damaged') return null;
    throw error;
  }
}
