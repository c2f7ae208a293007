/**
 * What is known of an agent's tools within a turn. Its status is a hint (research/acp.md §5.6):
 * updates come for ids that were never announced, go backwards, or never come to an end. So an id
 * begins with whatever names it first, ends once, and what is open when the turn ends is `unknown`.
 * Bounded: of the ids that ended the newest are remembered, of the open ones the oldest is given
 * up.
 */

import { type Fields, textOf } from '../../../kernel/json.ts';
import { clipLine } from '../../../kernel/text.ts';
import type { LaneEvent } from '../../../ports/lane-event.ts';
import { calledWith, idOf, timeoutOf } from '../fields.ts';

const openMax = 200;
const closedMax = 2_000;
const nameMax = 120;

export interface ToolLedger {
  /** A `tool_call` or a `tool_call_update`. */
  seen(call: Fields): readonly LaneEvent[];
  /** It was allowed to run; an agent may never announce it otherwise. */
  allowed(call: Fields): readonly LaneEvent[];
  /** The name under which it began, or what a call itself says. */
  nameOf(call: Fields): string;
  /** The turn is over. */
  close(): readonly LaneEvent[];
}

export interface ToolNaming {
  /** What a call is called for people; the same for the same tool. */
  readonly nameOf: (call: Fields) => string | null;
  /** False: `pending` is not yet running, and the agent tells when it is. */
  readonly beginsPending: boolean;
}

export function toolLedger(naming: ToolNaming): ToolLedger {
  /** Id → name, in order of their beginning. */
  const open = new Map<string, string>();
  /** Names of ids that were announced and do not run yet. */
  const announced = new Map<string, string>();
  const closed = new Set<string>();

  const named = (call: Fields): string => {
    const id = idOf(call['toolCallId']);
    const known = id === null ? undefined : (open.get(id) ?? announced.get(id));
    return known ?? clipLine(naming.nameOf(call) ?? usualName(call), nameMax);
  };
  const end = (id: string, status: 'completed' | 'failed' | 'unknown'): LaneEvent => {
    open.delete(id);
    announced.delete(id);
    closed.add(id);
    forgetOldest(closed, closedMax);
    return { kind: 'tool_finished', id, status };
  };
  const begin = (id: string, call: Fields): readonly LaneEvent[] => {
    if (open.has(id)) return [];
    const name = named(call);
    announced.delete(id);
    open.set(id, name);
    const [oldest] = open.keys();
    const given = open.size > openMax && oldest !== undefined ? [end(oldest, 'unknown')] : [];
    const timeoutMs = timeoutOf(call['rawInput']);
    return [...given, { kind: 'tool_started', id, name, timeoutMs, ...withOf(call, name) }];
  };
  const announces = (id: string, call: Fields) =>
    call['status'] === 'pending' && !naming.beginsPending && !open.has(id);
  const announce = (id: string, call: Fields) => {
    announced.set(id, named(call));
    forgetOldest(announced, openMax);
  };
  return {
    seen(call) {
      const id = idOf(call['toolCallId']);
      if (id === null || closed.has(id)) return [{ kind: 'notice' }];
      const ended = endOf(call);
      if (ended !== null) return [...begin(id, call), end(id, ended)];
      if (announces(id, call)) announce(id, call);
      else if (!open.has(id)) return begin(id, call);
      return [{ kind: 'notice' }];
    },
    allowed(call) {
      const id = idOf(call['toolCallId']);
      return id === null || closed.has(id) ? [] : begin(id, call);
    },
    nameOf: named,
    close: () => [...open.keys()].map((id) => end(id, 'unknown')),
  };
}

function endOf({ status }: Fields): 'completed' | 'failed' | null {
  return status === 'completed' || status === 'failed' ? status : null;
}

/** Its input, else its title, which tells the same in the agent's own words. */
function withOf(call: Fields, name: string): { readonly with?: string } {
  const given = calledWith(call['rawInput']);
  const title = textOf(call['title']);
  return given.with !== undefined || title === name ? given : calledWith({ command: title });
}

function usualName(call: Fields): string {
  return textOf(call['name']) ?? textOf(call['kind']) ?? textOf(call['title']) ?? 'tool';
}

/** Maps and sets keep the order in which they were filled. */
function forgetOldest(
  kept: { readonly size: number; keys(): Iterator<string>; delete(key: string): boolean },
  max: number,
): void {
  const oldest = kept.size > max ? kept.keys().next().value : undefined;
  if (oldest !== undefined) kept.delete(oldest);
}
