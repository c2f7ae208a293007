/** Requests of an agent for leave that came to nothing: a fact of its turn, and its words. */
import { clipLine } from './text.ts';

/**
 * Why: what `onPermission` says, the agent's own rules, a human's no, a human's silence, or that no
 * human could be asked.
 */
export const refusalReasons = ['deny', 'stop', 'agent', 'rejected', 'expired', 'unasked'] as const;
export type RefusalReason = (typeof refusalReasons)[number];

/** Of one turn, or of one attempt. */
export interface Refusals {
  readonly count: number;
  /** The first one, redacted: at most 100 and 200 characters. */
  readonly tool: string | null;
  readonly call: string;
  /** Of the first one. */
  readonly why: RefusalReason;
}

export const refusedToolMax = 100;
export const refusedCallMax = 200;
/** Of the call in a sentence. */
const shownMax = 80;

const reasons: Readonly<Record<RefusalReason, string>> = {
  deny: 'onPermission deny',
  stop: 'onPermission stop',
  agent: "the agent's own rules",
  rejected: 'rejected by a human',
  expired: 'expired, nobody answered',
  unasked: 'no human could be asked',
};

/** The first one stands; absent: none. */
export function refusalsWith(before: Refusals | undefined, next: Refusals): Refusals {
  return before === undefined ? next : { ...before, count: before.count + next.count };
}

/** `2 requests refused: Bash "echo q > q1.txt" (onPermission deny)`. */
export function refusalWords({ count, tool, call, why }: Refusals): string {
  const requests = count === 1 ? '1 request' : `${count} requests`;
  const quoted = `"${clipLine(call, shownMax)}"`;
  const what = tool === null ? quoted : `${clipLine(tool, shownMax)} ${quoted}`;
  return `${requests} refused: ${what} (${reasons[why]})`;
}
