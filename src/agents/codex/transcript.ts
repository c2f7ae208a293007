/**
 * What the lines of `codex exec --json` mean (measured with 0.171.0). It tells neither its version
 * nor its sandbox, and nothing at all while the model writes. Its figures are those of the whole
 * thread; what that had used before the turn is taken off.
 */

import { createHash } from 'node:crypto';
import { type Fields, fieldsIn, fieldsOf, textOf } from '../../kernel/json.ts';
import { clipLine } from '../../kernel/text.ts';
import { calledWith, idOf } from '../drivers/fields.ts';
import type { Step, Told, Transcript } from '../drivers/json/transcript.ts';
import { type Counts, countsOf, usageSince } from './counts.ts';
import { failureOf } from './failure.ts';

export interface CodexState {
  readonly before: Counts;
}

export function codexTranscript(before: Counts): Transcript<CodexState> {
  return { first: { before }, step, mode: null };
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
  const told: readonly Told[] = [
    { kind: 'usage', usage: usageSince(state.before, countsOf(usage)) },
    { kind: 'ended', reason: 'completed', failure: null },
  ];
  return { state, told };
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
  return [{ kind: 'tool_started', ...tool, timeoutMs: null, ...inputOf(item) }];
}

function toolOf(item: Fields): { readonly id: string; readonly name: string } | null {
  const type = textOf(item['type']) ?? '';
  const id = idOf(item['id']);
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
            { kind: 'text', text, isWhole: true },
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
    { kind: 'tool_started', id, name, timeoutMs: null, ...inputOf(item) },
    { kind: 'tool_finished', id, status: isDone ? 'completed' : 'failed' },
    ...(item['status'] === 'declined' ? [denied(item, name)] : []),
  ];
}

/** Its own fields tell, or those of what a server's tool is called with, or the files. */
function inputOf(item: Fields) {
  const paths = fieldsIn(item['changes']).map(({ path }) => textOf(path) ?? '');
  if (paths.length > 0) return calledWith({ path: paths });
  return calledWith({ ...fieldsOf(item['arguments']), ...item });
}

function denied(item: Fields, name: string): Told {
  const what = textOf(item['command']) ?? JSON.stringify(item['changes'] ?? name);
  const digest = createHash('sha256')
    .update(JSON.stringify([name, what]))
    .digest('hex');
  return { kind: 'denied', title: clipLine(`${name}: ${what}`, 300), digest };
}

const wordsOf = (value: unknown): string => clipLine(textOf(value) ?? 'no words', 500);
