/**
 * Tools that run at the model provider reach the world past every rule of the run, so a request
 * that offers one is refused (PL-81). An allow-list: such tools carry versions in their names, and
 * new ones appear.
 */

import { type Fields, fieldsOf, isFields, listOf, textOf } from '../../kernel/json.ts';
import type { ModelApi } from '../../ports/models-door.ts';

/** What of the request would run at the provider, by name; empty: nothing would. */
export function serverTools(api: ModelApi, body: Fields): readonly string[] {
  const tools = toolsIn(api, body).flatMap(refusedIn[api]);
  const beside = fieldsBeside[api].filter((name) => isAsked(body[name]));
  return [...tools, ...beside, ...modelsThatSearch(api, body)];
}

export function offersTools(api: ModelApi, body: Fields): boolean {
  return toolsIn(api, body).length > 0;
}

const toolsIn = (api: ModelApi, body: Fields): readonly unknown[] => [
  ...listOf(body['tools']),
  ...toolsOfItems(api, body),
];

/** Codex brings the tools of newer models among the items of the conversation. */
function toolsOfItems(api: ModelApi, body: Fields): readonly unknown[] {
  if (api !== 'responses') return [];
  const items = listOf(body['input']).map(fieldsOf);
  return items.flatMap(({ type, tools }) => (type === 'additional_tools' ? listOf(tools) : []));
}

/** Present and not switched off: `null`, `false`, an empty list and an empty text ask nothing. */
function isAsked(value: unknown): boolean {
  if (value === undefined || value === null || value === false || value === '') return false;
  return !(Array.isArray(value) && value.length === 0);
}

/** Fields beside `tools` that bring tools, programs or stored requests of the provider along. */
const fieldsBeside: Readonly<Record<ModelApi, readonly string[]>> = {
  anthropic: ['mcp_servers', 'container'],
  // A stored prompt brings tools of its own.
  responses: ['prompt'],
  chat: ['web_search_options', 'plugins', 'search_parameters', 'enable_search'],
  // A stored context may hold tools, and both spellings are read by the service.
  gemini: ['cachedContent', 'cached_content'],
};

/** A background answer is fetched later, past the meter; nothing else of a request is unmetered. */
export function isUnmetered(api: ModelApi, body: Fields): boolean {
  return api === 'responses' && isAsked(body['background']);
}

/** Models whose very name asks for a search. */
function modelsThatSearch(api: ModelApi, body: Fields): readonly string[] {
  const model = textOf(body['model']) ?? '';
  const searches = /:online$|-search-(?:preview|api)\b|deep-research/.test(model);
  return searches && (api === 'chat' || api === 'responses') ? [model] : [];
}

const named = (found: string): readonly string[] => [
  found === '' ? 'a tool without a name' : found,
];

const anthropicClient = /^(?:custom|(?:bash|text_editor|computer|memory)_\d{8})$/;
/** Runs at the provider, and reaches nothing but the list of tools in the request itself. */
const anthropicSearch = /^tool_search_tool_(?:regex|bm25)(?:_\d{8})?$/;

function anthropic(tool: unknown): readonly string[] {
  if (!isFields(tool)) return named('');
  const { type } = tool;
  if (type === undefined || type === null) return [];
  const name = textOf(type) ?? '';
  return anthropicClient.test(name) || anthropicSearch.test(name) ? [] : named(name);
}

const responsesClient = ['function', 'custom', 'local_shell', 'apply_patch', 'tool_search'];

function responses(tool: unknown): readonly string[] {
  const { type, tools, environment } = fieldsOf(tool);
  const name = textOf(type) ?? '';
  if (responsesClient.includes(name)) return [];
  if (name === 'namespace') return listOf(tools).flatMap(responses);
  if (name === 'shell' && fieldsOf(environment)['type'] === 'local') return [];
  return named(name);
}

function chat(tool: unknown): readonly string[] {
  const name = textOf(fieldsOf(tool)['type']) ?? '';
  return name === 'function' || name === 'custom' ? [] : named(name);
}

const geminiClient = ['functionDeclarations', 'function_declarations'];

function gemini(tool: unknown): readonly string[] {
  if (!isFields(tool)) return named('');
  return Object.keys(tool).filter((key) => !geminiClient.includes(key));
}

const refusedIn: Readonly<Record<ModelApi, (tool: unknown) => readonly string[]>> = {
  anthropic,
  responses,
  chat,
  gemini,
};
