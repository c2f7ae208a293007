import { expect, test } from 'vitest';
import type { ModelApi } from '../../ports/models-door.ts';
import { type TeeOptions, tee } from './tee.ts';

const sse = (...events: readonly unknown[]): string =>
  events.map((one) => `data: ${typeof one === 'string' ? one : JSON.stringify(one)}\n\n`).join('');

function report(api: ModelApi, source: string, form: TeeOptions['form'] = 'stream') {
  const read = tee({ api, form, requestBytes: 4_000 });
  read.push(Buffer.from(source));
  return read.end();
}

const messageStart = {
  type: 'message_start',
  message: {
    model: 'claude-sonnet-4-5-20250929',
    usage: {
      input_tokens: 10,
      cache_read_input_tokens: 90_000,
      cache_creation_input_tokens: 2_000,
      cache_creation: { ephemeral_5m_input_tokens: 500, ephemeral_1h_input_tokens: 1_500 },
      output_tokens: 1,
    },
  },
};
const delta = (text: string) => ({
  type: 'content_block_delta',
  delta: { type: 'text_delta', text },
});

test('anthropic: input at the start, output of the last delta, never added up (L-F4, L-F7)', () => {
  const told = report(
    'anthropic',
    sse(
      messageStart,
      delta('hello'),
      { type: 'message_delta', usage: { output_tokens: 20 } },
      { type: 'message_delta', usage: { output_tokens: 55, input_tokens: null } },
      { type: 'message_stop' },
    ),
  );
  expect(told).toMatchObject({
    model: 'claude-sonnet-4-5-20250929',
    isTerminal: true,
    isExact: true,
    tokens: {
      input: 10,
      cacheRead: 90_000,
      cacheWrite: 2_000,
      cacheWriteHour: 1_500,
      output: 55,
    },
  });
});

test('anthropic: a cut stream keeps the exact input and estimates the output by its bytes', () => {
  const told = report('anthropic', sse(messageStart, delta('x'.repeat(400))));
  expect(told).toMatchObject({ isTerminal: false, isExact: false });
  expect(told.tokens).toMatchObject({ input: 10, cacheRead: 90_000, output: 100 });
});

test('anthropic: an error in the stream is not its proper end', () => {
  const error = { type: 'error', error: { type: 'overloaded_error', message: 'x' } };
  expect(report('anthropic', sse(messageStart, error)).isTerminal).toBe(false);
});

test('anthropic: a whole message carries everything', () => {
  const body = {
    type: 'message',
    model: 'm',
    content: [{ type: 'text', text: 'hi' }],
    usage: { input_tokens: 3, output_tokens: 4 },
  };
  const told = report('anthropic', JSON.stringify(body), 'body');
  expect(told).toMatchObject({ isTerminal: true, isExact: true, tokens: { input: 3, output: 4 } });
});

test('anthropic: a tool that ran at the provider is seen (PL-81)', () => {
  const block = { type: 'server_tool_use', name: 'web_search', id: 'x' };
  const started = { type: 'content_block_start', content_block: block };
  expect(report('anthropic', sse(messageStart, started)).serverTools).toEqual(['web_search']);
});

const chunk = (content: string, reason: string | null = null) => ({
  model: 'gpt-5',
  choices: [{ index: 0, delta: { content }, finish_reason: reason }],
});
const chatUsage = {
  prompt_tokens: 100,
  completion_tokens: 9,
  prompt_tokens_details: { cached_tokens: 80, cache_write_tokens: 5 },
  completion_tokens_details: { reasoning_tokens: 4 },
};

test('chat: cached input is inside the input and counted once (L-F6)', () => {
  const source = sse(chunk('a'), chunk('', 'stop'), { choices: [], usage: chatUsage }, '[DONE]');
  expect(report('chat', source)).toMatchObject({
    isTerminal: true,
    isExact: true,
    tokens: { input: 15, cacheRead: 80, cacheWrite: 5, output: 9, reasoning: 4 },
  });
});

test('chat: without usage the call is estimated, never free', () => {
  const told = report('chat', sse(chunk('x'.repeat(40)), chunk('', 'stop'), '[DONE]'));
  expect(told).toMatchObject({ isTerminal: true, isExact: false, model: 'gpt-5' });
  expect(told.tokens).toMatchObject({ input: 1_000, output: 10 });
});

