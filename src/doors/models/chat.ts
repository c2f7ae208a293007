/** OpenAI Chat Completions: usage in one chunk without choices, if it was asked for. */
import { type Answer, type AnswerReader, bytesOf } from './answer.ts';
import { isRecord, type Json, list, record, text } from './json.ts';
import { openaiTokens } from './openai-tokens.ts';

function fold(answer: Answer, event: Json): Answer {
  const { usage } = event;
  const choices = list(event['choices']).map(record);
  const said = choices.reduce((sum, choice) => sum + choiceBytes(choice), 0);
  const isFinished = choices.some((choice) => text(choice['finish_reason']) !== null);
  return {
    ...answer,
    model: text(event['model']) ?? answer.model,
    told: isRecord(usage) ? usage : answer.told,
    isSettled: answer.isSettled || isRecord(usage),
    isTerminal: answer.isTerminal || isFinished,
    textBytes: answer.textBytes + said,
  };
}

function choiceBytes(choice: Json): number {
  return messageBytes(record(choice['delta'])) + messageBytes(record(choice['message']));
}

function messageBytes(message: Json): number {
  const calls = list(message['tool_calls']).map((call) => record(record(call)['function']));
  const reasoning = text(message['reasoning_content']) ?? text(message['reasoning']);
  const args = calls.map((called) => text(called['arguments']));
  return bytesOf(text(message['content']), reasoning, ...args);
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
