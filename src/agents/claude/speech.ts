/**
 * What is said to Claude Code while it works, and what it asks then (measured with 2.1.332): its
 * control messages, which `--permission-prompt-tool stdio` turns on. Only with somebody to answer
 * does it offer the model its tool for questions. Pure.
 */

import { type Fields, fieldsOf, textOf } from '../../kernel/json.ts';
import { clipLine } from '../../kernel/text.ts';
import { idOf } from '../drivers/fields.ts';
import type { Speech, Told } from '../drivers/json/transcript.ts';
import { questionText } from '../drivers/questions.ts';

/** `digest` of the call that a request is about. */
export function requestTold(line: Fields, digest: (tool: string, input: unknown) => string): Told {
  const request = idOf(line['request_id']);
  if (request === null) return { kind: 'notice' };
  const asked = fieldsOf(line['request']);
  const tool = textOf(asked['tool_name']);
  if (asked['subtype'] !== 'can_use_tool' || tool === null) {
    return { kind: 'unknown_request', request };
  }
  const input = asked['input'] ?? {};
  const text = tool === 'AskUserQuestion' ? questionText(input) : null;
  if (text !== null) return { kind: 'question', text, request };
  const title = clipLine(`${tool}: ${titleOf(fieldsOf(input))}`, 300);
  return { kind: 'permission', request, tool, title, digest: digest(tool, input), input };
}

function titleOf(input: Fields): string {
  return textOf(input['command']) ?? textOf(input['file_path']) ?? JSON.stringify(input);
}

const line = (message: Fields): string => `${JSON.stringify(message)}\n`;

const denied = 'It is not permitted.';
const ended = 'It is told to the operator, whose answer comes with the next turn.';

export function claudeSpeech(prompt: string): Speech {
  const request = { type: 'control_request', request_id: 'pawl-cancel' };
  return {
    begin: line({ type: 'user', message: { role: 'user', content: prompt } }),
    cancel: line({ ...request, request: { subtype: 'interrupt' } }),
    answer: (request_id, how, input) =>
      line({ type: 'control_response', response: { request_id, ...answerOf(how, input) } }),
  };
}

function answerOf(how: Parameters<Speech['answer']>[1], input: unknown): Fields {
  switch (how) {
    case 'unknown':
      return { subtype: 'error', error: 'there is nobody to answer this' };
    case 'allow':
      return { subtype: 'success', response: { behavior: 'allow', updatedInput: input } };
    case 'deny':
      return { subtype: 'success', response: { behavior: 'deny', message: denied } };
    case 'end': {
      const response = { behavior: 'deny', message: ended, interrupt: true };
      return { subtype: 'success', response };
    }
  }
}
