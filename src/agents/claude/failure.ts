/**
 * What a failed turn of Claude Code means for the run. Read are its own names of failures and the
 * status of the service, never its sentences (L-E3).
 */
import type { FailureClass } from '../../domain/execution/state.ts';
import { amountOf, type Fields, fieldsOf, listOf, textOf } from '../../kernel/json.ts';
import { classOfStatus, failureTold, type ToldFailure } from '../drivers/failure.ts';

/** The newest failure of a call of the model, until another call succeeds. */
export interface ApiTrouble {
  readonly error: string | null;
  readonly status: number | null;
  /** When a limit ends, in milliseconds since the epoch. */
  readonly until: number | null;
}

export const noTrouble: ApiTrouble = { error: null, status: null, until: null };

const named: Readonly<Record<string, FailureClass>> = {
  rate_limit: 'rate_limited',
  authentication_failed: 'auth_required',
  oauth_org_not_allowed: 'auth_required',
  billing_error: 'auth_required',
  server_error: 'transport_lost',
  overloaded: 'transport_lost',
  unknown: 'transport_lost',
  // The same request would be refused again, whoever makes it.
  invalid_request: 'dispatch_failed',
  model_not_found: 'dispatch_failed',
};

export function troubleOf(line: Fields, before: ApiTrouble): ApiTrouble {
  return {
    error: textOf(line['error']),
    status: amountOf(line['api_error_status']),
    until: before.until,
  };
}

/** A limit that is only near is none. */
export function resetOf(line: Fields): number | null {
  const info = fieldsOf(line['rate_limit_info']);
  const seconds = info['status'] === 'rejected' ? amountOf(info['resetsAt']) : null;
  return seconds === null ? null : Math.round(seconds * 1000);
}

/** Null: the turn ended as turns do. `subtype` alone says nothing: a failure has `success`, too. */
export function failureOf(
  line: Fields,
  { trouble, isResumed }: { readonly trouble: ApiTrouble; readonly isResumed: boolean },
): ToldFailure | null {
  const isFailed = line['is_error'] === true || line['subtype'] === 'error_during_execution';
  if (!isFailed) return null;
  const said = textOf(line['result']) ?? listOf(line['errors']).map(String).join('; ');
  return failureTold(classOf(line, trouble) ?? lostSession(line, isResumed), said, trouble.until);
}

function classOf(line: Fields, trouble: ApiTrouble): FailureClass | null {
  if (line['terminal_reason'] === 'prompt_too_long') return 'context_overflow';
  if (line['stop_reason'] === 'refusal') return 'human_blocker';
  const byStatus = classOfStatus(amountOf(line['api_error_status']) ?? trouble.status);
  if (byStatus !== null) return byStatus;
  const { error } = trouble;
  return error !== null && Object.hasOwn(named, error) ? (named[error] ?? null) : null;
}

/** A conversation that cannot be taken up is begun anew, as one that is too long is. */
function lostSession(line: Fields, isResumed: boolean): FailureClass | null {
  const isNothingDone = line['num_turns'] === 0 && line['subtype'] === 'error_during_execution';
  return isResumed && isNothingDone ? 'context_overflow' : null;
}
