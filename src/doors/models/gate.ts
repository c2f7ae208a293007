/**
 * Why requests are refused now, if they are. A spent budget, a long limit, a refused credential and
 * a service that keeps failing each close the door for everything that follows, side errands too,
 * so that a CLI gives up at once instead of trying in its own way. Pure state; the clock is given.
 */
import type { Instant } from '../../domain/ids.ts';
import type { DoorClosed, RefusalReason } from '../../ports/models-door.ts';
import { type LimitAct, type LimitHistory, noLimits, onLimit } from './limit-policy.ts';
import type { LimitWord } from './limits.ts';

/** Failures in a row after which asking on is no use. */
const failuresMax = 3;

export interface Refused {
  readonly reason: RefusalReason;
  readonly detail: string;
}

export interface Gate {
  /** A limit that is over opens the door by itself; the other causes wait for {@link reopen}. */
  closed(nowMs: number): DoorClosed | null;
  refused(nowMs: number): Refused | null;
  budgetSpent(limit: 'cost' | 'tokens'): void;
  credentialRefused(): void;
  limited(word: LimitWord, nowMs: number): LimitAct;
  /** True when this failure closed the door. */
  failed(): boolean;
  failures(): number;
  answered(): void;
  reopen(): void;
}

export function gate(): Gate {
  let closed: DoorClosed | null = null;
  let limits: LimitHistory = noLimits;
  let failures = 0;
  const closedAt = (nowMs: number): DoorClosed | null => {
    if (closed?.why === 'limit' && closed.until !== null && closed.until <= nowMs) closed = null;
    return closed;
  };
  return {
    closed: closedAt,
    refused(nowMs) {
      const why = closedAt(nowMs);
      return why === null ? null : refusedFor(why);
    },
    budgetSpent(limit) {
      closed = { why: 'budget', limit };
    },
    credentialRefused() {
      closed = { why: 'credential' };
    },
    limited(word, nowMs) {
      const next = onLimit(limits, word, nowMs);
      limits = next.history;
      const { act } = next;
      if (act.act === 'park') closed = { why: 'limit', until: act.untilMs as Instant | null };
      return act;
    },
    failed() {
      failures += 1;
      if (failures < failuresMax) return false;
      closed = { why: 'upstream' };
      return true;
    },
    failures: () => failures,
    answered() {
      failures = 0;
      limits = noLimits;
    },
    reopen() {
      closed = null;
      failures = 0;
    },
  };
}

export function refusedFor(why: DoorClosed): Refused {
  switch (why.why) {
    case 'budget':
      return { reason: 'budget_exceeded', detail: why.limit };
    case 'credential':
      return { reason: 'credential_refused', detail: '' };
    case 'upstream':
      return { reason: 'upstream_down', detail: '' };
    case 'limit':
      return { reason: 'limit_until', detail: why.until === null ? 'unknown' : iso(why.until) };
  }
}

/** Far ends of a broken header would not be a date. */
function iso(at: number): string {
  const latest = 8.64e15;
  return new Date(Math.min(at, latest)).toISOString();
}
