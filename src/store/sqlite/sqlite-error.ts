/** What an error of SQLite means: come back later, this machine cannot, or a bug of ours. */
import { ProductError, TransientError, WorldError } from '../../kernel/errors.ts';
import { InvariantViolation } from '../../kernel/invariant.ts';

const busy = new Set([5, 6]); // SQLITE_BUSY, SQLITE_LOCKED
/** PERM, READONLY, IOERR, CORRUPT, CANTOPEN, PROTOCOL, NOLFS, NOTADB. */
const ofTheWorld = new Set([3, 8, 10, 11, 14, 15, 22, 26]);
const sqliteFull = 13;

/** The primary result code; null when it is no error of SQLite. */
export function sqliteCode(error: unknown): number | null {
  if (!(error instanceof Error)) return null;
  const { errcode } = error as Error & { readonly errcode?: unknown };
  return typeof errcode === 'number' ? errcode & 0xff : null;
}

export function isBusy(error: unknown): boolean {
  const code = sqliteCode(error);
  return code !== null && busy.has(code);
}

export const busyError = (cause?: unknown): TransientError =>
  new TransientError('store.busy', 'the store was busy for 10 s', {}, cause);

/** What a caller sees: a {@link ProductError}, or an {@link InvariantViolation} for a bug. */
export function storeError(error: unknown): Error {
  if (error instanceof ProductError || error instanceof InvariantViolation) return error;
  const code = sqliteCode(error);
  if (code === null) return error instanceof Error ? error : new Error(String(error));
  const said = (error as Error).message;
  if (busy.has(code)) return busyError(error);
  if (code === sqliteFull) return new WorldError('disk_full', `the store: ${said}`, {}, error);
  if (ofTheWorld.has(code)) {
    return new WorldError('store_unusable', `the store cannot be used: ${said}`, {}, error);
  }
  const bug = new InvariantViolation(`SQLite refuses what we wrote: ${said}`);
  bug.cause = error;
  return bug;
}
