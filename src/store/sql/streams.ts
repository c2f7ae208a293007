import { query } from '../query.ts';

/** The registry of streams: what lets an audit name a stream that was taken out. */
export const insertStream = query<
  [seq: number, stream: string, previous: string | null, hash: Uint8Array]
>('insert into streams(seq, stream, previous, hash) values ($1, $2, $3, $4)');

export const allStreams = query<
  [],
  {
    readonly seq: number;
    readonly stream: string;
    readonly previous: string | null;
    readonly hash: Uint8Array;
  }
>('select seq, stream, previous, hash from streams order by seq');

/** Rows of streams that the registry does not know. */
export const strayStreams = query<[], { readonly stream: string }>(
  `select id as stream from runs where seq not in (select seq from streams)
union
select 'seq ' || stream from events
where stream not in (select seq from streams) and stream not in (select seq from runs)`,
);
