/**
 * What the lines of `claude -p --output-format stream-json` mean (measured with 2.1.332). A step
 * over one line; the state is what has to be remembered between lines, and bounded.
 *
 * What it says of a resumed conversation's cost and models is that of the whole conversation; what
 * belongs to this turn stands in `model_usage_since_last_result`.
 */

import { createHash } from 'node:crypto';
import type { Usage } from '../../domain/execution/state.ts';
import { amountOf, type Fields, fieldsOf, isFields, listOf, textOf } from '../../kernel/json.ts';
import { clipLine } from '../../kernel/text.ts';
import { calledWith, idOf, timeoutOf } from '../drivers/fields.ts';
import type { Speech, Step, Told, Transcript } from '../drivers/json/transcript.ts';
import { noTokens, sum, type Tokens } from '../drivers/tokens.ts';
import { type ApiTrouble, failureOf, noTrouble, resetOf, troubleOf } from './failure.ts';
import { requestTold } from './speech.ts';

export interface ClaudeState {
  /** As it told at its results; added up since then; of the message that is being written. */
  readonly settled: Tokens;
  readonly done: Tokens;
  readonly current: Tokens;
  /** What its results cost; null: not told. */
  readonly costUsd: number | null;
  /** Text of the newest message came bit by bit, so that the whole is no news. */
  readonly isStreamed: boolean;
  /** Ids of tools that were refused → told already. The newest ones. */
  readonly denied: readonly string[];
  /** The newest calls, so that a refusal can be known again. */
  readonly calls: readonly { readonly id: string; readonly digest: string }[];
  readonly trouble: ApiTrouble;
  readonly isResumed: boolean;
}

const kept = 100;
const first: ClaudeState = {
  ...{ settled: noTokens, done: noTokens, current: noTokens, costUsd: null, isStreamed: false },
  ...{ denied: [], calls: [], trouble: noTrouble, isResumed: false },
};

/** `mode`: as `system/init` names it. */
export function claudeTranscript(
  mode: string,
  isResumed: boolean,
  speech: Speech,
): Transcript<ClaudeState> {
  return { first: { ...first, isResumed }, step, mode, speech };
}

const step: Step<ClaudeState> = (state, line) => {
  switch (line['type']) {
    case 'system':
      return system(state, line);
    case 'stream_event':
      return streamed(state, line);
    case 'assistant':
      return assistant(state, line);
    case 'user':
      return { state, told: resultsOf(line) };
    case 'result':
      return result(state, line);
    case 'control_request':
      return requested(state, line);
    case 'control_cancel_request':
      return withdrawn(state, line);
    case 'rate_limit_event':
      return { state: withReset(state, line), told: [{ kind: 'notice' }] };
    case 'control_response':
    case 'tool_progress':
    case 'tool_use_summary':
    case 'auth_status':
      return only(state, { kind: 'notice' });
    default:
      return null;
  }
};

const only = (state: ClaudeState, ...told: readonly Told[]) => ({ state, told });

function system(state: ClaudeState, line: Fields) {
  switch (line['subtype']) {
    case 'init':
      return only(state, ...begun(line));
    case 'thinking_tokens':
      return only(state, { kind: 'thought' });
    case 'permission_denied':
      return denied(state, {
        id: idOf(line['tool_use_id']),
        tool: textOf(line['tool_name']) ?? 'a tool',
        title: textOf(line['message']) ?? '',
      });
    case 'api_retry':
      return only(state, { kind: 'error', detail: retryWords(line) });
    default:
      return only(state, { kind: 'notice' });
  }
}

function begun(line: Fields): readonly Told[] {
  const session = textOf(line['session_id']);
  const started: Told = {
    kind: 'started',
    version: textOf(line['claude_code_version']),
    model: textOf(line['model']),
    mode: textOf(line['permissionMode']),
  };
  return session === null ? [started] : [started, { kind: 'session', id: session }];
}

function retryWords(line: Fields): string {
  const status = amountOf(line['error_status']);
  const why = `${textOf(line['error']) ?? 'unknown'}${status === null ? '' : ` (${status})`}`;
  const [at, of] = [amountOf(line['attempt']) ?? '?', amountOf(line['max_retries']) ?? '?'];
  return clipLine(`a call of the model failed and is tried again, ${at} of ${of}: ${why}`, 200);
}

