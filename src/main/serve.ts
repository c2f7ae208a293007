/**
 * What the background programs share: signals end them in order, a bug exits 70 and is written
 * down. A store that a later program has migrated is neither: it is left in one line.
 */
import { InvariantViolation } from '../kernel/invariant.ts';
import { isTooOld } from '../kernel/too-old.ts';
import { reportBug } from './report-bug.ts';
import type { Surroundings } from './surroundings.ts';

export type Log = (line: string) => void;

/** Runs `body` until it ends; SIGTERM and SIGINT abort its signal. Its exit code is 0, 1 or 70. */
export async function serve(
  name: string,
  around: Surroundings,
  body: (signal: AbortSignal, log: Log) => Promise<void>,
): Promise<void> {
  const controller = new AbortController();
  const stop = () => controller.abort();
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  // A terminal that closes is not ours.
  process.on('SIGHUP', () => {});
  // A log that takes nothing (a full disk) ends nobody's work; status and doctor tell of the disk.
  process.stdout.on('error', () => undefined);
  process.stderr.on('error', () => undefined);
  const log: Log = (line) => {
    process.stdout.write(`${new Date().toISOString()} ${name}[${process.pid}] ${line}\n`);
  };
  try {
    await body(controller.signal, log);
  } catch (error: unknown) {
    if (isTooOld(error)) {
      log(`leaves: ${(error as Error).message}`);
      process.exitCode = 1;
      return;
    }
    log(`failed: ${error instanceof Error ? error.message : String(error)}`);
    const path = await reportBug(around, [name], error);
    log(`report: ${path}`);
    process.exitCode = error instanceof InvariantViolation ? 70 : 1;
  } finally {
    process.off('SIGTERM', stop);
    process.off('SIGINT', stop);
  }
}
