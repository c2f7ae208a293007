/**
 * Ctrl-C once, twice, three times, and what else ends a view (UX 3.2): a terminal that closes never
 * ends a run, and no end of a view loses work.
 */
import type { Io } from './io.ts';

export type Wish = 'none' | 'pause' | 'pause_now' | 'leave' | 'detach' | 'terminate';

export interface Interrupts {
  /** The newest wish; it only grows. */
  wish(): Wish;
  /** Aborts when a view should wake up at once. */
  readonly woken: () => AbortSignal;
  close(): void;
}

const order: readonly Wish[] = ['none', 'pause', 'pause_now', 'leave'];
const ctrlC = '\u0003';

/**
 * `onOther`: single keys are read too, where the terminal can; it is told those that are no wish.
 */
export function watchInterrupts(io: Io, onOther: ((key: string) => void) | null): Interrupts {
  let wish: Wish = 'none';
  let wake = new AbortController();
  const become = (next: Wish): void => {
    wish = next;
    wake.abort();
    wake = new AbortController();
  };
  const again = (): void => {
    const at = order.indexOf(wish);
    become(at < 0 ? 'leave' : (order[Math.min(order.length - 1, at + 1)] ?? 'leave'));
  };
  const onKey = (key: string): void => {
    if (key === ctrlC) again();
    else if (key === 'd') become('detach');
    else if (key !== 'p') onOther?.(key);
    else if (wish === 'none') become('pause');
  };
  const undo = [
    io.onSignal('SIGINT', again),
    io.onSignal('SIGTERM', () => become('terminate')),
    io.onSignal('SIGHUP', () => become('detach')),
    ...(onOther === null ? [] : [io.onKey(onKey)]),
  ];
  return {
    wish: () => wish,
    woken: () => wake.signal,
    close: () => {
      for (const each of undo) each?.();
    },
  };
}
