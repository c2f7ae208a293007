/** How often a silent run says in a pipe that it lives. */
import { parseDuration } from '../contract/duration.ts';
import { RequestError } from '../kernel/errors.ts';
import type { Arguments } from './parse.ts';

const heartbeatDefaultMs = 60_000;

/** Null: never. @throws RequestError `bad_value`. */
export function heartbeatOf(given: Arguments): number | null {
  const text = given.text('heartbeat');
  if (text === null) return heartbeatDefaultMs;
  if (text === 'off') return null;
  const ms = parseDuration(text);
  if (ms !== null && ms >= 1000) return ms;
  throw new RequestError('bad_value', `"${text}" is neither off nor a span of at least 1s`, {
    where: '--heartbeat',
  });
}
