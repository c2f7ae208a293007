/**
 * What the lines of `codex exec --json` mean (measured with 0.171.0). It tells neither its version
 * nor its sandbox, and nothing at all while the model writes.
 *
 * Its figures are those of the whole thread, so what the thread had used before is taken off. That
 * travels with the name of the conversation: `<thread>+<input>.<cached>.<written>.<output>`. What a
 * turn used that never told its figures is then in those of the next one, and nothing is lost.
 */
import { createHash } from 'node:crypto';
import type { Usage } from '../../domain/execution/state.ts';
import { clipLine } from '../../kernel/text.ts';
import { amountOf, type Fields, fieldsOf, textOf } from '../drivers/json/fields.ts';
import type { Step, Told, Transcript } from '../drivers/json/transcript.ts';
import { failureOf } from './failure.ts';

/** As the service counts: the input holds what was cached and written to a cache. */
interface Counts {
  readonly input: number;
  readonly cached: number;
  readonly written: number;
  readonly output: number;
}

export interface CodexState {
  readonly before: Counts;
  readonly now: Counts | null;
}

export interface CodexSession {
  readonly thread: string;
  readonly before: Counts;
}

const none: Counts = { input: 0, cached: 0, written: 0, output: 0 };

/** Null for what is no name of ours: it is never put into an argument. */
export function sessionOf(id: string): CodexSession | null {
  const found = /^([0-9a-f][0-9a-f-]{7,63})(?:\+(\d{1,15})\.(\d{1,15})\.(\d{1,15})\.(\d{1,15}))?$/;
  const [, thread, ...counts] = found.exec(id) ?? [];
  if (thread === undefined) return null;
  const [input = 0, cached = 0, written = 0, output = 0] = counts.map((one) => Number(one ?? 0));
  return { thread, before: { input, cached, written, output } };
}

export function codexTranscript(session: CodexSession | null): Transcript<CodexState> {
  return {
    first: { before: session?.before ?? none, now: null },
    step,
    mode: null,
    sessionId: ({ before, now }, thread) => named(thread, now ?? before),
  };
}

function named(thread: string, { input, cached, written, output }: Counts): string {
  const counts = [input, cached, written, output];
  return counts.every((count) => count === 0) ? thread : `${thread}+${counts.join('.')}`;
}

const step: Step<CodexState> = (state, line) => {
  switch (line['type']) {
    case 'thread.started':
      return { state, told: begun(textOf(line['thread_id'])) };
    case 'item.started':
      return { state, told: itemStarted(fieldsOf(line['item'])) };
    case 'item.completed':
      return { state, told: itemCompleted(fieldsOf(line['item'])) };
    case 'turn.started':
    case 'item.updated':
      return { state, told: [{ kind: 'notice' }] };
    // It goes on after most of these: only `turn.failed` is final.
    case 'error':
      return { state, told: [{ kind: 'error', detail: wordsOf(line['message']) }] };
    case 'turn.completed':
      return completed(state, fieldsOf(line['usage']));
    case 'turn.failed': {
      const failure = failureOf(textOf(fieldsOf(line['error'])['message']) ?? '');
      return { state, told: [{ kind: 'ended', reason: 'failed', failure }] };
    }
    default:
      return null;
  }
};

function begun(thread: string | null): readonly Told[] {
  const started: Told = { kind: 'started', version: null, model: null, mode: null };
  return thread === null ? [started] : [started, { kind: 'session', id: thread }];
}

function completed(state: CodexState, usage: Fields) {
  const now = {
    input: whole(usage['input_tokens']),
    cached: whole(usage['cached_input_tokens']),
    written: whole(usage['cache_write_input_tokens']),
    output: whole(usage['output_tokens']),
  };
  const told: readonly Told[] = [
    { kind: 'usage', usage: since(state.before, now) },
    { kind: 'ended', reason: 'completed', failure: null },
  ];
  return { state: { ...state, now }, told };
}

const whole = (value: unknown): number => Math.round(Math.min(amountOf(value) ?? 0, 1e14));

/** A thread that tells less than before (it was compacted, or is another) began anew. */
function since(before: Counts, now: Counts): Usage {
  const base = now.input < before.input || now.output < before.output ? none : before;
  const cacheRead = Math.max(0, now.cached - base.cached);
  const cacheWrite = Math.max(0, now.written - base.written);
  return {
    ...{ costUsd: null, source: 'self-reported', cacheRead, cacheWrite },
    tokensIn: Math.max(0, now.input - base.input - cacheRead - cacheWrite),
    tokensOut: now.output - base.output,
  };
}

/** What it works with, by the type of its item; the others are no tools. */
const toolNames: Readonly<Record<string, string>> = {
  command_execution: 'shell',
  file_change: 'edit',
  mcp_tool_call: 'mcp',
  web_search: 'web_search',
  collab_tool_call: 'agent',
};

function itemStarted(item: Fields): readonly Told[] {
  const tool = toolOf(item);
  if (tool === null) return [{ kind: 'notice' }];
  return [{ kind: 'tool_started', ...tool, timeoutMs: null }];
}

function toolOf(item: Fields): { readonly id: string; readonly name: string } | null {
  const type = textOf(item['type']) ?? '';
  const id = textOf(item['id']);
  if (id === null || !Object.hasOwn(toolNames, type)) return null;
  const own = [textOf(item['server']), textOf(item['tool'])].filter((part) => part !== null);
  return { id, name: own.length === 0 ? (toolNames[type] ?? type) : clipLine(own.join('/'), 120) };
}

function itemCompleted(item: Fields): readonly Told[] {
  const tool = toolOf(item);
  if (tool !== null) return toolCompleted(item, tool);
  switch (item['type']) {
    case 'agent_message': {
      const text = textOf(item['text']);
      return text === null
        ? []
        : [
            { kind: 'text', text },
            { kind: 'answer', text },
          ];
    }
    // A warning: that it does not know the model, for one.
    case 'error':
      return [{ kind: 'error', detail: wordsOf(item['message']) }];
    case 'reasoning':
      return [{ kind: 'thought' }];
    default:
      return [{ kind: 'notice' }];
  }
}

function toolCompleted(
  item: Fields,
  { id, name }: { readonly id: string; readonly name: string },
): readonly Told[] {
  const isDone = item['status'] === 'completed';
  return [
    // Some are told only when they end.
    { kind: 'tool_started', id, name, timeoutMs: null },
    { kind: 'tool_finished', id, status: isDone ? 'completed' : 'failed' },
    ...(item['status'] === 'declined' ? [denied(item, name)] : []),
  ];
}

function denied(item: Fields, name: string): Told {
  const what = textOf(item['command']) ?? JSON.stringify(item['changes'] ?? name);
  const digest = createHash('sha256')
    .update(JSON.stringify([name, what]))
    .digest('hex');
  return { kind: 'denied', title: clipLine(`${name}: ${what}`, 300), digest };
}

const wordsOf = (value: unknown): string => clipLine(textOf(value) ?? 'no words', 500);
