/**
 * The newest rows of journals elsewhere, for whoever watches: bounded and in memory, since the
 * journal itself is an artifact of the seal. Rows come in order and each once.
 */
import type { PlaneRequest } from '../../contract/plane.ts';

export type EventRow = PlaneRequest<'events'>['rows'][number];

export interface EventTail {
  /** The number of the row that is wanted next; null: rows before these are missing. */
  append(execution: string, from: number, rows: readonly EventRow[]): number | null;
  read(execution: string): readonly EventRow[];
}

const rowsMax = 500;
const executionsMax = 500;

export function eventTail(): EventTail {
  const tails = new Map<string, { next: number; rows: readonly EventRow[] }>();
  return {
    append: (execution, from, rows) => {
      // After a restart of the server nobody knows the beginning: it goes on where it is.
      const tail = tails.get(execution) ?? { next: from, rows: [] };
      if (from > tail.next) return null;
      const fresh = rows.slice(tail.next - from);
      const next = tail.next + fresh.length;
      tails.delete(execution);
      tails.set(execution, { next, rows: [...tail.rows, ...fresh].slice(-rowsMax) });
      const oldest = tails.keys().next().value;
      if (tails.size > executionsMax && oldest !== undefined) tails.delete(oldest);
      return next;
    },
    read: (execution) => tails.get(execution)?.rows ?? [],
  };
}
