/** What an agent tells in the middle of a turn, and what it asks. */

import { type Fields, fieldsOf, textOf } from '../../../kernel/json.ts';
import { notHeld, readOptions, stands } from './opening.ts';
import { answerLine, cancelledLine } from './permissions.ts';
import { errorLine, methodNotFound, notificationLine, type RpcId } from './rpc.ts';
import { type AcpState, fail, type Out, question } from './state.ts';

/** Of the last message; a verdict is never read from it. */
const textMax = 64 * 1024;

export function notified(state: AcpState, out: Out, method: string, params: Fields) {
  if (method === '$/cancel_request') return withdrawn(state, out, params['requestId']);
  if (method !== 'session/update' || state.over !== null) return;
  const told = textOf(params['sessionId']);
  if (state.sessionId !== null && told !== null && told !== state.sessionId) return;
  const update = fieldsOf(params['update']);
  if (state.awaited?.step === 'prompt') return updated(state, out, update);
  // What comes before the prompt is an earlier turn's, replayed: no work of this one.
  state.isReplaying = true;
  standing(state, update);
  state.usage.updated(update, true);
}

function updated(state: AcpState, out: Out, update: Fields) {
  switch (update['sessionUpdate']) {
    case 'agent_message_chunk':
      if (state.usage.called(fieldsOf(update['_meta']))) tellUsage(state, out);
      return said(state, out, update);
    case 'agent_thought_chunk':
      out.events.push({ kind: 'thought' });
      return;
    case 'tool_call':
    case 'tool_call_update':
      state.messageId = null;
      state.text = '';
      state.lastPiece = '';
      out.events.push(...state.tools.seen(update));
      return mayAsk(state, out, update);
    case 'usage_update':
      if (state.usage.updated(update, false)) tellUsage(state, out);
      else out.events.push({ kind: 'notice' });
      return;
    case 'current_mode_update':
    case 'config_option_update':
      standing(state, update);
      return heldTo(state, out);
    // A list of commands comes by itself, and says nothing about the turn.
    case 'available_commands_update':
      return;
    default:
      out.events.push({ kind: 'notice' });
  }
}

function mayAsk(state: AcpState, out: Out, call: Fields) {
  const text = state.turn.profile.questionOf(call);
  if (text !== null) question(state, out, text);
}

function tellUsage(state: AcpState, out: Out) {
  const usage = state.usage.read();
  out.events.push(usage === null ? { kind: 'notice' } : { kind: 'usage', usage });
}

function standing(state: AcpState, update: Fields) {
  if (update['sessionUpdate'] === 'current_mode_update') {
    state.mode = textOf(update['currentModeId']) ?? state.mode;
  }
  if (update['sessionUpdate'] === 'config_option_update') readOptions(state, update);
}

/** It left the mode that it was set to: what it does from now on is not what was permitted. */
function heldTo(state: AcpState, out: Out) {
  const wrong = state.turn.settings.find((one) => !stands(state, one));
  if (wrong === undefined) return;
  const { sessionId } = state;
  state.isCalledOff = true;
  out.write.push(notificationLine('session/cancel', { sessionId }));
  fail(state, out, { how: 'failed', class: 'dispatch_failed', detail: notHeld(state, wrong) });
}

function said(state: AcpState, out: Out, update: Fields) {
  const text = textOf(fieldsOf(update['content'])['text']);
  if (text === null) {
    out.events.push({ kind: 'notice' });
    return;
  }
  const messageId = textOf(update['messageId']);
  const isFirst = messageId !== null && messageId !== state.messageId;
  if (isFirst) state.text = '';
  state.messageId = messageId;
  state.text = (state.text + text).slice(0, textMax);
  state.lastPiece = text.slice(0, textMax);
  out.events.push({ kind: 'text', text, ...(isFirst ? { isFirst } : {}) });
}

export function asked(state: AcpState, out: Out, method: string, message: Asked) {
  const { id, params } = message;
  if (method !== 'session/request_permission') {
    out.write.push(errorLine(id, methodNotFound, `there is no ${method.slice(0, 100)} here`));
    return;
  }
  const isLate = state.isCancelled || state.awaited?.step !== 'prompt';
  const text = isLate ? null : state.turn.profile.questionOf(fieldsOf(params['toolCall']));
  if (text !== null) {
    out.write.push(cancelledLine(id));
    return question(state, out, text);
  }
  const event = isLate ? null : state.permissions.asked(id, params, state.tools);
  if (event?.kind !== 'permission') {
    out.write.push(cancelledLine(id));
    return;
  }
  if (state.turn.isTrusted) return decided(state, out, event.request, 'allow');
  out.events.push(event);
}

interface Asked {
  readonly id: RpcId;
  readonly params: Fields;
}

/** What nobody waits for any more is not answered. */
export function decided(state: AcpState, out: Out, request: string, decision: 'allow' | 'deny') {
  const waiting = state.permissions.take(request);
  if (waiting === null) return;
  out.write.push(answerLine(waiting, decision));
  if (decision === 'allow') out.events.push(...state.tools.allowed(waiting.call));
}

function withdrawn(state: AcpState, out: Out, request: unknown) {
  if (typeof request !== 'string' && typeof request !== 'number') return;
  const waiting = state.permissions.take(String(request));
  if (waiting === null) return;
  out.write.push(cancelledLine(waiting.id));
  out.events.push({ kind: 'withdrawn', request: String(request) });
}
