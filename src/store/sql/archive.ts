import { query } from '../query.ts';

export interface EndedColumns {
  readonly seq: number;
  readonly run: string;
  readonly version: number;
  readonly head: Uint8Array;
  readonly state: string;
}

/**
 * Ended before that instant, oldest first. The run of the newest event stays: a file gives its
 * position to the next event, which whoever follows would then not see.
 */
export const endedRuns = query<
  [after: number, before: number, limit: number],
  EndedColumns
>(`select r.seq, r.id as run, r.version, r.head, r.state from runs r
where r.seq > $1 and r.status in ('complete', 'cancelled') and r.updated_at < $2
  and not exists (select 1 from executions e where e.run = r.seq
    and e.status not in ('SUCCEEDED', 'FAILED', 'CANCELLED', 'EXHAUSTED'))
  and r.seq <> (select stream from events order by position desc limit 1)
order by r.seq limit $3`);

/** Only a run that is where it was archived. */
export const archivedRun = query<
  [id: string, version: number, head: Uint8Array],
  { readonly seq: number }
>(`select seq from runs where id = $1 and version = $2 and head = $3
  and status in ('complete', 'cancelled')`);

/** `archived:` and the name of the stream, which stays in the registry. */
export const archiveMarks = query<[], { readonly key: string; readonly value: string }>(
  "select key, value from meta where key >= 'archived:' and key < 'archived;' order by key",
);

type Drop = [run: number];
export const dropEvidence = query<Drop>(
  'delete from evidence where execution in (select id from executions where run = $1)',
);
export const dropLeases = query<Drop>(
  'delete from leases where execution in (select seq from executions where run = $1)',
);
export const dropToolCalls = query<Drop>('delete from tool_calls where run = $1');
export const dropCheckpoints = query<Drop>('delete from checkpoints where run = $1');
export const dropTimers = query<Drop>('delete from timers where stream = $1');
export const dropApprovals = query<Drop>('delete from approvals where run = $1');
export const dropExecutions = query<Drop>('delete from executions where run = $1');
export const dropEvents = query<Drop>('delete from events where stream = $1');
/**
 * The archive itself stays referred to, and so do the receipts, which are shown to strangers, and
 * the escalations, which no event repeats.
 */
export const dropReferences = query<Drop>(
  `delete from artifact_refs where owner = $1 and name <> 'archive'
  and name not like 'receipt.%' and name not like 'escalation.%'`,
);
export const dropListed = query<[key: string]>('delete from meta where key = $1');
export const dropRun = query<Drop>('delete from runs where seq = $1');
