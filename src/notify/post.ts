/**
 * One request, tried a few times: network trouble, 408, 429 and 5xx are tried again with a growing,
 * jittered pause; anything else is an answer. Bounded in tries, in each try and in all. Details
 * name a status or an error code, never the address: a hook's address often is its secret.
 */
import type { CancelSignal } from '../kernel/cancel-signal.ts';
import type { Delivery } from '../ports/notifier.ts';
import type { World } from './world.ts';

export interface Post {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const triesMax = 4;
const tryMs = 8_000;
const pauseMs = 1_000;
const pauseMaxMs = 8_000;

type Answer = { readonly status: number; readonly retryAfterMs: number } | { readonly why: string };

export async function post(
  request: Post,
  world: Pick<World, 'clock' | 'fraction'>,
  signal: CancelSignal,
): Promise<Delivery> {
  let last = 'not tried';
  for (let tried = 1; tried <= triesMax && !signal.aborted; tried += 1) {
    const answer = await once(request);
    last = told(answer, tried);
    if (isTaken(answer)) return { state: 'delivered', detail: last };
    if (!mayRetry(answer) || tried === triesMax) break;
    await world.clock.sleep(pauseOf(answer, tried, world.fraction()), signal);
  }
  return { state: 'not_delivered', detail: last };
}

function told(answer: Answer, tried: number): string {
  const said = 'status' in answer ? `HTTP ${answer.status}` : answer.why;
  return tried === 1 ? said : `${said}, try ${tried}`;
}

const isTaken = (answer: Answer): boolean =>
  'status' in answer && answer.status >= 200 && answer.status < 300;

const mayRetry = (answer: Answer): boolean =>
  !('status' in answer) || answer.status === 408 || answer.status === 429 || answer.status >= 500;

function pauseOf(answer: Answer, tried: number, fraction: number): number {
  const asked = 'status' in answer ? answer.retryAfterMs : 0;
  const grown = pauseMs * 2 ** (tried - 1) * (0.5 + fraction / 2);
  return Math.min(pauseMaxMs, Math.max(asked, grown));
}

/** Redirects are not followed: what was signed for one place is not carried to another. */
async function once({ url, headers, body }: Post): Promise<Answer> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers,
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(tryMs),
    });
    await response.body?.cancel();
    const seconds = Number(response.headers.get('retry-after') ?? '0');
    return { status: response.status, retryAfterMs: seconds > 0 ? seconds * 1_000 : 0 };
  } catch (error: unknown) {
    return { why: reasonOf(error) };
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'no answer';
  if (error.name === 'TimeoutError') return `no answer within ${tryMs / 1_000} s`;
  const cause: unknown = error.cause;
  const code = cause instanceof Error && 'code' in cause ? cause.code : null;
  return typeof code === 'string' ? code : 'not a usable address';
}
