import { query } from '../query.ts';

/** A name of an owner refers to one artifact at a time. */
export const putReference = query<[owner: number, name: string, digest: Uint8Array]>(
  `insert into artifact_refs(owner, name, digest) values ($1, $2, $3)
on conflict(owner, name) do update set digest = excluded.digest`,
);

export const isReferenced = query<[digest: Uint8Array], { readonly one: number }>(
  'select 1 as one from artifact_refs where digest = $1 limit 1',
);

export const isReferencedBy = query<[digest: Uint8Array, run: string], { readonly one: number }>(
  `select 1 as one from artifact_refs a join runs r on r.seq = a.owner
where a.digest = $1 and r.id = $2 limit 1`,
);

/** Of every parked or ended run without a statement of its newest head (`head/<version>`). */
export const unsignedHeads = query<
  [limit: number],
  { readonly run: string; readonly version: number; readonly head: Uint8Array }
>(`select r.id as run, r.version, r.head from runs r
where r.status in ('complete', 'cancelled', 'needs_operator') and not exists
  (select 1 from artifact_refs a where a.owner = r.seq and a.name = 'head/' || r.version)
order by r.seq limit $1`);

/** Streams of any state whose newest head has no statement. */
export const countUnsigned = query<[], { readonly n: number }>(
  `select count(*) as n from runs r where not exists
  (select 1 from artifact_refs a where a.owner = r.seq and a.name = 'head/' || r.version)`,
);

/** What is there already stays. */
export const keepReference = query<[run: string, name: string, digest: Uint8Array]>(
  `insert into artifact_refs(owner, name, digest)
select seq, $2, $3 from runs where id = $1
on conflict(owner, name) do nothing`,
);

/** Statements, with the hash that the chain has at their version. */
export const keptHeads = query<
  [],
  {
    readonly run: string | null;
    readonly name: string;
    readonly digest: Uint8Array;
    readonly hash: Uint8Array | null;
  }
>(`select s.stream as run, a.name, a.digest, e.hash from artifact_refs a
left join streams s on s.seq = a.owner
left join events e on e.stream = a.owner and e.version = cast(substr(a.name, 6) as integer)
where a.name >= 'head/' and a.name < 'head0' order by a.owner, e.version`);

/** Streams that have grown since their references were last listed; `meta` says to where. */
export const unlisted = query<
  [after: number, limit: number],
  { readonly seq: number; readonly run: string; readonly version: number }
>(`select r.seq, r.id as run, r.version from runs r where r.seq > $1 and not exists
  (select 1 from meta m where m.key = 'listed:' || r.id and m.value = cast(r.version as text))
order by r.seq limit $2`);

/** The version as text: drivers do not agree on what a whole number is (`2`, `2.0`). */
export const setListed = query<[run: string, version: string]>(
  `insert into meta(key, value)
select 'listed:' || id, $2 from runs where id = $1
on conflict(key) do update set value = excluded.value`,
);

/** Each once, with one of those who refer to it. */
export const referredAfter = query<
  [after: Uint8Array, limit: number],
  { readonly digest: Uint8Array; readonly name: string; readonly run: string | null }
>(`select a.digest, min(a.name) as name, min(s.stream) as run from artifact_refs a
left join streams s on s.seq = a.owner
where a.digest > $1 group by a.digest order by a.digest limit $2`);
