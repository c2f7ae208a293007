/**
 * The state of runs as text, both ways, without the same work twice: a command usually changes a
 * small part of what the one before has written, and turning all of it from and into text costs
 * more than the decision.
 *
 * Invariants:
 *   S1. `parse` answers with what the given text means. The text comes from the row, in this very
 *       transaction; what was kept from an earlier one is used only when its text is the same, byte
 *       for byte. So no state outlives a transaction: the meaning of a text does.
 *   S2. `text` is what `JSON.stringify` gives. A part's text is kept beside the part itself, and a
 *       part never changes: evolving makes another.
 *   S3. At most {@link runsKept} runs are kept, the last used.
 */
import type { Execution } from '../domain/execution/state.ts';
import type { RunId } from '../domain/ids.ts';
import type { RunAggregate } from '../domain/run/aggregate.ts';
import type { RunState } from '../domain/run/state.ts';

/** Twice the commands of one transaction. */
export const runsKept = 256;

export interface StateText {
  parse(run: RunId, text: string): RunAggregate;
  text(run: RunId, aggregate: RunAggregate): string;
}

interface Kept {
  readonly text: string;
  readonly aggregate: RunAggregate;
}

export function stateText(): StateText {
  const kept = new Map<RunId, Kept>();
  const parts = new WeakMap<RunState | Execution, string>();
  const partText = (part: RunState | Execution): string => {
    const known = parts.get(part);
    if (known !== undefined) return known;
    const text = JSON.stringify(part);
    parts.set(part, text);
    return text;
  };
  const keep = (run: RunId, state: Kept): void => {
    kept.delete(run);
    kept.set(run, state);
    if (kept.size <= runsKept) return;
    for (const eldest of kept.keys()) {
      kept.delete(eldest);
      return;
    }
  };
  return {
    parse: (run, text) => {
      const known = kept.get(run);
      if (known?.text === text) return known.aggregate;
      const aggregate = JSON.parse(text) as RunAggregate;
      keep(run, { text, aggregate });
      return aggregate;
    },
    text: (run, aggregate) => {
      const members = {
        run: partText(aggregate.run),
        executions: `[${aggregate.executions.map(partText).join(',')}]`,
      } satisfies Record<keyof RunAggregate, string>;
      const text = `{"run":${members.run},"executions":${members.executions}}`;
      keep(run, { text, aggregate });
      return text;
    },
  };
}
