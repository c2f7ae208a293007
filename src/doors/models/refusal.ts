/**
 * Answers of the door itself, in each API's own shape and with the status that makes every measured
 * CLI give up at once (research/models-door.md §4): one request, no retry, no pretended answer. The
 * marker `[door:…]` arrives word for word in the output of the CLI.
 */
import type { ModelApi, RefusalReason } from '../../ports/models-door.ts';
import type { Reply } from './reply.ts';

const statuses: Readonly<Record<ModelApi, number>> = {
  anthropic: 402,
  responses: 400,
  chat: 402,
  gemini: 403,
};

const sentences: Readonly<Record<RefusalReason, string>> = {
  budget_exceeded:
    'The budget of this run is spent; no further model requests are accepted until it is raised.',
  limit_until: 'The usage limit of the model service is reached; this run waits for its reset.',
  credential_refused: 'The model service refused the credential; the operator has to renew it.',
  upstream_down: 'The model service keeps failing; no further requests are accepted for now.',
  server_tools: 'Tools that run at the model provider are switched off for this run.',
  unreadable_body: 'The request is not a plain JSON object, so it cannot be checked.',
  body_too_large: 'The request is larger than the models door takes.',
  not_allowed: 'Only calls of a model, counts of tokens and lists of models pass this door.',
};

/** `detail` stands in the marker: `[door:limit_until=2026-11-29T02:00:00.000Z]`. */
export function refusal(api: ModelApi, reason: RefusalReason, detail = ''): Reply {
  const marker = detail === '' ? `[door:${reason}]` : `[door:${reason}=${detail}]`;
  const message = `${marker} ${sentences[reason]}`;
  const fault = faults[reason];
  if (fault !== undefined) return inShape(api, fault.status, { message, code: reason, ...fault });
  // A nested search request refused with 403 becomes a failed tool, and the turn goes on (§6).
  const isTool = reason === 'server_tools';
  return inShape(api, isTool && api === 'anthropic' ? 403 : statuses[api], {
    message,
    anthropic: isTool ? 'permission_error' : 'billing_error',
    openai: isTool || api === 'responses' ? 'invalid_request_error' : 'insufficient_quota',
    gemini: 'PERMISSION_DENIED',
    code: reason,
  });
}

/** Mistakes of the request itself, which no grant would cure. */
const faults: Readonly<
  Partial<Record<RefusalReason, Pick<Words, 'anthropic' | 'openai' | 'gemini'> & HasStatus>>
> = {
  unreadable_body: {
    status: 400,
    anthropic: 'invalid_request_error',
    openai: 'invalid_request_error',
    gemini: 'INVALID_ARGUMENT',
  },
  body_too_large: {
    status: 413,
    anthropic: 'request_too_large',
    openai: 'invalid_request_error',
    gemini: 'INVALID_ARGUMENT',
  },
  not_allowed: {
    status: 404,
    anthropic: 'not_found_error',
    openai: 'invalid_request_error',
    gemini: 'NOT_FOUND',
  },
};
interface HasStatus {
  readonly status: number;
}

/** For a hang or a broken connection before the first byte: every CLI tries again. */
export function gatewayError(api: ModelApi, status: 502 | 504): Reply {
  const isTimeout = status === 504;
  const message = isTimeout
    ? '[door:upstream_timeout] The model service did not begin to answer in time.'
    : '[door:upstream_lost] The connection to the model service was lost.';
  return inShape(api, status, {
    message,
    anthropic: isTimeout ? 'timeout_error' : 'api_error',
    openai: 'server_error',
    gemini: isTimeout ? 'DEADLINE_EXCEEDED' : 'UNAVAILABLE',
    code: isTimeout ? 'upstream_timeout' : 'upstream_lost',
  });
}

/** Without the right token nothing is said: not even whether the path would be known. */
export const noEntry: Reply = { status: 403, body: '{"error":"forbidden"}' };

interface Words {
  readonly message: string;
  readonly anthropic: string;
  readonly openai: string;
  readonly gemini: string;
  readonly code: string;
}

function inShape(api: ModelApi, status: number, words: Words): Reply {
  return { status, body: JSON.stringify(shapes[api](status, words)) };
}

const openai = (_status: number, { message, openai: type, code }: Words) => ({
  error: { message, type, param: null, code },
});
const shapes: Readonly<Record<ModelApi, (status: number, words: Words) => unknown>> = {
  anthropic: (_status, { message, anthropic: type }) => ({
    type: 'error',
    error: { type, message },
    request_id: 'req_door',
  }),
  chat: openai,
  responses: openai,
  gemini: (code, { message, gemini: status }) => ({ error: { code, message, status } }),
};
