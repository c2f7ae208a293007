/** One deadline that is moved along: armed, put off, held while it is not the service's turn. */
export interface Deadline {
  /** Runs from now, for this long. */
  arm(ms: number): void;
  /** Starts its span anew. */
  touch(): void;
  stop(): void;
}

export function deadline(onPassed: () => void): Deadline {
  let timer: NodeJS.Timeout | null = null;
  return {
    arm(ms) {
      if (timer !== null) clearTimeout(timer);
      timer = setTimeout(onPassed, ms);
    },
    touch() {
      timer?.refresh();
    },
    stop() {
      if (timer !== null) clearTimeout(timer);
      timer = null;
    },
  };
}
