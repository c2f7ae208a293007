/** OpenAI Responses. `response.completed` is what a client waits for; without it nothing counts. */
import { type Api, pieces, type ServerEvent } from './api.ts';
import { contentText, type Json, list, parameters, text } from './json.ts';
import { type Answer, type ModelRequest, type OfferedTool, turnOfCall } from './script.ts';

function read(body: Json): ModelRequest {
  const items =
    typeof body['input'] === 'string'
      ? [{ type: 'message', role: 'user', content: body['input'] }]
      : list(body['input']);
  const last: Json = items.at(-1) ?? {};
  const user = items.findLast((item: Json) => item['role'] === 'user');
  return {
    model: text(body['model']),
    isStreamed: body['stream'] === true,
    tools: list(body['tools']).flatMap(offered),
    userText: contentText(user?.['content']),
    toolText: isToolResult(last) ? contentText(last['output']) : null,
    turnsSoFar: turnsIn(items),
  };
}

/** Tools of an MCP server come as a namespace with tools inside. */
function offered(tool: Json): readonly OfferedTool[] {
  if (tool['type'] === 'namespace') {
    const namespace = text(tool['name']);
    return list(tool['tools']).map((inner) => ({ ...toolOf(inner), namespace }));
  }
  return [toolOf(tool)];
}

const toolOf = (tool: Json): OfferedTool => ({
  name: text(tool['name']) || text(tool['type']),
  namespace: null,
  parameters: parameters(tool['parameters']),
});

const isToolResult = (item: Json) => text(item['type']).endsWith('_output');

/** Text and call of one turn are two items, so only what follows the last call is counted. */
function turnsIn(items: readonly Json[]): number {
  const last = items.findLastIndex((item) => turnOfCall(item['call_id']) !== null);
  const called = last === -1 ? -1 : (turnOfCall(items[last]?.['call_id']) ?? -1);
  const said = items.slice(last + 1).filter(({ role }) => role === 'assistant').length;
  return called + 1 + said;
}

function messageItem(answer: Answer): Json | null {
  if (answer.text === '') return null;
  return {
    type: 'message',
    id: `msg_${answer.id}`,
    role: 'assistant',
    status: 'completed',
    content: [{ type: 'output_text', text: answer.text, annotations: [] }],
  };
}

function callItem({ id, call }: Answer): Json | null {
  if (call === null) return null;
  return {
    type: 'function_call',
    id: `fc_${id}`,
    call_id: call.id,
    name: call.name,
    ...(call.namespace === null ? {} : { namespace: call.namespace }),
    arguments: call.args,
    status: 'completed',
  };
}

const outputOf = (answer: Answer) =>
  [messageItem(answer), callItem(answer)].filter((item) => item !== null);

function whole(answer: Answer): Json {
  const { usage } = answer;
  return {
    id: `resp_${answer.id}`,
    object: 'response',
    created_at: 0,
    status: 'completed',
    model: answer.model,
    output: outputOf(answer),
    usage: {
      input_tokens: usage.inputTokens,
      input_tokens_details: { cached_tokens: usage.cachedTokens },
      output_tokens: usage.outputTokens,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: usage.inputTokens + usage.outputTokens,
    },
  };
}

function stream(answer: Answer): readonly ServerEvent[] {
  const response = whole(answer);
  const started = { ...response, status: 'in_progress', output: [], usage: null };
  const events = [
    { type: 'response.created', response: started },
    ...outputOf(answer).flatMap((item, index) => itemEvents(item, index)),
    { type: 'response.completed', response },
  ];
  return events.map((event, number) => ({
    event: event.type,
    data: { ...event, sequence_number: number },
  }));
}

type Typed = Json & { readonly type: string };

function itemEvents(item: Json, index: number): readonly Typed[] {
  const at = { item_id: item['id'], output_index: index };
  const inner = item['type'] === 'message' ? textEvents(item, at) : argumentEvents(item, at);
  const empty = item['type'] === 'message' ? { content: [] } : { arguments: '' };
  return [
    {
      type: 'response.output_item.added',
      output_index: index,
      item: { ...item, ...empty, status: 'in_progress' },
    },
    ...inner,
    { type: 'response.output_item.done', output_index: index, item },
  ];
}

function textEvents(item: Json, at: Json): readonly Typed[] {
  const said = contentText(item['content']);
  const place = { ...at, content_index: 0 };
  const part = (content: string) => ({ type: 'output_text', text: content, annotations: [] });
  return [
    { type: 'response.content_part.added', ...place, part: part('') },
    ...pieces(said).map((delta) => ({ type: 'response.output_text.delta', ...place, delta })),
    { type: 'response.output_text.done', ...place, text: said },
    { type: 'response.content_part.done', ...place, part: part(said) },
  ];
}

function argumentEvents(item: Json, at: Json): readonly Typed[] {
  const args = text(item['arguments']);
  const type = 'response.function_call_arguments.delta';
  return [
    ...pieces(args).map((delta) => ({ type, ...at, delta })),
    { type: 'response.function_call_arguments.done', ...at, arguments: args },
  ];
}

export const responses: Api = { name: 'responses', path: '/responses', read, whole, stream };
