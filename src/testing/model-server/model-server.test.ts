import { afterEach, expect, test } from 'vitest';
import { type ModelServer, modelServer } from './model-server.ts';
import type { Script } from './script.ts';

const open: ModelServer[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});

async function serving(script: Script): Promise<ModelServer> {
  const server = await modelServer({ script });
  open.push(server);
  return server;
}

async function post(url: string, body: unknown): Promise<Response> {
  return fetch(url, { method: 'POST', body: JSON.stringify(body) });
}

/** What the tests read of either API's answers. */
interface Body {
  readonly choices: readonly [
    {
      readonly message: {
        readonly content: string | null;
        readonly tool_calls: readonly [{ readonly id: string; readonly function: unknown }];
      };
      readonly finish_reason: string;
    },
  ];
  readonly usage: unknown;
  readonly output: readonly [Item, Item];
  readonly error: { readonly type: string };
}
interface Item {
  readonly type: string;
  readonly content: readonly [{ readonly text: string }];
  readonly arguments: string;
  readonly call_id: string;
}

async function bodyOf(response: Response): Promise<Body> {
  return (await response.json()) as Body;
}

/** The data of every server-sent event, parsed, with the event's name. */
async function events(response: Response): Promise<readonly { name: string; data: string }[]> {
  const blocks = (await response.text()).split('\n\n').filter((block) => block !== '');
  return blocks.map((block) => ({
    name: /^event: (.*)$/m.exec(block)?.[1] ?? '',
    data: /^data: (.*)$/m.exec(block)?.[1] ?? '',
  }));
}

const shellTool = {
  type: 'function',
  function: {
    name: 'bash',
    parameters: { type: 'object', properties: { command: { type: 'string' } } },
  },
};
const execTool = {
  type: 'function',
  name: 'exec_command',
  parameters: { type: 'object', properties: { cmd: { type: 'string' } } },
};
const user = (content: string) => ({ role: 'user', content });

test('a chat conversation follows its script turn by turn, with usage', async () => {
  const { url, requests } = await serving({
    '/s/one': [
      { text: 'looking', tool: { shell: 'ls' } },
      { text: 'seen', usage: usageOf(7) },
    ],
  });
  const ask = { model: 'm', messages: [user('fix it')], tools: [shellTool] };
  const first = await bodyOf(await post(`${url}/s/one/v1/chat/completions`, ask));
  const { message, finish_reason: reason } = first.choices[0];
  expect(reason).toBe('tool_calls');
  expect(message.content).toBe('looking');
  expect(message.tool_calls[0].function).toEqual({ name: 'bash', arguments: '{"command":"ls"}' });

  const result = { role: 'tool', tool_call_id: message.tool_calls[0].id, content: 'a.js' };
  const next = { ...ask, messages: [...ask.messages, message, result] };
  const second = await bodyOf(await post(`${url}/s/one/v1/chat/completions`, next));
  expect(second.choices[0].message).toEqual({ role: 'assistant', content: 'seen' });
  expect(second.usage).toMatchObject({ prompt_tokens: 7, total_tokens: 14 });
  expect(requests().map(({ request }) => request.toolText)).toEqual([null, 'a.js']);
});

test('a streamed chat answer carries the same text, call and usage in pieces', async () => {
  const { url } = await serving({
    '': [{ text: 'a longer text, 日本語 too 🎉', tool: { shell: 'echo "quoted \\n"' } }],
  });
  const asked = { model: 'm', stream: true, messages: [user('x')], tools: [shellTool] };
  const body = { ...asked, stream_options: { include_usage: true } };
  const sent = await events(await post(`${url}/v1/chat/completions`, body));
  const without = await events(await post(`${url}/v1/chat/completions`, asked));
  expect(without.filter(({ data }) => data.includes('usage'))).toEqual([]);
  expect(sent.at(-1)?.data).toBe('[DONE]');
  const chunks = sent.slice(0, -1).map(({ data }) => JSON.parse(data));
  const deltas = chunks.flatMap((chunk) => chunk.choices.map((choice: never) => choice['delta']));
  expect(deltas.map((delta) => delta.content ?? '').join('')).toBe('a longer text, 日本語 too 🎉');
  const calls = deltas.flatMap((delta) => delta.tool_calls ?? []);
  const args = calls.map((call) => call.function.arguments).join('');
  expect(JSON.parse(args)).toEqual({ command: 'echo "quoted \\n"' });
  expect(calls[0]).toMatchObject({ type: 'function', function: { name: 'bash' } });
  expect(chunks.at(-2)?.choices[0].finish_reason).toBe('tool_calls');
  expect(chunks.at(-1)?.usage.completion_tokens).toBe(56);
});