interface Denial {
  readonly id: string | null;
  readonly tool: string;
  readonly title: string;
  readonly input?: unknown;
}

/** Once a call: it is told when it happens, and again at the end of the turn. */
function denied(state: ClaudeState, { id, tool, title, input }: Denial) {
  if (id !== null && state.denied.includes(id)) return only(state);
  const known = state.calls.find((call) => call.id === id)?.digest;
  const digest = known ?? digestOf(tool, input ?? title);
  const told: Told = { kind: 'denied', title: clipLine(`${tool}: ${title}`, 300), digest };
  const next = id === null ? state : { ...state, denied: [...state.denied, id].slice(-kept) };
  return only(next, told);
}

/** The same for the same tool with the same input. */
function digestOf(tool: string, input: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify([tool, input]))
    .digest('hex');
}

/** What is asked for here is not told a second time as refused. */
function requested(state: ClaudeState, line: Fields) {
  const id = idOf(fieldsOf(line['request'])['tool_use_id']);
  const known = state.calls.find((call) => call.id === id)?.digest;
  const told = requestTold(line, (tool, input) => known ?? digestOf(tool, input));
  const next = id === null ? state : { ...state, denied: [...state.denied, id].slice(-kept) };
  return only(next, told);
}

function withdrawn(state: ClaudeState, line: Fields) {
  const request = idOf(line['request_id']);
  return only(state, request === null ? { kind: 'notice' } : { kind: 'withdrawn', request });
}

/** Bits of a message of the main conversation; those of a sub-agent are not its text. */
function streamed(state: ClaudeState, line: Fields) {
  const event = fieldsOf(line['event']);
  if ((line['parent_tool_use_id'] ?? null) !== null) return only(state, { kind: 'thought' });
  switch (event['type']) {
    case 'message_start': {
      const done = sum(state.done, state.current);
      const current = tokensOf(fieldsOf(fieldsOf(event['message'])['usage']));
      return only({ ...state, done, current, isStreamed: false }, { kind: 'notice' });
    }
    case 'content_block_delta':
      return bit(state, fieldsOf(event['delta']));
    case 'message_delta': {
      const tokensOut = amountOf(fieldsOf(event['usage'])['output_tokens']);
      const current = { ...state.current, tokensOut: tokensOut ?? state.current.tokensOut };
      const next = { ...state, current };
      return only(next, { kind: 'usage', usage: soFar(next) });
    }
    default:
      return only(state, { kind: 'notice' });
  }
}

function bit(state: ClaudeState, delta: Fields) {
  const text = delta['type'] === 'text_delta' ? textOf(delta['text']) : null;
  if (text === null) return only(state, { kind: 'thought' });
  const first = state.isStreamed ? {} : ({ isFirst: true } as const);
  return only({ ...state, isStreamed: true }, { kind: 'text', text, ...first });
}

function assistant(state: ClaudeState, line: Fields) {
  const error = textOf(line['error']);
  if (error !== null) return only({ ...state, trouble: troubleOf(line, state.trouble) });
  const isMain = (line['parent_tool_use_id'] ?? null) === null;
  const told: Told[] = [];
  let { calls } = state;
  for (const block of listOf(fieldsOf(line['message'])['content'])) {
    if (!isFields(block)) continue;
    told.push(...blockTold(block, isMain, state.isStreamed));
    const [id, name] = [idOf(block['id']), textOf(block['name'])];
    if (id === null || name === null) continue;
    calls = [...calls, { id, digest: digestOf(name, block['input'] ?? null) }].slice(-kept);
  }
  return only({ ...state, calls, trouble: noTrouble }, ...told);
}

function blockTold(block: Fields, isMain: boolean, isStreamed: boolean): readonly Told[] {
  const text = block['type'] === 'text' && isMain ? textOf(block['text']) : null;
  if (text !== null) {
    return [{ kind: 'answer', text }, ...(isStreamed ? [] : [whole(text)])];
  }
  const id = block['type'] === 'tool_use' ? idOf(block['id']) : null;
  if (id === null) return [{ kind: 'thought' }];
  const name = clipLine(textOf(block['name']) ?? 'tool', 120);
  const input = block['input'];
  return [{ kind: 'tool_started', id, name, timeoutMs: timeoutOf(input), ...calledWith(input) }];
}

