import { query } from '../query.ts';

/** Moves the run's version only from the expected one, so a stale writer changes nothing. */
export const advanceRun = query<
  [
    seq: number,
    expected: number,
    status: string,
    phase: string | null,
    disposition: string | null,
    reason: string | null,
    version: number,
    head: Uint8Array,
    updatedAt: number,
    state: string,
  ]
>(`update runs set status = $3, phase = $4, disposition = $5, reason = $6, version = $7,
  head = $8, updated_at = $9, state = $10
where seq = $1 and version = $2`);
