/** One deadline that is moved along: armed, put off, held while it is not the service's turn. */
export interface Deadline {
  /** Runs from now, for this long. */
  arm(ms: number): void;
  /** Starts its span anew. */
  touch(): void;
  stop(): void;
}

/**
 * Passed only when nothing lies in the sockets either: a process that was stopped for a while finds
 * its timers due before it has read what came meanwhile.
 */
export function deadline(onPassed: () => void): Deadline {
  let timer: NodeJS.Timeout | null = null;
  let moves = 0;
  const due = () => {
    const before = moves;
    setImmediate(() => {
      if (moves === before) onPassed();
    });
  };
  const stop = () => {
    moves += 1;
    if (timer !== null) clearTimeout(timer);
    timer = null;
  };
  return {
    arm(ms) {
      stop();
      timer = setTimeout(due, ms);
    },
    touch() {
      moves += 1;
      timer?.refresh();
    },
    stop,
  };
}
