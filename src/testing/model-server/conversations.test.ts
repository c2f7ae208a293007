/**
 * Goal: a conversation runs the same way over each API, and what is streamed says what is said
 * whole. Method: a plain fetch client that knows each API's documented shapes, nothing of ours.
 */
import { afterEach, expect, test } from 'vitest';
import { type ModelServer, modelServer } from './model-server.ts';
import type { Script, Turn } from './script.ts';

const open: ModelServer[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});

async function serving(script: Script): Promise<ModelServer> {
  const server = await modelServer({ script });
  open.push(server);
  return server;
}

const post = (url: string, body: unknown) =>
  fetch(url, { method: 'POST', body: JSON.stringify(body) });

// biome-ignore lint/suspicious/noExplicitAny: foreign JSON, picked apart by the assertions
type Any = any;

const json = async (response: Response): Promise<Any> => response.json();
async function dataOf(response: Response): Promise<readonly Any[]> {
  const blocks = (await response.text()).split('\n\n').filter((block) => block !== '');
  return blocks.map((block) => JSON.parse(/^data: (.*)$/m.exec(block)?.[1] ?? 'null'));
}

const parameters = { type: 'object', properties: { command: { type: 'string' } } };
const anthropicTool = { name: 'Bash', input_schema: parameters };
const geminiTool = {
  functionDeclarations: [{ name: 'run_shell_command', parametersJsonSchema: parameters }],
};
const user = (content: unknown) => ({ role: 'user', content });
const twoTurns: readonly Turn[] = [{ text: 'looking', tool: { shell: 'ls' } }, { text: 'seen' }];

test('an Anthropic conversation follows its script, past the notes of the program', async () => {
  const { url, requests } = await serving({ '/s/a': twoTurns });
  const at = `${url}/s/a/v1/messages?beta=true`;
  const ask = { model: 'm', messages: [user('fix it')], tools: [anthropicTool] };
  const first = await json(await post(at, ask));
  expect(first).toMatchObject({ type: 'message', role: 'assistant', stop_reason: 'tool_use' });
  const [said, called] = first.content;
  expect(said).toEqual({ type: 'text', text: 'looking' });
  expect(called).toMatchObject({ type: 'tool_use', name: 'Bash', input: { command: 'ls' } });

  const result = { type: 'tool_result', tool_use_id: called.id, content: [{ text: 'a.js' }] };
  const messages = [
    ...ask.messages,
    { role: 'assistant', content: first.content },
    user([result, { type: 'text', text: '<system-reminder>' }]),
    { role: 'system', content: 'a note' },
  ];
  const second = await json(await post(at, { ...ask, messages }));
  expect(second.content).toEqual([{ type: 'text', text: 'seen' }]);
  expect(second.stop_reason).toBe('end_turn');
  const seen = requests().map(({ request, path, prefix }) => [prefix, path, request.toolText]);
  expect(seen).toEqual([
    ['/s/a', '/s/a/v1/messages?beta=true', null],
    ['/s/a', '/s/a/v1/messages?beta=true', 'a.js'],
  ]);
  expect(requests()[1]?.request.userText).toBe('fix it');
});

test('a streamed Anthropic answer holds the same, with its cache figures at the start', async () => {
  const usage = {
    ...{ inputTokens: 1000, cachedTokens: 700, cacheWriteTokens: 200 },
    ...{ outputTokens: 50, reasoningTokens: 9 },
  };
  const turn = { thought: 'let me think about it', text: 'a longer text', tool: { shell: 'ls' } };
  const { url } = await serving({ '': [{ ...turn, usage }] });
  const body = { model: 'm', messages: [user('x')], tools: [anthropicTool] };
  const whole = await json(await post(`${url}/v1/messages`, body));
  const response = await post(`${url}/v1/messages`, { ...body, stream: true });
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  const events = await dataOf(response);

  expect(events[0]).toMatchObject({ type: 'message_start' });
  expect(events[0].message.usage).toMatchObject({
    input_tokens: 100,
    cache_read_input_tokens: 700,
    cache_creation_input_tokens: 200,
    cache_creation: { ephemeral_5m_input_tokens: 200 },
  });
  const blocks: Any[] = [];
  for (const event of events) {
    if (event.type === 'content_block_start') blocks[event.index] = { ...event.content_block };
    if (event.type !== 'content_block_delta') continue;
    const { type, ...delta } = event.delta;
    const [[name, piece]] = Object.entries(delta) as [[string, string]];
    blocks[event.index][name] = `${blocks[event.index][name] ?? ''}${piece}`;
  }
  const { partial_json, ...call } = blocks[2];
  expect([blocks[0], blocks[1], { ...call, input: JSON.parse(partial_json) }]).toEqual(
    whole.content,
  );
  expect(events.at(-2)).toMatchObject({
    delta: { stop_reason: 'tool_use' },
    usage: { output_tokens: 50, output_tokens_details: { thinking_tokens: 9 } },
  });
  expect(events.at(-1)).toEqual({ type: 'message_stop' });
});

