/** What all drivers make of a failure that a program tells of. */
import type { FailureClass } from '../../domain/execution/state.ts';
import type { ProgramExit } from '../../ports/agent.ts';

export type ToldFailure =
  | { readonly how: 'limit'; readonly until: number | null; readonly detail: string }
  | { readonly how: 'failed'; readonly class: FailureClass; readonly detail: string };

/** Of the model service's status; null: it says nothing that holds for every program. */
export function classOfStatus(status: number | null): FailureClass | null {
  if (status === 429) return 'rate_limited';
  if (status === 401 || status === 402 || status === 403) return 'auth_required';
  return status !== null && status >= 500 ? 'transport_lost' : null;
}

/** As {@link classOfStatus}, where what was asked for is not taken, whoever asks again. */
export function classOfRefusal(status: number | null): FailureClass | null {
  return status === 400 || status === 404 ? 'dispatch_failed' : classOfStatus(status);
}

/** `found` null: it told of nothing that is known. `until`: when a limit ends, if it said so. */
export function failureTold(
  found: FailureClass | null,
  message: string,
  until: number | null = null,
): ToldFailure {
  const detail = message === '' ? 'the turn failed without a word' : message;
  if (found === 'rate_limited') return { how: 'limit', until, detail };
  return { how: 'failed', class: found ?? 'lane_died', detail };
}

/** How it went, for people; `exit` and `signal` are null when it was ended by us. */
export function exitWords({ exit, signal }: ProgramExit): string {
  if (exit !== null) return `exited with ${exit}`;
  return signal === null ? 'was ended' : `was killed by ${signal}`;
}
