/** Durations as people write them: `90s`, `5m`, `1h`. */

const seconds = new Map([
  ['s', 1],
  ['m', 60],
  ['h', 3600],
]);

export function parseDuration(text) {
  const match = /^(\d+)([smh])$/.exec(text.trim());
  if (match === null) throw new RangeError(`not a duration: ${text}`);
  return Number(match[1]) * seconds.get(match[2]);
}

export function formatDuration(total) {
  if (total < 60) return `${total}s`;
  if (total < 3600) return `${Math.floor(total / 60)}m`;
  return `${Math.floor(total / 3600)}h`;
}
