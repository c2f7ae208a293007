import type { Execution } from '../domain/execution/state.ts';
import type { ExecutionRow } from '../ports/store.ts';

/** Whether the row already says what the columns that move would. */
export function isSameRow(known: Execution, row: ExecutionRow): boolean {
  return (
    known.status === row.status &&
    known.class === row.class &&
    (known.grant?.fence ?? 0) === row.fence &&
    known.grant?.holder.worker === row.lease?.holder.worker
  );
}

export const jobKey = ({ role, job }: Pick<ExecutionRow, 'role' | 'job'>): string =>
  `${role}:${job.step ?? '-'}`;
