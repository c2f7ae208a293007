/** Whether a failure is a write that was refused for want of space, wherever it was noticed. */
import { ProductError } from './errors.ts';

/** No space, or no more of it for this user. */
const codes = new Set(['ENOSPC', 'EDQUOT']);
const causesMax = 5;

export function isDiskFull(error: unknown): boolean {
  let at = error;
  for (let depth = 0; depth < causesMax && at instanceof Error; depth += 1) {
    if (at instanceof ProductError && at.code === 'disk_full') return true;
    if ('code' in at && codes.has(String(at.code))) return true;
    at = at.cause;
  }
  return false;
}
