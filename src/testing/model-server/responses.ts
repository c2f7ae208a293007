/** OpenAI Responses. `response.completed` is what a client waits for; without it nothing counts. */

import { type Fields, fieldsOf } from '../../kernel/json.ts';
import { type Api, pieces, type ServerEvent } from './api.ts';
import { contentText, list, parameters, text } from './json.ts';
import { type Answer, type ModelRequest, turnOfCall } from './script.ts';
import type { OfferedTool } from './tool.ts';

function read(body: Fields): ModelRequest {
  const items =
    typeof body['input'] === 'string'
      ? [{ type: 'message', role: 'user', content: body['input'] }]
      : list(body['input']);
  const last: Fields = items.at(-1) ?? {};
  const user = items.findLast((item: Fields) => item['role'] === 'user');
  return {
    model: text(body['model']),
    isStreamed: body['stream'] === true,
    tools: [body, ...items.filter(addsTools)].flatMap(({ tools }) => list(tools).flatMap(offered)),
    userText: contentText(user?.['content']),
    toolText: isToolResult(last) ? contentText(last['output']) : null,
    turnsSoFar: turnsInItems(items),
    schema: schemaOf(fieldsOf(fieldsOf(body['text'])['format'])),
  };
}

const schemaOf = (format: Fields) =>
  format['type'] === 'json_schema' ? fieldsOf(format['schema']) : null;

/** Codex tells its newest models of their tools within the conversation. */
const addsTools = ({ type }: Fields) => type === 'additional_tools';

/** Tools of an MCP server come as a namespace with tools inside. */
function offered(tool: Fields): readonly OfferedTool[] {
  if (tool['type'] === 'namespace') {
    const namespace = text(tool['name']);
    return list(tool['tools']).map((inner) => ({ ...toolOf(inner), namespace }));
  }
  return [toolOf(tool)];
}

const toolOf = (tool: Fields): OfferedTool => ({
  name: text(tool['name']) || text(tool['type']),
  namespace: null,
  ...(tool['type'] === 'custom' ? { freeform: text(tool['description']) } : {}),
  parameters: parameters(tool['parameters']),
});

const isToolResult = (item: Fields) => text(item['type']).endsWith('_output');

/** Text and call of one turn are two items, so only what follows the last call is counted. */
function turnsInItems(items: readonly Fields[]): number {
  const last = items.findLastIndex((item) => turnOfCall(item['call_id']) !== null);
  const called = last === -1 ? -1 : (turnOfCall(items[last]?.['call_id']) ?? -1);
  const said = items.slice(last + 1).filter(({ role }) => role === 'assistant').length;
  return called + 1 + said;
}

function messageItem(answer: Answer): Fields | null {
  if (answer.text === '') return null;
  return {
    type: 'message',
    id: `msg_${answer.id}`,
    role: 'assistant',
    status: 'completed',
    content: [{ type: 'output_text', text: answer.text, annotations: [] }],
  };
}

function callItem({ id, call }: Answer): Fields | null {
  if (call === null) return null;
  const space = call.namespace === null ? {} : { namespace: call.namespace };
  const named = { call_id: call.id, name: call.name, ...space, status: 'completed' };
  return call.isFreeform === true
    ? { type: 'custom_tool_call', id: `ctc_${id}`, ...named, input: call.args }
    : { type: 'function_call', id: `fc_${id}`, ...named, arguments: call.args };
}

function reasoningItem({ id, thought }: Answer): Fields | null {
  if (thought === '') return null;
  return { type: 'reasoning', id: `rs_${id}`, summary: [{ type: 'summary_text', text: thought }] };
}

const outputOf = (answer: Answer) =>
  [reasoningItem(answer), messageItem(answer), callItem(answer)].filter((item) => item !== null);

/** An answer that stopped early is `incomplete`, and so is its last event. */
const incomplete = { length: 'max_output_tokens', refusal: 'content_filter' };

