/** Spans of time as people write and read them: `90m` in, `1h02m` out (UX 0.3). */

const unitsMs = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

const whole = /^(?:\d+(?:\.\d+)?(?:ms|[smhd]))+$/;
const part = /(\d+(?:\.\d+)?)(ms|[smhd])/g;

/** `15s`, `10m`, `8h`, `14d`, `1h30m`, `1.5h`; null for anything else, negative or too large. */
export function parseDuration(text: string): number | null {
  const trimmed = text.trim();
  if (!whole.test(trimmed)) return null;
  const ms = [...trimmed.matchAll(part)].reduce(
    (sum, [, figure, unit]) => sum + Number(figure) * unitsMs[unit as keyof typeof unitsMs],
    0,
  );
  const rounded = Math.round(ms);
  return Number.isSafeInteger(rounded) ? rounded : null;
}

/** `0.3s`, `41s`, `12m04s`, `1h02m`, `3d04h`: two units, the smaller one with two digits. */
export function formatDuration(ms: number): string {
  const positive = Number.isFinite(ms) ? Math.max(0, ms) : 0;
  if (positive < 9_950) return tenths(positive);
  const seconds = Math.round(positive / 1_000);
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3_600) return pair(seconds, 60, 'm', 's');
  const minutes = Math.floor(seconds / 60);
  if (minutes < 1_440) return pair(minutes, 60, 'h', 'm');
  return pair(Math.floor(minutes / 60), 24, 'd', 'h');
}

/** Short spans keep one decimal, so that a quick check is not shown as nothing. */
function tenths(ms: number): string {
  const figure = Math.round(ms / 100) / 10;
  return `${Number.isInteger(figure) ? figure : figure.toFixed(1)}s`;
}

function pair(total: number, size: number, large: string, small: string): string {
  const rest = String(total % size).padStart(2, '0');
  return `${Math.floor(total / size)}${large}${rest}${small}`;
}
