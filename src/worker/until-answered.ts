/**
 * A worker that starts while its server does is not turned away: what it has to know first is asked
 * again, with back-off, for {@link patienceMs} at most. That nobody answers is said once.
 */
import { connectionTrouble } from '../kernel/connection-trouble.ts';
import { TransientError } from '../kernel/errors.ts';
import type { Clock } from '../ports/clock.ts';

export const patienceMs = 10 * 60_000;
const pauseMinMs = 250;
const pauseMaxMs = 4_000;

export type MayPass = (error: unknown) => error is TransientError;

export interface Patience {
  readonly clock: Pick<Clock, 'monotonicMs' | 'sleep'>;
  readonly log: (line: string) => void;
  readonly signal: AbortSignal;
  /** Whether the same may be asked again. */
  readonly mayPass: MayPass;
}

/** @throws what `ask` throws: what does not pass at once, the rest when patience is over. */
export async function untilAnswered<T>(patience: Patience, ask: () => Promise<T>): Promise<T> {
  const { clock, log, signal, mayPass } = patience;
  const sinceMs = clock.monotonicMs();
  for (let pauseMs = pauseMinMs; ; pauseMs = Math.min(pauseMs * 2, pauseMaxMs)) {
    try {
      return await ask();
    } catch (error: unknown) {
      const isOver = clock.monotonicMs() - sinceMs >= patienceMs;
      if (!mayPass(error) || isOver || signal.aborted) throw error;
      if (pauseMs === pauseMinMs) log(`${error.message}: asked again, for 10m at most`);
    }
    await clock.sleep(pauseMs, signal);
  }
}

/** Who answers, but not so that anything may be said to it, does so the next time as well. */
export const isUnanswered: MayPass = (error): error is TransientError =>
  error instanceof TransientError && connectionTrouble(error.details.found ?? '') === null;

/** Nobody was there to hear it. */
export const isUnheard: MayPass = (error): error is TransientError =>
  isUnanswered(error) && unheard.has(error.details.found ?? '');

const unheard = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']);