test('a Gemini conversation follows its script by the model of its path', async () => {
  const { url, requests } = await serving({ '/s/g': twoTurns });
  const at = `${url}/s/g/v1beta/models/gemini-x:generateContent`;
  const ask = { contents: [{ role: 'user', parts: [{ text: 'fix it' }] }], tools: [geminiTool] };
  const first = await json(await post(at, ask));
  const { content, finishReason } = first.candidates[0];
  expect(finishReason).toBe('STOP');
  expect(content.parts).toMatchObject([
    { text: 'looking' },
    { functionCall: { name: 'run_shell_command', args: { command: 'ls' } } },
  ]);
  const functionResponse = { name: 'run_shell_command', response: { output: 'a.js' } };
  const contents = [
    ...ask.contents,
    // Older programs send the call back without its id.
    { role: 'model', parts: [{ text: 'looking' }, { functionCall: { name: 'x', args: {} } }] },
    { role: 'user', parts: [{ functionResponse }] },
  ];
  const second = await json(await post(at, { ...ask, contents }));
  expect(second.candidates[0].content.parts).toEqual([{ text: 'seen' }]);
  const seen = requests().map(({ request }) => [request.model, request.toolText]);
  expect(seen).toEqual([
    ['gemini-x', null],
    ['gemini-x', 'a.js'],
  ]);
});

test('a Gemini stream comes as events or, unasked, as one array', async () => {
  const usage = {
    ...{ inputTokens: 1000, cachedTokens: 700, outputTokens: 50, reasoningTokens: 9 },
  };
  const turn = { thought: 'hm', text: 'a longer text 🎉', tool: { shell: 'ls' }, usage };
  const { url } = await serving({ '': [turn] });
  const at = `${url}/v1beta/models/m:streamGenerateContent`;
  const body = { contents: [{ parts: [{ text: 'x' }] }], tools: [geminiTool] };
  const events = await dataOf(await post(`${at}?alt=sse`, body));
  expect(await json(await post(at, body))).toEqual(events);
  const parts = events.flatMap(({ candidates }) => candidates[0].content.parts);
  const spoken = parts.filter((part) => part.thought !== true).map((part) => part.text ?? '');
  expect(spoken.join('')).toBe('a longer text 🎉');
  expect(parts[0]).toEqual({ text: 'hm', thought: true });
  expect(parts.some((part) => part.functionCall?.args.command === 'ls')).toBe(true);
  expect(events.at(-1).candidates[0].finishReason).toBe('STOP');
  expect(events.at(-1).usageMetadata).toEqual({
    promptTokenCount: 1000,
    cachedContentTokenCount: 700,
    candidatesTokenCount: 41,
    thoughtsTokenCount: 9,
    totalTokenCount: 1050,
  });
});

test('OpenAI answers carry reasoning, and what was written to a cache', async () => {
  const usage = {
    ...{ inputTokens: 1000, cachedTokens: 700, cacheWriteTokens: 200 },
    ...{ outputTokens: 50, reasoningTokens: 9 },
  };
  const { url } = await serving({ '': [{ thought: 'let me think', text: 'done', usage }] });
  const tools = [{ type: 'function', function: { name: 'bash', parameters } }];
  const ask = { model: 'm', messages: [user('x')], tools };
  const chat = await json(await post(`${url}/v1/chat/completions`, ask));
  expect(chat.choices[0].message.reasoning_content).toBe('let me think');
  expect(chat.usage).toMatchObject({
    prompt_tokens_details: { cached_tokens: 700, cache_write_tokens: 200 },
    completion_tokens_details: { reasoning_tokens: 9 },
  });
  const body = { model: 'm', stream: true, input: 'x', tools: [{ name: 'bash', parameters }] };
  const events = await dataOf(await post(`${url}/v1/responses`, body));
  const thought = events.filter(({ type }) => type === 'response.reasoning_summary_text.delta');
  expect(thought.map(({ delta }) => delta).join('')).toBe('let me think');
  const { response } = events.at(-1);
  expect(response.output.map(({ type }: Any) => type)).toEqual(['reasoning', 'message']);
  expect(response.usage).toMatchObject({
    input_tokens_details: { cached_tokens: 700, cache_write_tokens: 200 },
    output_tokens_details: { reasoning_tokens: 9 },
  });
});

