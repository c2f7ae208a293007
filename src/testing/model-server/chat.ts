/** OpenAI Chat Completions. */

import { type Fields, fieldsOf } from '../../kernel/json.ts';
import { type Api, pieces, type ServerEvent } from './api.ts';
import { contentText, list, parameters, text } from './json.ts';
import { type Answer, type ModelRequest, turnsIn } from './script.ts';

function read(body: Fields): ModelRequest {
  const messages = list(body['messages']);
  const last = messages.at(-1) ?? {};
  const user = messages.findLast((message) => message['role'] === 'user');
  const ours = messages.filter(({ role }) => role === 'assistant');
  return {
    model: text(body['model']),
    isStreamed: body['stream'] === true,
    tools: list(body['tools']).map((tool) => {
      const called = fieldsOf(tool['function']);
      return {
        name: text(called['name']),
        namespace: null,
        parameters: parameters(called['parameters']),
      };
    }),
    userText: contentText(user?.['content']),
    toolText: last['role'] === 'tool' ? contentText(last['content']) : null,
    turnsSoFar: turnsIn(ours.map((message) => list(message['tool_calls']).map(({ id }) => id))),
    schema: schemaOf(fieldsOf(body['response_format'])),
  };
}

function schemaOf(format: Fields): Fields | null {
  if (format['type'] !== 'json_schema') return null;
  return fieldsOf(fieldsOf(format['json_schema'])['schema']);
}

const usage = ({ usage: spent }: Answer) => ({
  prompt_tokens: spent.inputTokens,
  completion_tokens: spent.outputTokens,
  total_tokens: spent.inputTokens + spent.outputTokens,
  prompt_tokens_details: {
    cached_tokens: spent.cachedTokens,
    ...(spent.cacheWriteTokens === 0 ? {} : { cache_write_tokens: spent.cacheWriteTokens }),
  },
  completion_tokens_details: { reasoning_tokens: spent.reasoningTokens },
});

const finishes = { end: 'stop', call: 'tool_calls', length: 'length', refusal: 'content_filter' };

function toolCall({ call }: Answer) {
  if (call === null) return null;
  return { id: call.id, type: 'function', function: { name: call.name, arguments: call.args } };
}

function whole(answer: Answer): Fields {
  const called = toolCall(answer);
  const message = {
    role: 'assistant',
    content: answer.text === '' ? null : answer.text,
    ...(answer.thought === '' ? {} : { reasoning_content: answer.thought }),
    ...(called === null ? {} : { tool_calls: [called] }),
  };
  return {
    id: `chatcmpl-${answer.id}`,
    object: 'chat.completion',
    created: 0,
    model: answer.model,
    choices: [{ index: 0, message, finish_reason: finishes[answer.stop] }],
    usage: usage(answer),
  };
}

/** Usage is streamed only to who asks for it, in a chunk of its own without choices. */
function stream(answer: Answer, body: Fields): readonly ServerEvent[] {
  const wantsUsage = fieldsOf(body['stream_options'])['include_usage'] === true;
  const base = {
    id: `chatcmpl-${answer.id}`,
    object: 'chat.completion.chunk',
    created: 0,
    model: answer.model,
  };
  const chunk = (delta: Fields, reason: string | null = null): ServerEvent => ({
    event: null,
    data: {
      ...base,
      choices: [{ index: 0, delta, finish_reason: reason }],
      ...(wantsUsage ? { usage: null } : {}),
    },
  });
  const called = toolCall(answer);
  const [opening, ...rest] = pieces(answer.call?.args ?? '');
  return [
    chunk({ role: 'assistant', content: '' }),
    ...pieces(answer.thought).map((thought) => chunk({ reasoning_content: thought })),
    ...pieces(answer.text).map((content) => chunk({ content })),
    ...(called === null
      ? []
      : [
          chunk({
            tool_calls: [
              { index: 0, ...called, function: { name: called.function.name, arguments: opening } },
            ],
          }),
          ...rest.map((args) =>
            chunk({ tool_calls: [{ index: 0, function: { arguments: args } }] }),
          ),
        ]),
    chunk({}, finishes[answer.stop]),
    ...(wantsUsage ? [{ event: null, data: { ...base, choices: [], usage: usage(answer) } }] : []),
    { event: null, data: '[DONE]' },
  ];
}

export const chat: Api = {
  name: 'chat',
  path: /\/chat\/completions$/,
  read,
  whole,
  stream,
  streamError: {
    event: null,
    data: { error: { message: 'Overloaded', type: 'server_error', param: null, code: null } },
  },
};
