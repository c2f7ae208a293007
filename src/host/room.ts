/**
 * Room on a disk, as hosts meet it. A write that was refused for want of space is made again for
 * some minutes while its work is wanted, so that a turn that was paid for is not taken twice; after
 * that the run waits, with the class `disk_full`.
 */
import { statfsSync } from 'node:fs';
import type { FailureClass } from '../domain/execution/state.ts';
import { isDiskFull } from '../kernel/disk-full.ts';
import type { ErrorCode } from '../kernel/error-codes.ts';
import { ProductError } from '../kernel/errors.ts';
import type { LaneWork } from './lane-work.ts';

const triesMax = 12;
const pauseMs = 1_000;
const pauseMsMax = 60_000;

/** @throws what `act` throws: other failures at once, a full disk after the last try. */
export async function withRoom<T>(work: LaneWork, act: () => T | Promise<T>): Promise<T> {
  const { clock, log } = work.options;
  for (let tries = 1; ; tries += 1) {
    try {
      return await act();
    } catch (error: unknown) {
      if (!isDiskFull(error) || tries >= triesMax || work.signal.aborted) throw error;
      log?.(`no space left; tried again (${tries} of ${triesMax - 1})`);
    }
    await clock.sleep(Math.min(pauseMs * 2 ** (tries - 1), pauseMsMax), work.signal);
  }
}

/**
 * The class of a failure of ours, where the failure itself tells it; else the one that is named.
 */
export function classFor(error: unknown, otherwise: FailureClass): FailureClass {
  if (isDiskFull(error)) return 'disk_full';
  const known = error instanceof ProductError ? classes[error.code] : undefined;
  return known ?? otherwise;
}

const classes: Readonly<Partial<Record<ErrorCode, FailureClass>>> = {
  credential_missing: 'auth_required',
  // Who has not answered has refused nothing.
  plane_unreachable: 'transport_lost',
  // It is the same the next time.
  source_unavailable: 'source_unavailable',
};

/** Below this nothing of ours can be written, whatever else the disk is used for. */
const roomBytesMin = 1024 * 1024;

/** Whether the disk that holds the path has no space left for this user; false when unknown. */
export function isFull(path: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(path);
    return bavail * bsize < roomBytesMin;
  } catch {
    // No such folder, or no such call: then nobody can tell, and nothing is claimed.
    return false;
  }
}