const stops = [
  ['length', 'max_tokens', 'length', 'max_output_tokens', 'MAX_TOKENS'],
  ['refusal', 'refusal', 'content_filter', 'content_filter', 'SAFETY'],
] as const;
test.each(stops)('an answer that stopped by %s says so in each API', async (stop, ...words) => {
  const { url } = await serving({ '': () => ({ text: 'as far as', stop }) });
  const contents = [{ parts: [{ text: 'x' }] }];
  const messages = [user('x')];
  const said = await json(await post(`${url}/v1/messages`, { messages }));
  const chat = await json(await post(`${url}/v1/chat/completions`, { messages }));
  const events = await dataOf(await post(`${url}/v1/responses`, { stream: true, input: 'x' }));
  const gemini = await json(await post(`${url}/v1/models/m:generateContent`, { contents }));
  expect(events.at(-1).type).toBe('response.incomplete');
  expect([
    said.stop_reason,
    chat.choices[0].finish_reason,
    events.at(-1).response.incomplete_details.reason,
    gemini.candidates[0].finishReason,
  ]).toEqual(words);
});

test('tools within the input, and a tool for all that takes a program (codex)', async () => {
  const { url } = await serving({ '/s/a': twoTurns });
  const at = `${url}/s/a/v1/responses`;
  const exec = { type: 'custom', name: 'exec', description: 'tools: { exec_command(args: …) }' };
  const tools = [{ type: 'namespace', name: 'functions', tools: [exec] }];
  const input = [{ type: 'additional_tools', role: 'developer', tools }, user('fix it')];
  const said = await json(await post(at, { input }));
  const call = said.output.at(-1);
  expect(call).toMatchObject({ type: 'custom_tool_call', namespace: 'functions', name: 'exec' });
  expect(call.input).toBe('text(await tools.exec_command({ cmd: "ls" }));');
  const events = await dataOf(await post(at, { input, stream: true }));
  const deltas = events.filter(({ type }) => type === 'response.custom_tool_call_input.delta');
  expect(deltas.map(({ delta }) => delta).join('')).toBe(call.input);
  const result = { type: 'custom_tool_call_output', call_id: call.call_id, output: 'a.js' };
  const next = await json(await post(at, { input: [...input, ...said.output, result] }));
  expect(next.output[0].content[0].text).toBe('seen');
});

test('side errands are answered: schemas, token counts, models, a look whether we live', async () => {
  const { url, requests } = await serving({ '/s/a': [] });
  const schema = { type: 'object', properties: { title: { type: 'string' } } };
  const format = { type: 'json_schema', schema };
  const ask = { messages: [user('x')], output_config: { format } };
  const said = await json(await post(`${url}/s/a/v1/messages`, ask));
  expect(JSON.parse(said.content[0].text)).toEqual({ title: 'A short title' });
  const chatFormat = { type: 'json_schema', json_schema: { schema } };
  const chat = { messages: [user('x')], response_format: chatFormat };
  const chatSaid = await json(await post(`${url}/s/a/v1/chat/completions`, chat));
  expect(JSON.parse(chatSaid.choices[0].message.content)).toEqual({ title: 'A short title' });
  const asked = { input: 'x', text: { format } };
  const responsesSaid = await json(await post(`${url}/s/a/v1/responses`, asked));
  expect(JSON.parse(responsesSaid.output[0].content[0].text)).toEqual({ title: 'A short title' });
  const routed = { contents: [], generationConfig: { responseJsonSchema: schema } };
  const routedSaid = await json(await post(`${url}/s/a/v1beta/models/m:generateContent`, routed));
  expect(routedSaid.candidates[0].content.parts[0].text).toBe('{"title":"A short title"}');
  expect(await json(await post(`${url}/s/a/v1/messages/count_tokens`, {}))).toEqual({
    input_tokens: 1234,
  });
  expect(await json(await post(`${url}/s/a/v1beta/models/m:countTokens`, {}))).toEqual({
    totalTokens: 1234,
  });
  expect((await json(await fetch(`${url}/s/a/v1/models`))).data[0].id).toBe('scripted');
  const head = await fetch(`${url}/s/a/api/hello`, { method: 'HEAD' });
  expect(head.status).toBe(200);
  expect((await fetch(`${url}/s/b/api/hello`, { method: 'HEAD' })).status).toBe(404);
  expect(requests()).toHaveLength(4);
});
