/** OpenAI Chat Completions. */
import { type Api, pieces, type ServerEvent } from './api.ts';
import { contentText, type Json, list, parameters, record, text } from './json.ts';
import { type Answer, type ModelRequest, turnOfCall } from './script.ts';

function read(body: Json): ModelRequest {
  const messages = list(body['messages']);
  const last = messages.at(-1) ?? {};
  const user = messages.findLast((message) => message['role'] === 'user');
  return {
    model: text(body['model']),
    isStreamed: body['stream'] === true,
    tools: list(body['tools']).map((tool) => {
      const called = record(tool['function']);
      return {
        name: text(called['name']),
        namespace: null,
        parameters: parameters(called['parameters']),
      };
    }),
    userText: contentText(user?.['content']),
    toolText: last['role'] === 'tool' ? contentText(last['content']) : null,
    turnsSoFar: turnsIn(messages),
  };
}

/** Our last tool call names its own turn; plain answers after it are counted. */
function turnsIn(messages: readonly Json[]): number {
  let turns = 0;
  for (const message of messages.filter(({ role }) => role === 'assistant')) {
    const called = list(message['tool_calls']).map(({ id }) => turnOfCall(id));
    const known = called.find((turn) => turn !== null);
    turns = known === undefined || known === null ? turns + 1 : known + 1;
  }
  return turns;
}

const usage = ({ usage: spent }: Answer) => ({
  prompt_tokens: spent.inputTokens,
  completion_tokens: spent.outputTokens,
  total_tokens: spent.inputTokens + spent.outputTokens,
  prompt_tokens_details: { cached_tokens: spent.cachedTokens },
});

const finish = ({ call }: Answer) => (call === null ? 'stop' : 'tool_calls');

function toolCall({ call }: Answer) {
  if (call === null) return null;
  return { id: call.id, type: 'function', function: { name: call.name, arguments: call.args } };
}

function whole(answer: Answer): Json {
  const called = toolCall(answer);
  const message = {
    role: 'assistant',
    content: answer.text === '' ? null : answer.text,
    ...(called === null ? {} : { tool_calls: [called] }),
  };
  return {
    id: `chatcmpl-${answer.id}`,
    object: 'chat.completion',
    created: 0,
    model: answer.model,
    choices: [{ index: 0, message, finish_reason: finish(answer) }],
    usage: usage(answer),
  };
}

function stream(answer: Answer): readonly ServerEvent[] {
  const base = {
    id: `chatcmpl-${answer.id}`,
    object: 'chat.completion.chunk',
    created: 0,
    model: answer.model,
  };
  const chunk = (delta: Json, reason: string | null = null): ServerEvent => ({
    event: null,
    data: { ...base, choices: [{ index: 0, delta, finish_reason: reason }] },
  });
  const called = toolCall(answer);
  const [opening, ...rest] = pieces(answer.call?.args ?? '');
  return [
    chunk({ role: 'assistant', content: '' }),
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
    chunk({}, finish(answer)),
    { event: null, data: { ...base, choices: [], usage: usage(answer) } },
    { event: null, data: '[DONE]' },
  ];
}

export const chat: Api = { name: 'chat', path: '/chat/completions', read, whole, stream };