test('chat: a stream that only stops has no end', () => {
  expect(report('chat', sse(chunk('a'), chunk('b')))).toMatchObject({
    isTerminal: false,
    wantsEnd: true,
  });
});

test('chat: tool arguments and reasoning count as output of a cut stream', () => {
  const call = { function: { arguments: '12345678' } };
  const message = { reasoning_content: 'abcd', tool_calls: [call] };
  const told = report('chat', sse({ choices: [{ delta: message }] }));
  expect(told.tokens.output).toBe(3);
});

const done = (type: string) => ({
  type,
  response: {
    model: 'gpt-5.6',
    usage: {
      input_tokens: 50,
      input_tokens_details: { cached_tokens: 20 },
      output_tokens: 7,
      output_tokens_details: { reasoning_tokens: 3 },
    },
  },
});

test.each(['response.completed', 'response.incomplete', 'response.failed'])(
  'responses: %s ends the answer with its figures',
  (type) => {
    const told = report('responses', sse({ type: 'response.created', response: {} }, done(type)));
    expect(told).toMatchObject({
      isTerminal: true,
      isExact: true,
      tokens: { input: 30, cacheRead: 20, output: 7, reasoning: 3 },
    });
  },
);

test('responses: a cut stream leaves nothing and is estimated', () => {
  const told = report(
    'responses',
    sse(
      { type: 'response.created', response: { model: 'gpt-5' } },
      { type: 'response.output_text.delta', delta: 'x'.repeat(100) },
    ),
  );
  expect(told).toMatchObject({ isTerminal: false, isExact: false, model: 'gpt-5' });
  expect(told.tokens).toMatchObject({ input: 1_000, output: 25 });
});

test('responses: the output of a provider tool is seen (PL-81)', () => {
  const item = { type: 'web_search_call', id: 'x' };
  const told = report('responses', sse({ type: 'response.output_item.added', item }));
  expect(told.serverTools).toEqual(['web_search_call']);
});

test('responses: a whole response, and one that is not finished', () => {
  const { response } = done('response.completed');
  const whole = (status: string) => JSON.stringify({ object: 'response', status, ...response });
  expect(report('responses', whole('completed'), 'body')).toMatchObject({ isExact: true });
  expect(report('responses', whole('in_progress'), 'body').isTerminal).toBe(false);
});

const part = (text: string, more: object = {}) => ({
  candidates: [{ content: { parts: [{ text }] }, ...more }],
});

test('gemini: reasoning is told beside the output, the last figures stand', () => {
  const last = {
    ...part('b', { finishReason: 'STOP' }),
    modelVersion: 'gemini-2.5-pro',
    usageMetadata: {
      promptTokenCount: 100,
      toolUsePromptTokenCount: 10,
      cachedContentTokenCount: 40,
      candidatesTokenCount: 5,
      thoughtsTokenCount: 6,
    },
  };
  const source = sse({ ...part('a'), usageMetadata: { promptTokenCount: 100 } }, last);
  expect(report('gemini', source)).toMatchObject({
    model: 'gemini-2.5-pro',
    isTerminal: true,
    isExact: true,
    tokens: { input: 70, cacheRead: 40, output: 11, reasoning: 6 },
  });
});

test('gemini: a list of events in one body, and a blocked prompt, have ends too', () => {
  const list = JSON.stringify([part('a'), part('b', { finishReason: 'STOP' })]);
  expect(report('gemini', list, 'body').isTerminal).toBe(true);
  expect(report('gemini', sse({ promptFeedback: { blockReason: 'X' } })).isTerminal).toBe(true);
});

test('gemini: grounding is the trace of a provider tool (PL-81)', () => {
  const grounded = part('a', { groundingMetadata: {} });
  expect(report('gemini', sse(grounded)).serverTools).toEqual(['groundingMetadata']);
});

test('bytes that cannot be read on the way are counted, and no end is asked of them', () => {
  const told = report('chat', 'x'.repeat(80), 'opaque');
  expect(told).toMatchObject({ isExact: false, wantsEnd: false });
  expect(told.tokens).toMatchObject({ input: 1_000, output: 20 });
});
