/**
 * What the lines of `pi --mode json` mean (measured with 0.73.1). Its exit code says nothing: it is
 * 0 after any failure. After a failed answer it may try again or make its context smaller, so that
 * a failure stands only when it leaves; its figures are those of single calls, and are added up.
 */
import type { Usage } from '../../domain/execution/state.ts';
import { amountOf, type Fields, fieldsIn, fieldsOf, textOf } from '../../kernel/json.ts';
import { clipLine } from '../../kernel/text.ts';
import { calledWith, idOf } from '../drivers/fields.ts';
import type { Step, Told, Transcript } from '../drivers/json/transcript.ts';
import { noTokens, sum, type Tokens } from '../drivers/tokens.ts';
import { failureOf } from './failure.ts';

interface PiState {
  readonly tokens: Tokens;
  /** Null: no price was told. */
  readonly costUsd: number | null;
  /** Why its newest answer failed; null: it did not. */
  readonly error: string | null;
}

export const piTranscript: Transcript<PiState> = {
  first: { tokens: noTokens, costUsd: null, error: null },
  step: (state, line) => steps(state, line),
  mode: null,
};

const steps: Step<PiState> = (state, line) => {
  switch (line['type']) {
    case 'session':
      return { state, told: begun(textOf(line['id'])) };
    case 'message_update':
      return { state, told: [bit(fieldsOf(line['assistantMessageEvent']))] };
    case 'message_end':
      return said(state, fieldsOf(line['message']));
    case 'tool_execution_start':
      return { state, told: toolStarted(line) };
    case 'tool_execution_end':
      return { state, told: toolFinished(line) };
    case 'auto_retry_start':
      return { state, told: [{ kind: 'error', detail: retryWords(line) }] };
    case 'compaction_start':
      return { state, told: compacting(state, line['reason']) };
    case 'agent_end':
      return { state, told: [ended(state)] };
    case 'agent_start':
    case 'turn_start':
    case 'turn_end':
    case 'message_start':
    case 'tool_execution_update':
    case 'auto_retry_end':
    case 'compaction_end':
    case 'queue_update':
      return { state, told: [{ kind: 'notice' }] };
    default:
      return null;
  }
};

function begun(session: string | null): readonly Told[] {
  const started: Told = { kind: 'started', version: null, model: null, mode: null };
  return session === null ? [started] : [started, { kind: 'session', id: session }];
}

function bit(event: Fields): Told {
  const text = event['type'] === 'text_delta' ? textOf(event['delta']) : null;
  return text === null ? { kind: 'thought' } : { kind: 'text', text };
}

/** What a user or a tool said is no answer. */
function said(state: PiState, message: Fields): ReturnType<Step<PiState>> {
  if (message['role'] !== 'assistant') return { state, told: [{ kind: 'notice' }] };
  const isFailed = message['stopReason'] === 'error';
  const next = {
    ...added(state, fieldsOf(message['usage'])),
    error: isFailed ? (textOf(message['errorMessage']) ?? '') : null,
  };
  const text = fieldsIn(message['content'])
    .map((block) => (block['type'] === 'text' ? (textOf(block['text']) ?? '') : ''))
    .join('');
  const answer: readonly Told[] = isFailed ? [] : [{ kind: 'answer', text }];
  return { state: next, told: [...answer, { kind: 'usage', usage: soFar(next) }] };
}

function added(state: PiState, usage: Fields): PiState {
  const amount = (key: string) => amountOf(usage[key]) ?? 0;
  const call: Tokens = {
    tokensIn: amount('input'),
    tokensOut: amount('output'),
    cacheRead: amount('cacheRead'),
    cacheWrite: amount('cacheWrite'),
  };
  // It reckons nothing for a model whose price it does not know.
  const cost = amountOf(fieldsOf(usage['cost'])['total']) ?? 0;
  const costUsd = cost === 0 ? state.costUsd : (state.costUsd ?? 0) + cost;
  return { ...state, tokens: sum(state.tokens, call), costUsd };
}

const soFar = ({ tokens, costUsd }: PiState): Usage => ({
  ...{ ...tokens, costUsd, source: 'self-reported' },
});

function toolStarted(line: Fields): readonly Told[] {
  const id = idOf(line['toolCallId']);
  if (id === null) return [{ kind: 'notice' }];
  const name = clipLine(textOf(line['toolName']) ?? 'tool', 120);
  // In seconds.
  const timeout = amountOf(fieldsOf(line['args'])['timeout']);
  const timeoutMs = timeout === null ? null : timeout * 1000;
  return [{ kind: 'tool_started', id, name, timeoutMs, ...calledWith(line['args']) }];
}

function toolFinished(line: Fields): readonly Told[] {
  const id = idOf(line['toolCallId']);
  const status = line['isError'] === true ? 'failed' : 'completed';
  return id === null ? [{ kind: 'notice' }] : [{ kind: 'tool_finished', id, status }];
}

function retryWords(line: Fields): string {
  const [at, of] = [amountOf(line['attempt']) ?? '?', amountOf(line['maxAttempts']) ?? '?'];
  const why = textOf(line['errorMessage']) ?? 'unknown';
  return clipLine(`a call of the model failed and is tried again, ${at} of ${of}: ${why}`, 200);
}

/** Since the model refused its context; else it only makes room in time. */
function compacting({ error }: PiState, reason: unknown): readonly Told[] {
  if (reason !== 'overflow' || error === null) return [{ kind: 'notice' }];
  const failure = { how: 'failed', class: 'context_overflow', detail: error } as const;
  return [{ kind: 'failing', failure }];
}

function ended({ error }: PiState): Told {
  if (error === null) return { kind: 'ended', reason: 'completed', failure: null };
  return { kind: 'failing', failure: failureOf(error) };
}
