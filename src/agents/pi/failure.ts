/**
 * What a failed turn of pi means for the run. It tells a line: the status and the words of the
 * service, the service's own JSON, or what the library below it says of a connection. The status,
 * the names in the JSON and the fixed beginnings of the library are read, nothing else (recorded
 * with 0.73.1); what begins otherwise is a lane that died, which is tried again.
 */
import type { FailureClass } from '../../domain/execution/state.ts';
import { amountOf, fieldsOf, parsedJson, textOf } from '../../kernel/json.ts';
import { classOfRefusal, failureTold, type ToldFailure } from '../drivers/failure.ts';

const lostWords =
  /^(terminated|fetch failed|other side closed|Connection error\.|Request timed out\.|server_error: )/;

const named: Readonly<Record<string, FailureClass>> = {
  authentication_error: 'auth_required',
  billing_error: 'auth_required',
  permission_error: 'auth_required',
  rate_limit_error: 'rate_limited',
  overloaded_error: 'transport_lost',
  api_error: 'transport_lost',
  timeout_error: 'transport_lost',
};

export function failureOf(message: string): ToldFailure {
  // When a limit ends is nowhere told.
  return failureTold(classOf(message), message);
}

function classOf(message: string): FailureClass | null {
  if (lostWords.test(message)) return 'transport_lost';
  if (message === 'Provider finish_reason: content_filter') return 'human_blocker';
  const status = /^(\d{3})\b/.exec(message)?.[1];
  return status === undefined ? classOfJson(message) : classOfRefusal(Number(status));
}

function classOfJson(message: string): FailureClass | null {
  const error = fieldsOf(fieldsOf(parsedJson(message))['error']);
  const type = textOf(error['type']) ?? '';
  if (Object.hasOwn(named, type)) return named[type] ?? null;
  return classOfRefusal(amountOf(error['code']));
}
