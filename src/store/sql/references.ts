import { query } from '../query.ts';

/** A name of an owner refers to one artifact at a time. */
export const putReference = query<[owner: number, name: string, digest: Uint8Array]>(
  `insert into artifact_refs(owner, name, digest) values ($1, $2, $3)
on conflict(owner, name) do update set digest = excluded.digest`,
);

export const isReferenced = query<[digest: Uint8Array], { readonly one: number }>(
  'select 1 as one from artifact_refs where digest = $1 limit 1',
);
