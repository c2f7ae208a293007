import { query } from '../query.ts';

/** Moves the run's version only from the expected one, so a stale writer changes nothing. */
export const advanceRun = query<
  [seq: number, expected: number, version: number, head: Uint8Array, at: number, state: string]
>(`update runs set version = $3, head = $4, updated_at = $5, state = $6
where seq = $1 and version = $2`);

/** What {@link advanceRun} leaves alone, for then the indexes over it are not written either. */
export const relabelRun = query<
  [
    seq: number,
    status: string,
    phase: string | null,
    disposition: string | null,
    reason: string | null,
  ]
>('update runs set status = $2, phase = $3, disposition = $4, reason = $5 where seq = $1');
