/**
 * What is left of a row of a screen when everything is masked that moves without work: glyphs of
 * spinners and boxes, and timers. Other digits stay: a counter of tokens or lines is often the only
 * visible progress, and is believed for a while ({@link withoutDigits}). The patterns are measured
 * (research/liveness.md §4) and stand in this order.
 */
const invisible = /[\u0000-\u001f\u200b-\u200f]|\ufe0f/g;
const glyphs =
  /[\u00B7\u2022\u2026\u2190-\u21FF\u2219\u22C5\u2300-\u23FF\u2500-\u27BF\u2800-\u28FF\u2B00-\u2BFF\uE000-\uF8FF*]|\.{2,}/g;
const turning = /(?<!\S)[|/\\-](?!\S)/g;
const timers =
  /(?<![\w.])(?:\d+(?:\.\d+)?\s?(?:ms|s|m|h|d|secs?|seconds?|mins?|minutes?|hrs?|hours?)\b[ ,]*)+|(?<![\w.:])\d{1,2}:\d{2}(?::\d{2})?(?![\w:])/gi;

/** Rows longer than any terminal is wide are cut before the patterns see them. */
const columnsMax = 1_000;

export function masked(row: string): string {
  return row
    .slice(0, columnsMax)
    .replace(invisible, '')
    .replace(glyphs, ' ')
    .replace(turning, ' ')
    .replace(timers, '#')
    .replace(/\s+/g, ' ')
    .trim()
    .toLowerCase();
}

/** What is left of a masked row when its counters are masked as well. */
export const withoutDigits = (maskedRow: string): string => maskedRow.replace(/\d+/g, '#');

/** Rows that say that nothing goes on: retries, waits, and the tips that fill them. */
const standstill =
  /\b(re-?try(ing)?|retries|reconnect(ing)?|attempt|try again|rate.?limit(ed)?|overloaded|waiting for)\b|^tip\b/i;

/** Whether a masked row can be a sign of work at all, before one asks whether it is new. */
export function isTelling(maskedRow: string): boolean {
  return (maskedRow.match(/\p{L}/gu)?.length ?? 0) >= 3 && !standstill.test(maskedRow);
}
