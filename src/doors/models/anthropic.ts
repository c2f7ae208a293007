/** Anthropic Messages: input figures at the start, output figures, cumulative, towards the end. */
import type { CallTokens } from '../../ports/models-door.ts';
import { type Answer, type AnswerReader, bytesOf, merged, sawTool } from './answer.ts';
import { count, isRecord, type Json, list, record, text } from './json.ts';

function fold(answer: Answer, event: Json): Answer {
  switch (event['type']) {
    case 'message_start':
      return begun(answer, record(event['message']));
    case 'message_delta':
      return withUsage({ ...answer, isSettled: true }, event['usage']);
    case 'message_stop':
      return { ...answer, isTerminal: true };
    case 'content_block_start':
      return withBlock(answer, record(event['content_block']));
    case 'content_block_delta':
      return { ...answer, textBytes: answer.textBytes + deltaBytes(record(event['delta'])) };
    case 'message':
      return { ...begun(answer, event), isSettled: true, isTerminal: true };
    default:
      return answer;
  }
}

/** `message_start`, or a whole message, which also holds its blocks. */
function begun(answer: Answer, message: Json): Answer {
  const named = { ...answer, model: text(message['model']) ?? answer.model };
  const blocks = list(message['content']).map(record);
  return blocks.reduce(withBlock, withUsage(named, message['usage']));
}

function withUsage(answer: Answer, usage: unknown): Answer {
  return isRecord(usage) ? { ...answer, told: merged(answer.told, usage) } : answer;
}

function withBlock(answer: Answer, block: Json): Answer {
  const type = text(block['type']) ?? '';
  const textBytes = answer.textBytes + deltaBytes(block);
  const seen = { ...answer, textBytes };
  const isServers = type === 'server_tool_use' || type === 'mcp_tool_use';
  return isServers ? sawTool(seen, text(block['name']) ?? type) : seen;
}

function deltaBytes(delta: Json): number {
  return bytesOf(text(delta['text']), text(delta['thinking']), text(delta['partial_json']));
}

function tokens(told: Json): CallTokens | null {
  const input = count(told['input_tokens']);
  const output = count(told['output_tokens']);
  if (input === null && output === null) return null;
  const details = record(told['output_tokens_details']);
  const split = record(told['cache_creation']);
  const hour = count(split['ephemeral_1h_input_tokens']) ?? 0;
  const short = count(split['ephemeral_5m_input_tokens']) ?? 0;
  const cacheWrite = Math.max(count(told['cache_creation_input_tokens']) ?? 0, hour + short);
  return {
    // Excludes both kinds of cached input already.
    input: input ?? 0,
    cacheRead: count(told['cache_read_input_tokens']) ?? 0,
    cacheWrite,
    output: output ?? 0,
    reasoning: Math.min(count(details['thinking_tokens']) ?? 0, output ?? 0),
    cacheWriteHour: hour,
  };
}

export const anthropic: AnswerReader = { fold, tokens };