function ending({ stop }: Answer): Fields & { readonly status: string } {
  if (stop === 'end' || stop === 'call') return { status: 'completed' };
  return { status: 'incomplete', incomplete_details: { reason: incomplete[stop] } };
}

function whole(answer: Answer): Fields {
  const { usage } = answer;
  return {
    id: `resp_${answer.id}`,
    object: 'response',
    created_at: 0,
    ...ending(answer),
    model: answer.model,
    output: outputOf(answer),
    usage: {
      input_tokens: usage.inputTokens,
      input_tokens_details: {
        cached_tokens: usage.cachedTokens,
        ...(usage.cacheWriteTokens === 0 ? {} : { cache_write_tokens: usage.cacheWriteTokens }),
      },
      output_tokens: usage.outputTokens,
      output_tokens_details: { reasoning_tokens: usage.reasoningTokens },
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
    { type: `response.${ending(answer).status}`, response },
  ];
  return events.map((event, number) => ({
    event: event.type,
    data: { ...event, sequence_number: number },
  }));
}

type Typed = Fields & { readonly type: string };

function itemEvents(item: Fields, index: number): readonly Typed[] {
  const at = { item_id: item['id'], output_index: index };
  const { empty, events } = innerOf(item, at);
  return [
    { type: 'response.output_item.added', output_index: index, item: { ...item, ...empty } },
    ...events,
    { type: 'response.output_item.done', output_index: index, item },
  ];
}

interface Inner {
  /** What the item lacks when it is announced. */
  readonly empty: Fields;
  readonly events: readonly Typed[];
}

function innerOf(item: Fields, at: Fields): Inner {
  if (item['type'] === 'reasoning') {
    return { empty: { summary: [] }, events: summaryEvents(item, at) };
  }
  if (item['type'] === 'message') {
    return { empty: { content: [], status: 'in_progress' }, events: textEvents(item, at) };
  }
  if (item['type'] === 'custom_tool_call') {
    return { empty: { input: '', status: 'in_progress' }, events: inputEvents(item, at) };
  }
  return { empty: { arguments: '', status: 'in_progress' }, events: argumentEvents(item, at) };
}

function summaryEvents(item: Fields, at: Fields): readonly Typed[] {
  const thought = contentText(item['summary']);
  const place = { ...at, summary_index: 0 };
  const part = (said: string) => ({ type: 'summary_text', text: said });
  const of = 'response.reasoning_summary';
  return [
    { type: `${of}_part.added`, ...place, part: part('') },
    ...pieces(thought).map((delta) => ({ type: `${of}_text.delta`, ...place, delta })),
    { type: `${of}_text.done`, ...place, text: thought },
    { type: `${of}_part.done`, ...place, part: part(thought) },
  ];
}

function textEvents(item: Fields, at: Fields): readonly Typed[] {
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

function argumentEvents(item: Fields, at: Fields): readonly Typed[] {
  const args = text(item['arguments']);
  const type = 'response.function_call_arguments.delta';
  return [
    ...pieces(args).map((delta) => ({ type, ...at, delta })),
    { type: 'response.function_call_arguments.done', ...at, arguments: args },
  ];
}

function inputEvents(item: Fields, at: Fields): readonly Typed[] {
  const input = text(item['input']);
  const of = 'response.custom_tool_call_input';
  return [
    ...pieces(input).map((delta) => ({ type: `${of}.delta`, ...at, delta })),
    { type: `${of}.done`, ...at, input },
  ];
}

export const responses: Api = {
  name: 'responses',
  path: /\/responses$/,
  read,
  whole,
  stream,
  streamError: {
    event: 'response.failed',
    data: {
      type: 'response.failed',
      response: {
        object: 'response',
        status: 'failed',
        error: { code: 'server_error', message: 'The server had an error.' },
        output: [],
        usage: null,
      },
    },
  },
};
