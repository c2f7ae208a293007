import { query } from '../query.ts';

export const insertRun = query<
  [
    seq: number,
    id: string,
    name: string,
    project: string,
    kind: string,
    status: string,
    phase: string | null,
    disposition: string | null,
    reason: string | null,
    version: number,
    head: Uint8Array,
    definition: string,
    at: number,
    state: string,
  ]
>(`insert into runs(seq, id, name, project, kind, status, phase, disposition, reason, version,
  head, definition, created_at, updated_at, state)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $13, $14)`);
