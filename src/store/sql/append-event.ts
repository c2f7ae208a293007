import { query } from '../query.ts';

/** Unique on (stream, version): two writers of one version cannot both succeed. */
export const appendEvent = query<
  [
    stream: number,
    version: number,
    type: string,
    format: number,
    actor: string,
    at: number,
    data: string,
    salt: Uint8Array,
    dataHash: Uint8Array,
    hash: Uint8Array,
  ]
>(`insert into events(stream, version, type, format, actor, at, data, salt, data_hash, hash)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`);
