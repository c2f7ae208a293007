/**
 * How far the rows of journals elsewhere have come, so that they come in order and each once. The
 * rows themselves are not kept: the journal is an artifact of the seal.
 */

export interface EventTail {
  /** The number of the row that is wanted next; null: rows before these are missing. */
  append(execution: string, from: number, rows: number): number | null;
}

const executionsMax = 500;

export function eventTail(): EventTail {
  const wanted = new Map<string, number>();
  return {
    append: (execution, from, rows) => {
      // After a restart of the server nobody knows the beginning: it goes on where it is.
      const before = wanted.get(execution) ?? from;
      if (from > before) return null;
      const next = Math.max(before, from + rows);
      wanted.delete(execution);
      wanted.set(execution, next);
      const oldest = wanted.keys().next().value;
      if (wanted.size > executionsMax && oldest !== undefined) wanted.delete(oldest);
      return next;
    },
  };
}
