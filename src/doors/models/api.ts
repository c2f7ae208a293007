/**
 * Which calls may pass, by path: calls of a model, counts of tokens, lists of models. Everything
 * else that a key opens (files, batches, stored answers, administration) stays shut, since it would
 * spend or reveal without being metered.
 */
import type { ModelApi, ModelVendor } from '../../ports/models-door.ts';

export type Route =
  /** Asks a model: metered, held by the budget. */
  | { readonly kind: 'model'; readonly api: ModelApi; readonly model: string | null }
  /** Free of charge, passed on. */
  | { readonly kind: 'free'; readonly vendor: ModelVendor; readonly api: ModelApi }
  | { readonly kind: 'head' }
  | { readonly kind: 'none'; readonly api: ModelApi };

export const vendorOf: Readonly<Record<ModelApi, ModelVendor>> = {
  anthropic: 'anthropic',
  chat: 'openai',
  responses: 'openai',
  gemini: 'google',
};

/** No empty, dotted or encoded parts: what is matched here is what the service will read. */
const plain = /^(?:\/(?!\.{1,2}(?:\/|$))[\w.:@-]+)+$/;
const version = '(?:/v1)?';
const modelPaths: readonly (readonly [RegExp, ModelApi])[] = [
  [new RegExp(`^${version}/messages$`), 'anthropic'],
  [new RegExp(`^${version}/chat/completions$`), 'chat'],
  [new RegExp(`^${version}/responses(?:/compact)?$`), 'responses'],
];
const gemini = /^\/v1(?:alpha|beta)?\/(?:models|tunedModels)\/(\w[\w.@-]*):(\w+)$/;
const geminiCalls = ['generateContent', 'streamGenerateContent'];

/** `path` without its query; `isAnthropic`: the request carries Anthropic's version header. */
export function routeOf(method: string, path: string, isAnthropic: boolean): Route {
  if (!plain.test(path)) return { kind: 'none', api: 'chat' };
  if (method === 'HEAD') return { kind: 'head' };
  if (method === 'GET') return listOf(path, isAnthropic);
  return method === 'POST' ? callOf(path) : { kind: 'none', api: apiNear(path) };
}

function callOf(path: string): Route {
  for (const [pattern, api] of modelPaths) {
    if (pattern.test(path)) return { kind: 'model', api, model: null };
  }
  if (new RegExp(`^${version}/messages/count_tokens$`).test(path)) {
    return { kind: 'free', vendor: 'anthropic', api: 'anthropic' };
  }
  const [, model = '', verb = ''] = gemini.exec(path) ?? [];
  if (geminiCalls.includes(verb)) return { kind: 'model', api: 'gemini', model };
  if (verb === 'countTokens') return { kind: 'free', vendor: 'google', api: 'gemini' };
  return { kind: 'none', api: apiNear(path) };
}

function listOf(path: string, isAnthropic: boolean): Route {
  if (/^\/v1(?:alpha|beta)\/models(?:\/[\w.@-]+)?$/.test(path)) {
    return { kind: 'free', vendor: 'google', api: 'gemini' };
  }
  if (!/^(?:\/v1)?\/models(?:\/[\w.:@-]+)*$/.test(path)) {
    return { kind: 'none', api: apiNear(path) };
  }
  return isAnthropic
    ? { kind: 'free', vendor: 'anthropic', api: 'anthropic' }
    : { kind: 'free', vendor: 'openai', api: 'chat' };
}

/** In whose shape to refuse what is no call at all. */
function apiNear(path: string): ModelApi {
  if (/\/v1(?:alpha|beta)\//.test(path)) return 'gemini';
  if (path.includes('/messages') || path.startsWith('/api/')) return 'anthropic';
  return path.includes('/responses') ? 'responses' : 'chat';
}

/** Parameters of the address that may pass; a key among them is a credential and never does. */
const queryNames = new Set([
  'after_id',
  'alt',
  'api-version',
  'before_id',
  'beta',
  'client_version',
  'limit',
  'pageSize',
  'pageToken',
]);

/** `?…` or '' with the allowed parameters alone, each as it was written. */
export function allowedQuery(query: string, also: readonly string[] = []): string {
  const kept = query.split('&').filter((part) => {
    const name = part.split('=')[0] ?? '';
    return queryNames.has(name) || also.includes(name);
  });
  return kept.length === 0 ? '' : `?${kept.join('&')}`;
}
