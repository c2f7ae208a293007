/** OpenAI Responses: everything about an answer is in its last event. */
import { type Answer, type AnswerReader, bytesOf, sawTool } from './answer.ts';
import { isRecord, type Json, list, record, text } from './json.ts';
import { openaiTokens } from './openai-tokens.ts';

const ends = ['response.completed', 'response.incomplete', 'response.failed'];
const endStates = ['completed', 'incomplete', 'failed'];
/** Kinds of output that a provider's own tool leaves behind. */
const toolOutput =
  /^(?:web_search|file_search|code_interpreter|image_generation|mcp|computer)_(?:call|list_tools)$/;

function fold(answer: Answer, event: Json): Answer {
  const type = text(event['type']) ?? '';
  if (isRecord(event['response'])) {
    const at = withResponse(answer, event['response']);
    return ends.includes(type) ? { ...at, isTerminal: true, isSettled: at.told !== null } : at;
  }
  if (type === 'response.output_item.added') return withItem(answer, event['item']);
  if (type.endsWith('.delta')) {
    return { ...answer, textBytes: answer.textBytes + bytesOf(text(event['delta'])) };
  }
  return event['object'] === undefined ? answer : whole(answer, event);
}

function withResponse(answer: Answer, response: Json): Answer {
  const { usage } = response;
  return {
    ...answer,
    model: text(response['model']) ?? answer.model,
    told: isRecord(usage) ? usage : answer.told,
  };
}

/** An answer that was not streamed; a compaction has no state of its own. */
function whole(answer: Answer, response: Json): Answer {
  const at = list(response['output']).reduce<Answer>(withItem, withResponse(answer, response));
  const status = text(response['status']);
  const isTerminal = status === null || endStates.includes(status);
  return { ...at, isTerminal, isSettled: at.told !== null };
}

function withItem(answer: Answer, item: unknown): Answer {
  const { type: found, content } = record(item);
  const type = text(found) ?? '';
  const texts = list(content).map((part) => text(record(part)['text']));
  const at = { ...answer, textBytes: answer.textBytes + bytesOf(...texts) };
  return toolOutput.test(type) ? sawTool(at, type) : at;
}

export const responses: AnswerReader = {
  fold,
  tokens: (told) =>
    openaiTokens(told, {
      input: 'input_tokens',
      output: 'output_tokens',
      inputDetails: 'input_tokens_details',
      outputDetails: 'output_tokens_details',
    }),
};
