import { query } from '../query.ts';

export interface EventColumns {
  readonly position: number;
  readonly run: string;
  readonly version: number;
  readonly actor: string;
  readonly at: number;
  readonly data: string;
}

const columns = `select e.position, streams.stream as run, e.version, e.actor, e.at, e.data
from events e join streams on streams.seq = e.stream`;

/** In order of version. Erased events have no data left and are left out. */
export const eventsOfRun = query<[run: string, after: number, limit: number], EventColumns>(
  `${columns} where e.stream = (select seq from streams where stream = $1) and e.version > $2
  and e.data is not null order by e.version limit $3`,
);

/** In order of position, which on SQLite is the order of the commits. */
export const eventsAfter = query<[position: number, limit: number], EventColumns>(
  `${columns} where e.position > $1 and e.data is not null order by e.position limit $2`,
);

/** Erased ones too: whoever was sent one is no stranger. */
export const reachesEvent = query<[position: number], { readonly position: number }>(
  'select position from events where position >= $1 order by position limit 1',
);

export interface ChainColumns {
  readonly version: number;
  readonly type: string;
  readonly format: number;
  readonly actor: string;
  readonly at: number;
  readonly data: string | null;
  readonly salt: Uint8Array | null;
  readonly data_hash: Uint8Array;
  readonly hash: Uint8Array;
}

/** Of one stream, erased ones too, for the check of the chain. */
export const chainOfStream = query<
  [stream: number, after: number, limit: number],
  ChainColumns
>(`select version, type, format, actor, at, data, salt, data_hash, hash from events
where stream = $1 and version > $2 order by version limit $3`);

export const chainOfRun = query<
  [run: string, after: number, limit: number],
  ChainColumns
>(`select version, type, format, actor, at, data, salt, data_hash, hash from events
where stream = (select seq from streams where stream = $1) and version > $2
order by version limit $3`);

export const headOfStream = query<
  [stream: number],
  { readonly version: number; readonly head: Uint8Array }
>('select version, head from runs where seq = $1');
