/** What an error of PostgreSQL means: again at once, come back later, or a bug of ours. */
import { ProductError, TransientError, WorldError } from '../../kernel/errors.ts';
import { InvariantViolation } from '../../kernel/invariant.ts';

/** Another transaction was in the way: the same commands are decided again. */
const contended = new Set(['40001', '40P01', '55P03', '57014']);
/** The server is starting, stopping, full of connections, or became a standby. */
const unready = new Set(['57P01', '57P02', '57P03', '57P05', '53300', '25P03', '25006']);
const systemErrors = new Set(
  (
    'ECONNREFUSED ECONNRESET ECONNABORTED EPIPE ENOTCONN ETIMEDOUT ENOENT EAI_AGAIN ' +
    'EHOSTUNREACH EHOSTDOWN ENETUNREACH ENETDOWN ENETRESET'
  ).split(' '),
);
const saidOfLoss =
  /^(Connection terminated|Client (has|was)|timeout (exceeded|expired)|Query read timeout|Cannot use a pool)/;
const diskFull = '53100';
/** Our own refusal of a reference to what the collector has in hand. */
const artifactLeaves = 'PW002';

/** SQLSTATE, or the name of an error of the system; null when it has neither. */
export function pgCode(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  const { code } = error as Error & { readonly code?: unknown };
  return typeof code === 'string' ? code : null;
}

export const isContended = (error: unknown): boolean => contended.has(pgCode(error) ?? '');

/** The connection is no use any more, and what was under way on it may or may not have happened. */
export function isLost(error: unknown): boolean {
  if (!(error instanceof Error) || error instanceof ProductError) return false;
  const code = pgCode(error);
  if (code === null) return saidOfLoss.test(error.message);
  return unready.has(code) || systemErrors.has(code) || code.startsWith('08');
}

export const busyError = (cause?: unknown): TransientError =>
  new TransientError('store.busy', 'the store was busy for 10 s', {}, cause);

/** What a caller sees: a {@link ProductError}, or an {@link InvariantViolation} for a bug. */
export function storeError(error: unknown): Error {
  if (error instanceof ProductError || error instanceof InvariantViolation) return error;
  if (!(error instanceof Error)) return new Error(String(error));
  const code = pgCode(error);
  if (isContended(error)) return busyError(error);
  if (code === diskFull) {
    return new WorldError('disk_full', `the store: ${error.message}`, {}, error);
  }
  if (code === artifactLeaves) {
    return new WorldError('artifact_missing', error.message, {}, error);
  }
  if (isLost(error)) {
    const what = `the database does not answer: ${error.message || code}`;
    return new TransientError('database_unreachable', what, {}, error);
  }
  if (code === null) return error;
  if (!isOurs(code)) {
    const what = `the database cannot be used: ${error.message || code}`;
    return new WorldError('database_unusable', what, {}, error);
  }
  const bug = new InvariantViolation(`PostgreSQL refuses what we wrote: ${error.message}`);
  bug.cause = error;
  return bug;
}

/** Data, constraint, syntax and our own refusals; what is left is the world's. */
const isOurs = (code: string): boolean => /^(22|23|42[^5]|42P|PW|21|0A)/.test(code);
