/**
 * A turn of an agent over the Agent Client Protocol, version 1 (research/acp.md), as a conversation
 * without input or output of its own. One process, one session, one prompt. The answer to the
 * prompt ends the turn; it is no verdict, since agents say `end_turn` after a failure, too.
 *
 * It does not: recover (that is the run's business), show life (the host listens to the events), or
 * end the process: after `turn_finished` the host closes its stdin and ends what does not go.
 */

import { type Fields, textOf } from '../../../kernel/json.ts';
import { clipLine } from '../../../kernel/text.ts';
import type { ProgramExit, Said, Talk, TurnEnd } from '../../../ports/agent.ts';
import { exitWords } from '../failure.ts';
import { withLeft } from '../left-result.ts';
import { failureOf } from './failure.ts';
import { answered, initialize, refused } from './opening.ts';
import type { AcpTurn } from './profile.ts';
import { notificationLine, type RpcId, readMessage } from './rpc.ts';
import { type AcpState, beginning, fail, finish, type Out } from './state.ts';
import { asked, decided, notified } from './updates.ts';

/** A message that is longer is left alone as if it were none: no agent's are a tenth of it. */
const messageMax = 16 * 1024 * 1024;
/** So many lines that are no message are told of; the others are only counted. */
const garbageToldMax = 3;
/** Bounds of the agent's own; that it met one is no verdict, only no end of its work. */
const cuts: ReadonlySet<string> = new Set(['max_tokens', 'max_turn_requests']);

export function acpTalk(turn: AcpTurn): Talk {
  const state = beginning(turn);
  const within = (work: (out: Out) => void): Said => {
    const out: Out = { write: [], events: [] };
    work(out);
    return out;
  };
  return {
    isOpen: true,
    isProtocol: true,
    prompt: 'told',
    begin: () => within((out) => initialize(state, out)),
    line: (text) => within((out) => heard(state, out, text)),
    decide: (request, decision) => within((out) => decided(state, out, request, decision)),
    cancel: () => within((out) => cancel(state, out)),
    isCalledOff: () => state.isCalledOff,
    isRecorded: () => isRecorded(state),
    end: (exit, left) => withLeft(state.over ?? died(state, exit), left, state.sessionId),
  };
}

function heard(state: AcpState, out: Out, text: string) {
  if (text.trim() === '') return;
  const message = text.length > messageMax ? null : readMessage(text);
  if (message === null) return garbage(state, out, text);
  switch (message.kind) {
    case 'request':
      return asked(state, out, message.method, message);
    case 'notification':
      return notified(state, out, message.method, message.params);
    case 'result':
      return replied(state, message.id, (step) => {
        if (step === 'prompt') promptAnswered(state, out, message.result);
        else answered(state, out, step, message.result);
      });
    case 'error':
      return replied(state, message.id, (step) => {
        if (step === 'prompt') fail(state, out, failureOf(message.error));
        else refused(state, out, step, message.error);
      });
  }
}

type Awaited = NonNullable<AcpState['awaited']>['step'];

/** An answer to what was not asked, or was answered before, changes nothing. */
function replied(state: AcpState, id: RpcId, take: (step: Awaited) => void) {
  const { awaited } = state;
  if (awaited === null || String(awaited.id) !== String(id)) return;
  state.awaited = null;
  take(awaited.step);
}

function garbage(state: AcpState, out: Out, text: string) {
  state.garbage += 1;
  if (state.garbage > garbageToldMax) return;
  const detail = `it printed what is no message: ${clipLine(text, 120)}`;
  out.events.push({ kind: 'error', detail });
}

function promptAnswered(state: AcpState, out: Out, result: Fields) {
  state.usage.answered(result);
  const { text, lastPiece, sessionId, turn } = state;
  const usage = state.usage.read();
  const said = { text, lastPiece, usage };
  const failure = state.isCancelled ? null : turn.profile.silentFailure?.(said);
  if (failure !== null && failure !== undefined) return fail(state, out, failure);
  const answer = text.trim() === '' ? null : text;
  const reason = clipLine(textOf(result['stopReason']) ?? 'unknown', 80);
  const cut = !state.isCancelled && cuts.has(reason) ? { cut: reason } : {};
  const end = { outcome: 'turn_ended', text: answer, until: null, usage, sessionId } as const;
  finish(state, out, { ...end, ...cut }, reason);
}

/** Nothing to call off before there is a prompt: its stdin is closed then, which ends it. */
function cancel(state: AcpState, out: Out) {
  if (state.isCancelled || state.awaited?.step !== 'prompt') return;
  state.isCancelled = true;
  const { sessionId } = state;
  out.write.push(notificationLine('session/cancel', { sessionId }));
  out.write.push(...state.permissions.cancelAll());
}

/** What was cancelled or failed has no last word that would be written down. */
function isRecorded({ over, isCancelled, turn }: AcpState): boolean {
  if (isCancelled || over?.outcome !== 'turn_ended' || over.sessionId === null) return true;
  return turn.profile.isRecorded?.(over.sessionId) ?? true;
}

/** It is gone without an answer to its prompt. */
function died(state: AcpState, { exit, signal }: ProgramExit): TurnEnd {
  const how = exitWords({ exit, signal });
  const detail = `the agent ${how} before it had answered ${state.awaited?.step ?? 'anything'}`;
  const usage = state.usage.read();
  const { sessionId, turn } = state;
  const meaning = exit === null ? undefined : turn.profile.exits[exit];
  if (meaning === undefined) return { outcome: 'lane_died', detail, usage };
  return { outcome: 'failed', class: meaning, detail, usage, sessionId };
}
