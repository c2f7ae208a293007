/**
 * The record that Qwen Code keeps of a conversation, and takes it up from. It answers a prompt
 * before its last words are in there, writes them behind its own back, and leaves at once when its
 * stdin is closed, without waiting for what is still to be written (0.15.10: the end of a program
 * over ACP flushes the record of no session). So it must be seen that they are there before that.
 */
import { join } from 'node:path';
import { type Fields, fieldsIn, fieldsOf, parsedJson, textOf } from '../../kernel/json.ts';
import type { TurnSetting } from '../../ports/agent.ts';

/** What is read of a record: far more than one answer of a model. */
const recordBytesMax = 1024 * 1024;
const isSession = /^[0-9a-fA-F-]{32,36}$/;
const messages: ReadonlySet<unknown> = new Set(['user', 'assistant', 'tool_result']);

/**
 * Whether the record of a session holds the end of the turn that begins now. What has no record
 * where one is looked for is not waited for: the user keeps none, or has moved it.
 */
export function recordOf(setting: TurnSetting): (sessionId: string) => boolean {
  const { dispatch, programs } = setting;
  const projects = join(homeOf(setting), 'projects');
  const lastOf = (sessionId: string): Fields | null => {
    const chat = join('chats', `${sessionId}.jsonl`);
    const [end] = programs.list(projects).flatMap((project) => {
      const text = programs.tail(join(projects, project, chat), recordBytesMax);
      return text === null ? [] : [text];
    });
    return end === undefined ? null : lastMessage(end);
  };
  const known = (sessionId: string) => (isSession.test(sessionId) ? lastOf(sessionId) : null);
  const before = dispatch.sessionId === null ? null : known(dispatch.sessionId);
  return (sessionId) => {
    const last = known(sessionId);
    if (last === null) return true;
    return textOf(last['uuid']) !== textOf(before?.['uuid']) && isAnswer(last);
  };
}

/** Where it keeps its records: not always where it keeps its settings. */
function homeOf({ role, env, files }: TurnSetting): string {
  const own = role.models === 'inject' ? files.home : env['QWEN_HOME'];
  return env['QWEN_RUNTIME_DIR'] ?? own ?? join(env['HOME'] ?? '/', '.qwen');
}

/** Its last word of a conversation; figures and titles stand in between. */
function lastMessage(lines: string): Fields {
  for (const line of lines.split('\n').reverse()) {
    const record = fieldsOf(parsedJson(line));
    if (messages.has(record['type'])) return record;
  }
  return {};
}

/** An answer that calls a tool is followed by what came of that, and by another answer. */
function isAnswer({ type, message }: Fields): boolean {
  const parts = fieldsIn(fieldsOf(message)['parts']);
  return type === 'assistant' && !parts.some((part) => 'functionCall' in part);
}
