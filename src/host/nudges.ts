/**
 * The nudges of one lane: the engine counts them and tells the count with every beat; what is new
 * is passed on, once, to the turn that runs now. One that comes between two turns is heard by
 * nobody, and needs not be: a turn that begins is a push of its own.
 */
export interface Nudges {
  /** Came with a beat: so many there were, this one included. */
  told(count: number): void;
  /** Of the turn that runs now; returns what ends it. */
  listen(listener: () => void): () => void;
  readonly count: number;
}

export function nudges(onNew: (count: number) => void): Nudges {
  let count = 0;
  let listener: (() => void) | null = null;
  return {
    told(now) {
      if (now <= count) return;
      count = now;
      onNew(now);
      listener?.();
    },
    listen(next) {
      listener = next;
      return () => {
        if (listener === next) listener = null;
      };
    },
    get count() {
      return count;
    },
  };
}
