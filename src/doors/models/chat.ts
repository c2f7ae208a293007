/** OpenAI Chat Completions: usage in one chunk without choices, if it was asked for. */

import { type Fields, fieldsOf, isFields, listOf, textOf } from '../../kernel/json.ts';
import { type Answer, type AnswerReader, bytesOf } from './answer.ts';
import { openaiTokens } from './openai-tokens.ts';

function fold(answer: Answer, event: Fields): Answer {
  const { usage } = event;
  const choices = listOf(event['choices']).map(fieldsOf);
  const said = choices.reduce((sum, choice) => sum + choiceBytes(choice), 0);
  const isFinished = choices.some((choice) => textOf(choice['finish_reason']) !== null);
  return {
    ...answer,
    model: textOf(event['model']) ?? answer.model,
    told: isFields(usage) ? usage : answer.told,
    isSettled: answer.isSettled || isFields(usage),
    isTerminal: answer.isTerminal || isFinished,
    textBytes: answer.textBytes + said,
  };
}

function choiceBytes(choice: Fields): number {
  return messageBytes(fieldsOf(choice['delta'])) + messageBytes(fieldsOf(choice['message']));
}

function messageBytes(message: Fields): number {
  const calls = listOf(message['tool_calls']).map((call) => fieldsOf(fieldsOf(call)['function']));
  const reasoning = textOf(message['reasoning_content']) ?? textOf(message['reasoning']);
  const args = calls.map((called) => textOf(called['arguments']));
  return bytesOf(textOf(message['content']), reasoning, ...args);
}

export const chat: AnswerReader = {
  fold,
  endWord: '[DONE]',
  tokens: (told) =>
    openaiTokens(told, {
      input: 'prompt_tokens',
      output: 'completion_tokens',
      inputDetails: 'prompt_tokens_details',
      outputDetails: 'completion_tokens_details',
    }),
};
