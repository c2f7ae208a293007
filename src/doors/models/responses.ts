/** OpenAI Responses: everything about an answer is in its last event. */

import { type Fields, fieldsOf, isFields, listOf, textOf } from '../../kernel/json.ts';
import { type Answer, type AnswerReader, bytesOf, sawTool } from './answer.ts';
import { openaiTokens } from './openai-tokens.ts';

const ends = ['response.completed', 'response.incomplete', 'response.failed'];
const endStates = ['completed', 'incomplete', 'failed'];
/** Kinds of output that a provider's own tool leaves behind. */
const toolOutput =
  /^(?:web_search|file_search|code_interpreter|image_generation|mcp|computer)_(?:call|list_tools)$/;

function fold(answer: Answer, event: Fields): Answer {
  const type = textOf(event['type']) ?? '';
  if (isFields(event['response'])) {
    const at = withResponse(answer, event['response']);
    return ends.includes(type) ? { ...at, isTerminal: true, isSettled: at.told !== null } : at;
  }
  if (type === 'response.output_item.added') return withItem(answer, event['item']);
  if (type.endsWith('.delta')) {
    return { ...answer, textBytes: answer.textBytes + bytesOf(textOf(event['delta'])) };
  }
  return event['object'] === undefined ? answer : whole(answer, event);
}

function withResponse(answer: Answer, response: Fields): Answer {
  const { usage } = response;
  return {
    ...answer,
    model: textOf(response['model']) ?? answer.model,
    told: isFields(usage) ? usage : answer.told,
  };
}

/** An answer that was not streamed; a compaction has no state of its own. */
function whole(answer: Answer, response: Fields): Answer {
  const at = listOf(response['output']).reduce<Answer>(withItem, withResponse(answer, response));
  const status = textOf(response['status']);
  const isTerminal = status === null || endStates.includes(status);
  return { ...at, isTerminal, isSettled: at.told !== null };
}

function withItem(answer: Answer, item: unknown): Answer {
  const { type: found, content } = fieldsOf(item);
  const type = textOf(found) ?? '';
  const texts = listOf(content).map((part) => textOf(fieldsOf(part)['text']));
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
