import type { CancelSignal } from '../kernel/cancel-signal.ts';

export interface Stop {
  readonly signal: CancelSignal;
  stop(): void;
}

/** A signal of our own that also follows another: the pure layers have no AbortController. */
export function stopAfter(outer: CancelSignal): Stop {
  const listeners = new Set<() => void>();
  let aborted = outer.aborted;
  const stop = (): void => {
    if (aborted) return;
    aborted = true;
    outer.removeEventListener('abort', stop);
    for (const listener of [...listeners]) listener();
    listeners.clear();
  };
  outer.addEventListener('abort', stop, { once: true });
  return {
    stop,
    signal: {
      get aborted() {
        return aborted;
      },
      addEventListener: (_type, listener) => {
        listeners.add(listener);
      },
      removeEventListener: (_type, listener) => {
        listeners.delete(listener);
      },
    },
  };
}
