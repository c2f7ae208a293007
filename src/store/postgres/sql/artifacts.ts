/**
 * Artifacts as rows: `ready` ones are seen, `deleting` ones are not. Ages are counted by the clock
 * of the database, which all servers share.
 */
import { query } from '../../query.ts';
import type { Formatted } from './writes.ts';

const now = '(extract(epoch from clock_timestamp()) * 1000)::bigint';
const formatIs = "exists (select from meta where key = 'format' and value = $1)";

/** Its age is counted anew before anybody hears that it is here. */
export const touchArtifact = query<
  [format: string, digest: Uint8Array],
  Formatted & { readonly there: boolean }
>(`with touched as (update artifacts set touched_at = ${now}
  where digest = $2 and state = 'ready' and ${formatIs} returning digest)
select (select value from meta where key = 'format') as format,
  exists (select from touched) as there`);

/**
 * One that is being removed comes back under another content; one that another has put stays as it
 * is, and then no row comes back.
 */
const putRow = (content: string, from: string) => `insert into artifacts
    (digest, size, kind, state, touched_at, content)
  select $2, $3, $4, 'ready', ${now}, ${content} from ${from}
  on conflict(digest) do update set state = 'ready', kind = excluded.kind,
    touched_at = excluded.touched_at, content = excluded.content
  where artifacts.state = 'deleting'
  returning content`;

/** All of it in one chunk. */
export const putSmall = query<
  [format: string, digest: Uint8Array, size: number, kind: string, bytes: Uint8Array],
  { readonly kept: boolean }
>(`with kept as (${putRow("nextval('artifact_contents')", `(select 1 where ${formatIs}) as f`)}),
chunk as (insert into artifact_chunks(content, no, bytes) select content, 0, $5 from kept)
select exists (select from kept) as kept`);

export const beginUpload = query<[format: string], { readonly content: number }>(
  `insert into artifact_uploads(content, touched_at)
select nextval('artifact_contents'), ${now} where ${formatIs} returning content`,
);

/** No row: the upload is not there any more. */
export const putChunk = query<
  [content: number, no: number, bytes: Uint8Array],
  { readonly content: number }
>(`with alive as (update artifact_uploads set touched_at = ${now} where content = $1
  returning content),
chunk as (insert into artifact_chunks(content, no, bytes) select content, $2, $3 from alive
  on conflict(content, no) do nothing)
select content from alive`);

/** Held until the end of the transaction; no row: it was finished, or is not there any more. */
export const lockUpload = query<[content: number], { readonly content: number }>(
  'select content from artifact_uploads where content = $1 for update',
);

export const sizeOfContent = query<
  [content: number],
  { readonly chunks: number; readonly bytes: number }
>(`select count(*) as chunks, coalesce(sum(octet_length(bytes)), 0)::bigint as bytes
from artifact_chunks where content = $1`);

export const putLarge = query<
  [format: string, digest: Uint8Array, size: number, kind: string, content: number],
  { readonly content: number }
>(putRow('$5::bigint', `(select 1 where ${formatIs}) as f`));

export const endUpload = query<[content: number], never>(
  'delete from artifact_uploads where content = $1',
);

/** Nobody goes on with it: the next collection takes its bytes. */
export const giveUpUpload = query<[content: number], never>(
  'update artifact_uploads set touched_at = 0 where content = $1',
);

export interface ArtifactColumns {
  readonly content: number;
  readonly size: number;
}

export const artifactByDigest = query<[digest: Uint8Array], ArtifactColumns>(
  "select content, size from artifacts where digest = $1 and state = 'ready'",
);

export const chunkOf = query<[content: number, no: number], { readonly bytes: Uint8Array }>(
  'select bytes from artifact_chunks where content = $1 and no = $2',
);

/** Of nobody, and not put since: in the order of digests, so that each is looked at once. */
export const orphans = query<
  [before: number, after: Uint8Array, limit: number],
  { readonly digest: Uint8Array; readonly size: number }
>(`select digest, size from artifacts a
where digest > $2 and state = 'ready' and touched_at < $1
  and not exists (select from artifact_refs r where r.digest = a.digest)
order by digest limit $3`);

/** Waits for whoever refers to one of them in an open transaction. */
export const lockOrphans = query<
  [before: number, digests: readonly string[]],
  { readonly hex: string }
>(`select encode(digest, 'hex') as hex from artifacts
where digest in (select decode(hex, 'hex') from unnest($2::text[]) as hex)
  and state = 'ready' and touched_at < $1
order by digest for update`);

/** A statement of its own after the lock: it sees the references that came in until then. */
export const markDeleting = query<
  [digests: readonly string[]],
  { readonly content: number; readonly size: number }
>(`with marked as (update artifacts a set state = 'deleting'
  where a.digest in (select decode(hex, 'hex') from unnest($1::text[]) as hex)
    and not exists (select from artifact_refs r where r.digest = a.digest)
  returning a.content, a.size),
given_up as (insert into artifact_uploads(content, touched_at) select content, 0 from marked)
select content, size from marked`);

/** Contents that no artifact names: cut off, given up, or marked. */
export const staleUploads = query<
  [before: number, after: number, limit: number],
  { readonly content: number }
>(`select content from artifact_uploads where content > $2 and touched_at < $1
order by content limit $3`);

/** Bytes, then the row of what was being removed; one that came back has another content. */
export const removeContent = query<[before: number, content: number], never>(
  `with gone as (delete from artifact_uploads where content = $2 and touched_at < $1
  returning content),
chunks as (delete from artifact_chunks c using gone where c.content = gone.content)
delete from artifacts a using gone where a.content = gone.content and a.state = 'deleting'`,
);

/** Held until the reference is written, so that no collector comes between. */
export const stateForReference = query<[digest: Uint8Array], { readonly state: string }>(
  'select state from artifacts where digest = $1 for share',
);
