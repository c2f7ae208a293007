/**
 * Which tools of a turn are open. An id begins once and ends once; what is open when the turn ends
 * is `unknown`. Bounded: beyond so many open ones the oldest is given up, and of those that ended
 * the newest are remembered.
 */
import type { LaneEvent } from '../../../ports/lane-event.ts';

const openMax = 200;
const closedMax = 2_000;

type Started = Extract<LaneEvent, { readonly kind: 'tool_started' }>;
type Finished = Extract<LaneEvent, { readonly kind: 'tool_finished' }>;

export interface OpenTools {
  started(event: Started): readonly LaneEvent[];
  /** An end without a beginning is none: nothing was ever open under that id. */
  finished(event: Finished): readonly LaneEvent[];
  /** The turn is over. */
  close(): readonly LaneEvent[];
}

export function openTools(): OpenTools {
  const open = new Set<string>();
  const closed = new Set<string>();
  const end = (id: string, status: Finished['status']): LaneEvent => {
    open.delete(id);
    closed.add(id);
    const [oldest] = closed;
    if (closed.size > closedMax && oldest !== undefined) closed.delete(oldest);
    return { kind: 'tool_finished', id, status };
  };
  return {
    started(event) {
      if (open.has(event.id) || closed.has(event.id)) return [{ kind: 'notice' }];
      open.add(event.id);
      const [oldest] = open;
      const given = open.size > openMax && oldest !== undefined ? [end(oldest, 'unknown')] : [];
      return [...given, event];
    },
    finished: ({ id, status }) => (open.has(id) ? [end(id, status)] : [{ kind: 'notice' }]),
    close: () => [...open].map((id) => end(id, 'unknown')),
  };
}
