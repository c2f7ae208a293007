/** How much one place is told: at most so many in a window, whatever happens to how many runs. */
export interface Rate {
  /** True, and counted, when there is room. */
  take(label: string, nowMs: number): boolean;
}

export const noticesMax = 10;
export const windowMs = 10 * 60_000;

export function rate(): Rate {
  const taken = new Map<string, readonly number[]>();
  return {
    take: (label, nowMs) => {
      const recent = (taken.get(label) ?? []).filter((at) => nowMs - at < windowMs);
      const hasRoom = recent.length < noticesMax;
      taken.set(label, hasRoom ? [...recent, nowMs] : recent);
      return hasRoom;
    },
  };
}
