/** Anthropic Messages: input figures at the start, output figures, cumulative, towards the end. */

import { amountOf, type Fields, fieldsOf, isFields, listOf, textOf } from '../../kernel/json.ts';
import type { CallTokens } from '../../ports/models-door.ts';
import { type Answer, type AnswerReader, bytesOf, merged, sawTool } from './answer.ts';

function fold(answer: Answer, event: Fields): Answer {
  switch (event['type']) {
    case 'message_start':
      return begun(answer, fieldsOf(event['message']));
    case 'message_delta':
      return withUsage({ ...answer, isSettled: true }, event['usage']);
    case 'message_stop':
      return { ...answer, isTerminal: true };
    case 'content_block_start':
      return withBlock(answer, fieldsOf(event['content_block']));
    case 'content_block_delta':
      return { ...answer, textBytes: answer.textBytes + deltaBytes(fieldsOf(event['delta'])) };
    case 'message':
      return { ...begun(answer, event), isSettled: true, isTerminal: true };
    default:
      return answer;
  }
}

/** `message_start`, or a whole message, which also holds its blocks. */
function begun(answer: Answer, message: Fields): Answer {
  const named = { ...answer, model: textOf(message['model']) ?? answer.model };
  const blocks = listOf(message['content']).map(fieldsOf);
  return blocks.reduce(withBlock, withUsage(named, message['usage']));
}

function withUsage(answer: Answer, usage: unknown): Answer {
  return isFields(usage) ? { ...answer, told: merged(answer.told, usage) } : answer;
}

function withBlock(answer: Answer, block: Fields): Answer {
  const type = textOf(block['type']) ?? '';
  const textBytes = answer.textBytes + deltaBytes(block);
  const seen = { ...answer, textBytes };
  const isServers = type === 'server_tool_use' || type === 'mcp_tool_use';
  return isServers ? sawTool(seen, textOf(block['name']) ?? type) : seen;
}

function deltaBytes(delta: Fields): number {
  return bytesOf(textOf(delta['text']), textOf(delta['thinking']), textOf(delta['partial_json']));
}

function tokens(told: Fields): CallTokens | null {
  const input = amountOf(told['input_tokens']);
  const output = amountOf(told['output_tokens']);
  if (input === null && output === null) return null;
  const details = fieldsOf(told['output_tokens_details']);
  const split = fieldsOf(told['cache_creation']);
  const hour = amountOf(split['ephemeral_1h_input_tokens']) ?? 0;
  const short = amountOf(split['ephemeral_5m_input_tokens']) ?? 0;
  const cacheWrite = Math.max(amountOf(told['cache_creation_input_tokens']) ?? 0, hour + short);
  return {
    // Excludes both kinds of cached input already.
    input: input ?? 0,
    cacheRead: amountOf(told['cache_read_input_tokens']) ?? 0,
    cacheWrite,
    output: output ?? 0,
    reasoning: Math.min(amountOf(details['thinking_tokens']) ?? 0, output ?? 0),
    cacheWriteHour: hour,
  };
}

export const anthropic: AnswerReader = { fold, tokens };
