/**
 * What each vendor answers when it refuses: status, headers and body in its own documented form.
 * Anthropic names an `error.type` and sends ISO times, OpenAI names `type` and `code` and sends
 * spans ("6m0s"), Google names a canonical status and puts everything else into `details`.
 */

import type { Fields } from '../../kernel/json.ts';
import type { ApiName } from './api.ts';
import type { Reason, Refused } from './failures.ts';

export interface VendorError {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Fields;
}

/** When the limit is lifted, and what the wall clock says now. */
export interface Reset {
  readonly inSeconds: number;
  readonly nowMs: number;
}

export function vendorError(api: ApiName, refused: Refused, reset: Reset): VendorError {
  if (api === 'anthropic') return anthropicError(refused, reset);
  if (api === 'gemini') return geminiError(refused, reset);
  return openaiError(refused, reset);
}

type Words = Readonly<Record<Reason, readonly [type: string, message: string]>>;

const anthropicWords: Words = {
  authentication: ['authentication_error', 'invalid x-api-key'],
  payment: ['billing_error', 'Your credit balance is too low to access the Anthropic API.'],
  context: ['invalid_request_error', 'prompt is too long: 208310 tokens > 200000 maximum'],
  rate: ['rate_limit_error', 'This request would exceed your rate limit.'],
  quota: ['rate_limit_error', 'Your organization has reached its monthly spend limit.'],
  plan: ['rate_limit_error', "This request would exceed your account's rate limit."],
  server: ['api_error', 'Internal server error'],
  overloaded: ['overloaded_error', 'Overloaded'],
};
const requestId = 'req_scripted';

function anthropicError({ status, reason, tellsReset }: Refused, reset: Reset): VendorError {
  const [type, message] = anthropicWords[reason];
  const details =
    reason === 'quota' ? { details: { error_code: 'enforced_spend_limit_reached' } } : {};
  return {
    status,
    headers: { 'request-id': requestId, ...(tellsReset ? anthropicReset(reason, reset) : {}) },
    body: { type: 'error', error: { type, message, ...details }, request_id: requestId },
  };
}

function anthropicReset(reason: Reason, { inSeconds, nowMs }: Reset) {
  const at = nowMs + inSeconds * 1000;
  const after = { 'retry-after': String(inSeconds) };
  if (reason === 'plan') {
    return {
      ...after,
      'anthropic-ratelimit-unified-status': 'rejected',
      'anthropic-ratelimit-unified-reset': String(Math.round(at / 1000)),
      'anthropic-ratelimit-unified-representative-claim': 'five_hour',
    };
  }
  return {
    ...after,
    'anthropic-ratelimit-requests-limit': '50',
    'anthropic-ratelimit-requests-remaining': '0',
    'anthropic-ratelimit-requests-reset': new Date(at).toISOString().replace(/\.\d+Z$/, 'Z'),
  };
}

const openaiWords: Readonly<Record<Reason, readonly [string, string | null, string]>> = {
  authentication: ['invalid_request_error', 'invalid_api_key', 'Incorrect API key provided.'],
  // OpenAI itself has no 402; this is what compatible vendors send.
  payment: ['unknown_error', 'invalid_request_error', 'Insufficient Balance'],
  context: [
    'invalid_request_error',
    'context_length_exceeded',
    'Your input exceeds the context window of this model.',
  ],
  rate: ['requests', 'rate_limit_exceeded', 'Rate limit reached for requests per min (RPM).'],
  quota: ['insufficient_quota', 'insufficient_quota', 'You exceeded your current quota.'],
  plan: ['usage_limit_reached', null, 'The usage limit has been reached'],
  server: ['server_error', null, 'The server had an error while processing your request.'],
  overloaded: ['server_error', null, 'The engine is currently overloaded.'],
};

function openaiError({ status, reason, tellsReset }: Refused, reset: Reset): VendorError {
  const { inSeconds, nowMs } = reset;
  const [type, code, message] = openaiWords[reason];
  const headers = { 'x-request-id': requestId };
  if (reason === 'plan') {
    const resets_at = Math.round(nowMs / 1000) + inSeconds;
    const plan = { type, message, plan_type: 'plus', resets_at, resets_in_seconds: inSeconds };
    return { status, headers, body: { error: plan } };
  }
  const limit = {
    'retry-after': String(inSeconds),
    'x-ratelimit-limit-requests': '60',
    'x-ratelimit-remaining-requests': '0',
    'x-ratelimit-reset-requests': spanOf(inSeconds),
  };
  return {
    status,
    headers: tellsReset ? { ...headers, ...limit } : headers,
    body: { error: { message, type, param: null, code } },
  };
}

/** `6m0s`, as OpenAI writes the time until a limit is lifted. */
function spanOf(seconds: number): string {
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor((seconds % 3600) / 60);
  const rest = `${seconds % 60}s`;
  if (hours > 0) return `${hours}h${minutes}m${rest}`;
  return minutes > 0 ? `${minutes}m${rest}` : rest;
}

const geminiWords: Words = {
  authentication: ['UNAUTHENTICATED', 'Request had invalid authentication credentials.'],
  // Google has no 402; this is the canonical status of its error about billing.
  payment: ['FAILED_PRECONDITION', 'Please enable billing on your project.'],
  context: [
    'INVALID_ARGUMENT',
    'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
  ],
  rate: ['RESOURCE_EXHAUSTED', 'Resource has been exhausted (e.g. check quota).'],
  quota: ['RESOURCE_EXHAUSTED', 'You exceeded your current quota.'],
  plan: ['RESOURCE_EXHAUSTED', 'You exceeded your current quota.'],
  server: ['INTERNAL', 'An internal error has occurred.'],
  overloaded: ['UNAVAILABLE', 'The model is overloaded. Please try again later.'],
};
const rpc = 'type.googleapis.com/google.rpc';

/** Google sends no header: what there is to know about a limit stands in the details. */
function geminiError({ status, reason, tellsReset }: Refused, { inSeconds }: Reset): VendorError {
  const [canonical, message] = geminiWords[reason];
  const details = [
    ...(reason === 'rate' ? [quota('PerMinute')] : []),
    ...(reason === 'quota' || reason === 'plan' ? [quota('PerDay')] : []),
    ...(tellsReset ? [{ '@type': `${rpc}.RetryInfo`, retryDelay: `${inSeconds}s` }] : []),
  ];
  const error = { code: status, message, status: canonical };
  return {
    status,
    headers: {},
    body: { error: details.length === 0 ? error : { ...error, details } },
  };
}

function quota(window: 'PerMinute' | 'PerDay'): Fields {
  const quotaMetric = 'generativelanguage.googleapis.com/generate_content_requests';
  const quotaId = `GenerateRequests${window}PerProjectPerModel`;
  return { '@type': `${rpc}.QuotaFailure`, violations: [{ quotaMetric, quotaId }] };
}
