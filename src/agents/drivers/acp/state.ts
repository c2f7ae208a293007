/** What a conversation over ACP remembers; all of it bounded. */

import type { Fields } from '../../../kernel/json.ts';
import type { TurnEnd } from '../../../ports/agent.ts';
import type { LaneEvent } from '../../../ports/lane-event.ts';
import type { ToldFailure } from '../failure.ts';
import { type PermissionDesk, permissionDesk } from './permissions.ts';
import type { AcpTurn } from './profile.ts';
import { notificationLine, requestLine } from './rpc.ts';
import { type ToolLedger, toolLedger } from './tools.ts';
import { type UsageLedger, usageLedger } from './usage.ts';

/** The request of ours that is not answered yet; there is one at a time. */
export type Step =
  | 'initialize'
  | 'authenticate'
  | 'new'
  | 'resume'
  | 'load'
  | 'setting'
  | 'settling'
  | 'prompt';

export interface AcpState {
  readonly turn: AcpTurn;
  readonly tools: ToolLedger;
  readonly permissions: PermissionDesk;
  readonly usage: UsageLedger;
  requests: number;
  awaited: { readonly id: number; readonly step: Step } | null;
  capabilities: Fields;
  version: string | null;
  sessionId: string | null;
  isReopened: boolean;
  /** How many settings of the turn have been sent. */
  settled: number;
  /** Updates came before the prompt, since the last request was sent. */
  isReplaying: boolean;
  /** How often the last setting was sent again. */
  settlings: number;
  mode: string | null;
  /** Of options that a session has: id → value. */
  readonly options: Map<string, string>;
  model: string | null;
  isCancelled: boolean;
  /** It left what it was held to, so that it may not go on. */
  isCalledOff: boolean;
  text: string;
  /** The newest piece of it. */
  lastPiece: string;
  messageId: string | null;
  /** Lines that were no message. */
  garbage: number;
  over: TurnEnd | null;
}

export interface Out {
  readonly write: string[];
  readonly events: LaneEvent[];
}

export function beginning(turn: AcpTurn): AcpState {
  const state: AcpState = {
    turn,
    tools: toolLedger(turn.profile.tools),
    permissions: permissionDesk(),
    usage: usageLedger(() => !state.isReopened),
    requests: 0,
    awaited: null,
    capabilities: {},
    version: null,
    sessionId: null,
    isReopened: false,
    settled: 0,
    isReplaying: false,
    settlings: 0,
    mode: null,
    options: new Map(),
    model: null,
    isCancelled: false,
    isCalledOff: false,
    text: '',
    lastPiece: '',
    messageId: null,
    garbage: 0,
    over: null,
  };
  return state;
}

/** Sends a request and waits for its answer; what was awaited before is no longer. */
export function ask(state: AcpState, out: Out, step: Step, call: readonly [string, Fields]) {
  state.requests += 1;
  state.awaited = { id: state.requests, step };
  state.isReplaying = false;
  out.write.push(requestLine(state.requests, ...call));
}

/** The turn is over; the first word stands. */
export function finish(state: AcpState, out: Out, end: TurnEnd, reason: string) {
  if (state.over !== null) return;
  state.over = end;
  state.awaited = null;
  out.write.push(...state.permissions.cancelAll());
  out.events.push(...state.tools.close());
  if (end.usage !== null) out.events.push({ kind: 'usage', usage: end.usage });
  out.events.push({ kind: 'turn_finished', reason });
}

/**
 * It asks what only a person can answer. Its turn is called off and is over with that, whether it
 * heeds it or not: over ACP there is no answer to a question.
 */
export function question(state: AcpState, out: Out, text: string) {
  const { sessionId } = state;
  state.isCancelled = true;
  out.write.push(notificationLine('session/cancel', { sessionId }));
  out.events.push({ kind: 'question', text });
  const usage = state.usage.read();
  finish(state, out, { outcome: 'question', text, until: null, usage, sessionId }, 'question');
}

/** The turn is over, and failed. */
export function fail(state: AcpState, out: Out, failure: ToldFailure) {
  const { sessionId } = state;
  const usage = state.usage.read();
  const { detail } = failure;
  if (failure.how === 'limit') {
    const { until } = failure;
    out.events.push({ kind: 'limit', until, detail });
    const end = { outcome: 'limit', text: detail, until, usage, sessionId } as const;
    return finish(state, out, end, 'limit');
  }
  out.events.push({ kind: 'error', detail });
  const end = { outcome: 'failed', class: failure.class, detail, usage, sessionId } as const;
  finish(state, out, end, 'failed');
}
