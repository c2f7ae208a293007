/** Anthropic Messages. `message_stop` is what a client waits for. */

import { type Fields, fieldsOf } from '../../kernel/json.ts';
import { type Api, pieces, type ServerEvent } from './api.ts';
import { contentText, list, parameters, text } from './json.ts';
import { type Answer, type ModelRequest, turnsIn } from './script.ts';

/** Programs put notes of their own, in the role `system`, among the messages. */
function read(body: Fields): ModelRequest {
  const messages = list(body['messages']).filter(({ role }) => role !== 'system');
  const results = partsOf(messages.at(-1) ?? {}, 'tool_result');
  const user = messages.findLast(isUserText);
  const ours = messages.filter(({ role }) => role === 'assistant');
  const format = fieldsOf(fieldsOf(body['output_config'])['format']);
  return {
    model: text(body['model']),
    isStreamed: body['stream'] === true,
    tools: list(body['tools']).map((tool) => ({
      name: text(tool['name']),
      namespace: null,
      parameters: parameters(tool['input_schema']),
    })),
    userText: contentText(user?.['content']),
    toolText:
      results.length === 0 ? null : results.map(({ content }) => contentText(content)).join('\n'),
    turnsSoFar: turnsIn(ours.map((message) => partsOf(message, 'tool_use').map(({ id }) => id))),
    schema: format['type'] === 'json_schema' ? fieldsOf(format['schema']) : null,
  };
}

const partsOf = (message: Fields, type: string) =>
  list(message['content']).filter((part) => part['type'] === type);

/** Results of tools come in the role `user`, too. */
const isUserText = (message: Fields) =>
  message['role'] === 'user' && partsOf(message, 'tool_result').length === 0;

/** `input_tokens` leaves out what came from or went into a cache. */
function inputUsage({ usage }: Answer): Fields {
  return {
    input_tokens: usage.inputTokens - usage.cachedTokens - usage.cacheWriteTokens,
    cache_creation_input_tokens: usage.cacheWriteTokens,
    cache_read_input_tokens: usage.cachedTokens,
    cache_creation: {
      ephemeral_5m_input_tokens: usage.cacheWriteTokens,
      ephemeral_1h_input_tokens: 0,
    },
  };
}

const stops = { end: 'end_turn', call: 'tool_use', length: 'max_tokens', refusal: 'refusal' };

function message(answer: Answer): Fields {
  return {
    id: `msg_${answer.id}`,
    type: 'message',
    role: 'assistant',
    model: answer.model,
    content: blocks(answer).map(({ whole }) => whole),
    stop_reason: stops[answer.stop],
    stop_sequence: null,
    usage: { ...inputUsage(answer), output_tokens: answer.usage.outputTokens },
  };
}

interface Block {
  readonly whole: Fields;
  readonly empty: Fields;
  readonly deltas: readonly Fields[];
}

function blocks({ thought, text: said, call }: Answer): readonly Block[] {
  const signature = 'c2NyaXB0ZWQ=';
  const thinking: Block = {
    whole: { type: 'thinking', thinking: thought, signature },
    empty: { type: 'thinking', thinking: '', signature: '' },
    deltas: [
      ...pieces(thought).map((piece) => ({ type: 'thinking_delta', thinking: piece })),
      { type: 'signature_delta', signature },
    ],
  };
  const spoken: Block = {
    whole: { type: 'text', text: said },
    empty: { type: 'text', text: '' },
    deltas: pieces(said).map((piece) => ({ type: 'text_delta', text: piece })),
  };
  return [
    ...(thought === '' ? [] : [thinking]),
    ...(said === '' ? [] : [spoken]),
    ...(call === null ? [] : [callBlock(call)]),
  ];
}

function callBlock({ id, name, args }: NonNullable<Answer['call']>): Block {
  const use = { type: 'tool_use', id, name };
  return {
    whole: { ...use, input: JSON.parse(args) },
    empty: { ...use, input: {} },
    deltas: pieces(args).map((piece) => ({ type: 'input_json_delta', partial_json: piece })),
  };
}

function stream(answer: Answer): readonly ServerEvent[] {
  const started = {
    ...message(answer),
    content: [],
    stop_reason: null,
    usage: { ...inputUsage(answer), output_tokens: 1 },
  };
  const { outputTokens, reasoningTokens } = answer.usage;
  const events: readonly (Fields & { readonly type: string })[] = [
    { type: 'message_start', message: started },
    { type: 'ping' },
    ...blocks(answer).flatMap(({ empty, deltas }, index) => [
      { type: 'content_block_start', index, content_block: empty },
      ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
      { type: 'content_block_stop', index },
    ]),
    {
      type: 'message_delta',
      delta: { stop_reason: stops[answer.stop], stop_sequence: null },
      usage: {
        output_tokens: outputTokens,
        ...(reasoningTokens === 0
          ? {}
          : { output_tokens_details: { thinking_tokens: reasoningTokens } }),
      },
    },
    { type: 'message_stop' },
  ];
  return events.map((data) => ({ event: data.type, data }));
}

export const anthropic: Api = {
  name: 'anthropic',
  path: /\/messages$/,
  read,
  whole: message,
  stream,
  streamError: {
    event: 'error',
    data: { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
  },
};
