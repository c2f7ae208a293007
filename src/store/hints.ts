import type { Store } from '../ports/store.ts';

export interface HintBoard {
  readonly hints: Store['hints'];
  /** Something was committed. */
  tell(): void;
}

/** Who wants to hear of commits; nobody's trouble with one keeps it from the others. */
export function hintBoard(): HintBoard {
  const listeners = new Set<() => void>();
  return {
    hints: (listener) => {
      const own = () => listener();
      listeners.add(own);
      return () => listeners.delete(own);
    },
    tell: () => {
      for (const listener of listeners) queueMicrotask(listener);
    },
  };
}
