import { query } from '../query.ts';

export interface SeatColumns {
  readonly seat: string;
  readonly worker: string;
  readonly boot_id: string;
  readonly pid: number;
  readonly started: number;
  readonly beat: number;
  readonly version: string;
  readonly since: number;
}

const columns = 'select seat, worker, boot_id, pid, started, beat, version, since from drivers';

export const seatRow = query<[seat: string], SeatColumns>(`${columns} where seat = $1`);

export const seatRows = query<[], SeatColumns>(`${columns} order by seat`);

/** Read and decided on in the same transaction. */
export const putSeat = query<
  [
    seat: string,
    worker: string,
    bootId: string,
    pid: number,
    started: number,
    version: string,
    since: number,
  ]
>(`insert into drivers(seat, worker, boot_id, pid, started, beat, version, since)
values ($1, $2, $3, $4, $5, 0, $6, $7)
on conflict(seat) do update set worker = excluded.worker, boot_id = excluded.boot_id,
  pid = excluded.pid, started = excluded.started, beat = 0, version = excluded.version,
  since = excluded.since`);

export const beatSeat = query<[seat: string, bootId: string, pid: number, started: number]>(
  `update drivers set beat = beat + 1
where seat = $1 and boot_id = $2 and pid = $3 and started = $4`,
);

export const leaveSeat = query<[seat: string, bootId: string, pid: number, started: number]>(
  'delete from drivers where seat = $1 and boot_id = $2 and pid = $3 and started = $4',
);
