/**
 * What an error of the protocol means for the run. Only what is structured is read: codes, and
 * named fields of its data; the message is for people (L-E3). What nothing names is a lane that
 * died, which is tried again a bounded number of times.
 */
import type { FailureClass } from '../../../domain/execution/state.ts';
import { amountOf, type Fields, fieldsOf, textOf } from '../../../kernel/json.ts';
import { clipLine } from '../../../kernel/text.ts';
import { classOfStatus, failureTold, type ToldFailure } from '../failure.ts';
import type { RpcError } from './rpc.ts';

const detailMax = 500;
/** ACP's own: the agent is not logged in. */
const authRequired = -32000;

/** Words by which agents name kinds of failure in the data of an error. */
const kinds: Readonly<Record<string, FailureClass>> = {
  rate_limit: 'rate_limited',
  rate_limit_error: 'rate_limited',
  usage_limit: 'rate_limited',
  authentication_failed: 'auth_required',
  authentication_error: 'auth_required',
  ProviderAuthError: 'auth_required',
  billing_error: 'auth_required',
  context_overflow: 'context_overflow',
  prompt_too_long: 'context_overflow',
  ContextOverflowError: 'context_overflow',
  server_error: 'transport_lost',
  overloaded: 'transport_lost',
  overloaded_error: 'transport_lost',
};

export function failureOf(error: RpcError): ToldFailure {
  const data = fieldsOf(error.data);
  const detail = clipLine(`${error.message}${moreOf(data, error.message)}`, detailMax);
  const found = kindOf(data) ?? classOfStatus(statusOf(error, data));
  return failureTold(found, detail, untilOf(data));
}

function kindOf(data: Fields): FailureClass | null {
  const named = ['errorKind', 'errorName', 'type'].map((key) => textOf(data[key]) ?? '');
  const known = named.find((name) => Object.hasOwn(kinds, name));
  return known === undefined ? null : (kinds[known] ?? null);
}

/** Some agents put the status of the service where the protocol has its code. */
function statusOf({ code }: RpcError, data: Fields): number | null {
  if (code === authRequired) return 401;
  const said = amountOf(data['statusCode']) ?? amountOf(data['status']) ?? code;
  return said !== null && said >= 400 && said <= 599 ? said : null;
}

/** Milliseconds since the epoch, where the agent says when the limit ends. */
function untilOf(data: Fields): number | null {
  const seconds = amountOf(data['resetsAt']);
  return seconds === null ? null : seconds < 1e11 ? seconds * 1000 : seconds;
}

/** `Internal error` alone helps nobody; agents put the reason into the data. */
function moreOf(data: Fields, message: string): string {
  const more = textOf(data['details']) ?? textOf(data['message']);
  return more === null || message.includes(more) ? '' : `: ${more}`;
}
