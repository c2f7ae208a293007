import { closeSync, openSync } from 'node:fs';
import type { FaultPoints } from '../../../src/ports/fault-points.ts';

/**
 * Kills its own process with -9 at the nth time that a named point of a named program is reached:
 * `PAWL_CRASH=lane-host:host.sealed:1`. A latch file makes it happen once in a test, whichever
 * process comes first.
 */
export function killAt(program: string): FaultPoints | undefined {
  const [where, point, count] = (process.env['PAWL_CRASH'] ?? '').split(':');
  const latch = process.env['PAWL_CRASH_LATCH'];
  if (where !== program || latch === undefined) return undefined;
  let left = Number(count);
  return {
    reached(name) {
      if (name !== point) return;
      left -= 1;
      if (left > 0 || !isFirst(latch)) return;
      process.kill(process.pid, 'SIGKILL');
      // The signal is delivered before the next instruction of ours; if not, stop here.
      for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
    },
  };
}

function isFirst(latch: string): boolean {
  try {
    closeSync(openSync(latch, 'wx'));
    return true;
  } catch (error: unknown) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}
