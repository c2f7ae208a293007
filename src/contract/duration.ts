/** Spans as people write them: `90s`, `15m`, `8h`, `7d`, and sums like `1h30m`. */
const unitMs = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

export const durationPattern = /^(?:\d+(?:\.\d+)?(?:ms|s|m|h|d))+$/;

/** Null unless the whole text is a span. */
export function parseDuration(text: string): number | null {
  if (!durationPattern.test(text)) return null;
  let total = 0;
  for (const part of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)) {
    total += Number(part[1]) * unitMs[part[2] as keyof typeof unitMs];
  }
  return Number.isFinite(total) ? Math.round(total) : null;
}

/** The shortest form that reads back as the same span. */
export function printDuration(ms: number): string {
  for (const unit of ['d', 'h', 'm', 's'] as const) {
    if (ms >= unitMs[unit] && ms % unitMs[unit] === 0) return `${ms / unitMs[unit]}${unit}`;
  }
  return `${ms}ms`;
}
