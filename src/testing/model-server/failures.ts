/**
 * How a model's answer can go wrong, as data. What a vendor answers to its refusals stands in
 * `vendor-errors.ts`; how bytes go astray is carried out by `send.ts`.
 */

/** Why a vendor refuses. */
export type Reason =
  | 'authentication'
  | 'payment'
  | 'context'
  | 'rate'
  | 'quota'
  | 'plan'
  | 'server'
  | 'overloaded';

export interface Refused {
  readonly status: number;
  readonly reason: Reason;
  /** The vendor says in its own way when the limit is lifted. */
  readonly tellsReset: boolean;
}

export interface Astray {
  /** Before anything was sent, head included, or once half of the answer has left the machine. */
  readonly from: 'start' | 'middle';
  /**
   * `silence`: the connection stays open and nothing more comes. `cut`: the socket is destroyed.
   * `garbage`: bytes that no API sends, then a clean end. `end`: a clean end without the API's last
   * event. `error`: the API's own error event, then a clean end. `slowly`: all of it, bit by bit.
   */
  readonly how: 'silence' | 'cut' | 'garbage' | 'end' | 'error' | 'slowly';
}

export type FailureForm = Refused | Astray;

export const failures = {
  unauthorized: { status: 401, reason: 'authentication', tellsReset: false },
  payment_required: { status: 402, reason: 'payment', tellsReset: false },
  context_overflow: { status: 400, reason: 'context', tellsReset: false },
  rate_limited: { status: 429, reason: 'rate', tellsReset: false },
  rate_limited_until: { status: 429, reason: 'rate', tellsReset: true },
  /** No money or a limit of spending: waiting does not help. */
  quota_exhausted: { status: 429, reason: 'quota', tellsReset: false },
  /** The limit of a subscription, with the time when it is lifted. */
  usage_limit: { status: 429, reason: 'plan', tellsReset: true },
  server_error: { status: 500, reason: 'server', tellsReset: false },
  overloaded: { status: 529, reason: 'overloaded', tellsReset: false },
  hang: { from: 'start', how: 'silence' },
  stall: { from: 'middle', how: 'silence' },
  drop_at_once: { from: 'start', how: 'cut' },
  drop: { from: 'middle', how: 'cut' },
  malformed: { from: 'start', how: 'garbage' },
  malformed_midway: { from: 'middle', how: 'garbage' },
  error_event: { from: 'middle', how: 'error' },
  truncated: { from: 'middle', how: 'end' },
  trickle: { from: 'start', how: 'slowly' },
} as const satisfies Readonly<Record<string, FailureForm>>;

export type FailureName = keyof typeof failures;

/** How a turn goes wrong. */
export interface Failing {
  readonly by: FailureName;
  /** So many requests for this turn fail, the next one is answered; absent: all of them fail. */
  readonly times?: number;
  /** For limits that tell when they are lifted; 5 when absent. */
  readonly resetsInSeconds?: number;
  /** Between two bits of a slow answer; 300 when absent. */
  readonly everyMs?: number;
}

export const resetsInSecondsDefault = 5;
export const everyMsDefault = 300;