const whole = (text: string) => ({ kind: 'text', text, isWhole: true }) as const;

function resultsOf(line: Fields): readonly Told[] {
  return listOf(fieldsOf(line['message'])['content']).flatMap((block): readonly Told[] => {
    const { type, tool_use_id, is_error } = fieldsOf(block);
    const id = type === 'tool_result' ? idOf(tool_use_id) : null;
    return id === null
      ? []
      : [{ kind: 'tool_finished', id, status: is_error === true ? 'failed' : 'completed' }];
  });
}

/** What follows while prompts wait in its own queue is the same turn. */
function result(state: ClaudeState, line: Fields) {
  const denials = listOf(line['permission_denials']).map((one): Denial => {
    const { tool_use_id, tool_name, tool_input } = fieldsOf(one);
    const tool = textOf(tool_name) ?? 'a tool';
    return { id: idOf(tool_use_id), tool, title: 'it was not allowed', input: tool_input };
  });
  const told: Told[] = [];
  let next = settled(state, line);
  for (const one of denials) {
    const each = denied(next, one);
    next = each.state;
    told.push(...each.told);
  }
  const text = line['is_error'] === true ? null : textOf(line['result']);
  if (text !== null) told.push({ kind: 'answer', text });
  told.push({ kind: 'usage', usage: soFar(next) });
  if ((amountOf(line['queued_turn_count']) ?? 0) > 0) return only(next, ...told);
  const reason = textOf(line['terminal_reason']) ?? textOf(line['stop_reason']) ?? 'unknown';
  // It calls that an error; its work only waits to be gone on with.
  const isCut = reason === 'max_turns';
  const failure = isCut ? null : failureOf(line, state);
  return only(next, ...told, { kind: 'ended', reason, failure, isCut });
}

/** The figures of a result stand over those that were added up until then. */
function settled(state: ClaudeState, line: Fields): ClaudeState {
  const models = Object.values(fieldsOf(line['model_usage_since_last_result'])).map(fieldsOf);
  const cost = models.map((one) => amountOf(one['costUSD']) ?? 0).reduce((a, b) => a + b, 0);
  const isTold = models.length > 0;
  const turn = isTold
    ? models.map(modelTokens).reduce(sum, noTokens)
    : tokensOf(fieldsOf(line['usage']));
  // Of a conversation that was taken up it tells what all of it has cost.
  const whole = state.isResumed ? null : amountOf(line['total_cost_usd']);
  return {
    ...{ ...state, done: noTokens, current: noTokens, settled: sum(state.settled, turn) },
    costUsd: isTold ? (state.costUsd ?? 0) + cost : (whole ?? state.costUsd),
  };
}

function withReset(state: ClaudeState, line: Fields): ClaudeState {
  const until = resetOf(line);
  return until === null ? state : { ...state, trouble: { ...state.trouble, until } };
}

function soFar({ settled: told, done, current, costUsd }: ClaudeState): Usage {
  return { ...sum(told, sum(done, current)), costUsd, source: 'self-reported' };
}

function tokensOf(usage: Fields): Tokens {
  return {
    tokensIn: amountOf(usage['input_tokens']) ?? 0,
    tokensOut: amountOf(usage['output_tokens']) ?? 0,
    cacheRead: amountOf(usage['cache_read_input_tokens']) ?? 0,
    cacheWrite: amountOf(usage['cache_creation_input_tokens']) ?? 0,
  };
}

function modelTokens(usage: Fields): Tokens {
  return {
    tokensIn: amountOf(usage['inputTokens']) ?? 0,
    tokensOut: amountOf(usage['outputTokens']) ?? 0,
    cacheRead: amountOf(usage['cacheReadInputTokens']) ?? 0,
    cacheWrite: amountOf(usage['cacheCreationInputTokens']) ?? 0,
  };
}