test('a responses conversation follows its script, and a resumed one goes on in it', async () => {
  const { url } = await serving({
    '/s/two': [{ text: 'looking', tool: { shell: 'ls' } }, { text: 'seen' }, { text: 'again' }],
  });
  const at = `${url}/s/two/v1/responses`;
  const ask = { model: 'm', input: [{ type: 'message', ...user('fix it') }], tools: [execTool] };
  const first = await bodyOf(await post(at, ask));
  const [said, called] = first.output;
  expect(said.content[0].text).toBe('looking');
  expect(called).toMatchObject({ type: 'function_call', name: 'exec_command' });
  expect(JSON.parse(called.arguments)).toEqual({ cmd: 'ls' });

  const result = { type: 'function_call_output', call_id: called.call_id, output: 'a.js' };
  const input = [...ask.input, said, called, result];
  const second = await bodyOf(await post(at, { ...ask, input }));
  expect(second.output[0].content[0].text).toBe('seen');
  const more = [...input, second.output[0], { type: 'message', ...user('go on') }];
  const third = await bodyOf(await post(at, { ...ask, input: more }));
  expect(third.output[0].content[0].text).toBe('again');
});

test('a streamed responses answer is numbered and ends with response.completed', async () => {
  const { url } = await serving({ '': [{ text: 'hello there, you', tool: { shell: 'true' } }] });
  const body = { model: 'm', stream: true, input: 'x', tools: [execTool] };
  const sent = await events(await post(`${url}/v1/responses`, body));
  const data = sent.map((event) => JSON.parse(event.data));
  expect(data.map((event) => event.sequence_number)).toEqual(data.map((_, index) => index));
  expect(sent.map(({ name }) => name)).toEqual(data.map((event) => event.type));
  const text = data.filter(({ type }) => type === 'response.output_text.delta');
  expect(text.map(({ delta }) => delta).join('')).toBe('hello there, you');
  const { response } = data.at(-1);
  expect(data.at(-1).type).toBe('response.completed');
  expect(response.output.map((item: { type: string }) => item.type)).toEqual([
    'message',
    'function_call',
  ]);
  expect(response.usage.total_tokens).toBe(1290);
});

test('the same request twice gets the same answer: a retry spends no turn', async () => {
  const { url } = await serving({ '': [{ text: 'one' }, { text: 'two' }] });
  const ask = { model: 'm', messages: [user('x')], tools: [shellTool] };
  const texts = [];
  for (const body of [ask, ask]) {
    const said = await bodyOf(await post(`${url}/v1/chat/completions`, body));
    texts.push(said.choices[0].message.content);
  }
  expect(texts).toEqual(['one', 'one']);
});

test('a request without tools is a side errand and spends no turn', async () => {
  const { url } = await serving({ '': [{ tool: { shell: 'ls' } }] });
  const said = await bodyOf(
    await post(`${url}/v1/chat/completions`, { model: 'm', messages: [user('a title, please')] }),
  );
  expect(said.choices[0].message).toEqual({ role: 'assistant', content: 'A short title' });
});

test('two prefixes do not meet, and the longest one wins', async () => {
  const { url } = await serving({ '/s/a': [{ text: 'a' }], '/s/a/b': [{ text: 'b' }] });
  const ask = { model: 'm', messages: [user('x')], tools: [shellTool] };
  const said = async (prefix: string) => {
    const response = await post(`${url}${prefix}/v1/chat/completions`, ask);
    const body = await bodyOf(response);
    return response.status === 200 ? body.choices[0].message.content : response.status;
  };
  expect(await said('/s/a')).toBe('a');
  expect(await said('/s/a/b')).toBe('b');
  expect(await said('/s/ab')).toBe(404);
});

test.each([
  ['not json', 400],
  ['[]', 400],
  ['"text"', 400],
])('the body %s is refused in the shape of the API', async (body, status) => {
  const { url, requests } = await serving({ '': [] });
  const response = await fetch(`${url}/v1/responses`, { method: 'POST', body });
  expect(response.status).toBe(status);
  expect((await bodyOf(response)).error.type).toBe('invalid_request_error');
  expect(requests()).toEqual([]);
});

function usageOf(tokens: number) {
  return { inputTokens: tokens, cachedTokens: 0, outputTokens: tokens };
}
