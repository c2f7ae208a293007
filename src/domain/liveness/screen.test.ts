import { describe, expect, test } from 'vitest';
import { livenessDefaults as figures } from './figures.ts';
import { blankScreen, echoing, isProducing, resized, type ScreenWatch, sampled } from './screen.ts';
import { isTelling, masked } from './screen-mask.ts';

describe('the mask', () => {
  test.each([
    ['✻ Razzle-dazzling… (1m 26s · ↓ 56 tokens)', 'razzle-dazzling (#56 tokens)'],
    ['⠧ Thinking... (esc to cancel, 17s)', 'thinking (esc to cancel, #)'],
    ['■■⬝⬝⬝ esc interrupt', 'esc interrupt'],
    ['│ | / - \\ building 01:23 of 1:02:03 │', 'building # of #'],
    ['\u001b\u200b84 lines\ufe0f', '84 lines'],
    ['734 B, 17 of 5000, v1.5s, 12:345', '734 b, 17 of 5000, v1.5s, 12:345'],
    ['took 1.5 secs, 2 minutes', 'took #'],
    ['', ''],
  ])('of %j is %j', (row, expected) => expect(masked(row)).toBe(expected));

  test('cuts rows that no terminal shows', () => {
    expect(masked('x'.repeat(5_000))).toHaveLength(1_000);
  });

  test.each([
    ['compiled the parser', true],
    ['über', true],
    ['ok', false],
    ['# 12 34', false],
    ['retrying in #', false],
    ['reconnecting 2/5', false],
    ['tip: press esc', false],
    ['a tip for you', true],
    ['rate-limited', false],
    ['overloaded', false],
    ['waiting for the model', false],
    ['attempt 3', false],
  ])('the row %j tells of work: %s', (row, expected) => expect(isTelling(row)).toBe(expected));
});

/** Samples at the given seconds, each with its own rows. */
function shown(samples: readonly (readonly [second: number, ...rows: readonly string[]])[]) {
  return samples.reduce<ScreenWatch>(
    (watch, [second, ...rows]) => sampled(watch, rows, second * 1000, figures),
    blankScreen,
  );
}

/** One row a second for so long, told by its second. */
const each = (seconds: number, row: (second: number) => string) =>
  Array.from({ length: seconds }, (_, second) => [second, row(second)] as const);
const believedS = figures.toolProgressMs / 1000;

describe('a counter (N5)', () => {
  test.each([
    ['of tokens in a spinner', (n: number) => `- Thinking... (${n}s, ${n * 37} tokens)`],
    ['in the lines of a loop', (n: number) => `step ${n}: thinking about ${(n * 7919) % 32_768}`],
  ])('%s is believed for as long as a tool without progress, and no longer', (_, row) => {
    const isAt = (s: number) => isProducing(shown(each(s + 1, row)), s * 1000, figures);
    expect([isAt(10), isAt(believedS)]).toEqual([true, true]);
    expect(isAt(believedS + figures.screenWindowMs / 1000 + 1)).toBe(false);
  });

  test('is believed anew after a row that is new without its digits', () => {
    const row = (n: number) => (n % 300 === 0 ? `file ${'x'.repeat(n / 300 + 3)}` : `${n} tokens`);
    const last = 2 * believedS;
    expect(isProducing(shown(each(last + 1, row)), last * 1000, figures)).toBe(true);
  });

  test('that began while the host typed is believed no longer', () => {
    const row = (n: number) => `${n} tokens`;
    const begun = echoing(blankScreen, 0, figures);
    const watch = each(believedS + 30, row).reduce(
      (before, [s, one]) => sampled(before, [one], s * 1000, figures),
      begun,
    );
    expect(isProducing(watch, (believedS + 29) * 1000, figures)).toBe(false);
  });
});

describe('a screen (N1, N2, N3, N4)', () => {
  test('is producing after three new samples, a second apart, within twenty seconds', () => {
    const three = shown([
      [1, 'first'],
      [2, 'second'],
      [3, 'third'],
    ]);
    expect(isProducing(three, 3_000, figures)).toBe(true);
    expect(three.producedMs).toBe(3_000);
    expect(isProducing(three, 21_000, figures)).toBe(true);
    expect(isProducing(three, 21_001, figures)).toBe(false);
  });
  test('is not by samples that come faster, or too far apart', () => {
    const fast = shown([
      [1, 'first'],
      [1.2, 'second'],
      [1.4, 'third'],
      [2, 'fourth'],
    ]);
    expect(isProducing(fast, 2_000, figures)).toBe(false);
    const far = shown([
      [1, 'first'],
      [12, 'second'],
      [23, 'third'],
    ]);
    expect(isProducing(far, 23_000, figures)).toBe(false);
    expect(far.producedMs).toBeNull();
  });
  test('is not by the beginnings of rows that it has shown', () => {
    const cut = shown([
      [1, 'a whole sentence'],
      [2, 'a whole'],
      [3, 'a who'],
    ]);
    expect(cut.countedMs).toEqual([1_000]);
  });
  test('forgets the oldest rows beyond its bound, never those that are still shown', () => {
    const few = { ...figures, screenRowsMax: 2 };
    const show = (watch: ScreenWatch, ...rows: readonly string[]) => sampled(watch, rows, 0, few);
    const watch = show(show(show(blankScreen, 'one', 'two'), 'one', 'three'), 'one');
    expect([...watch.seen]).toEqual(['one', 'three']);
  });
  test('counts nothing that the host caused', () => {
    const before = shown([
      [1, 'first'],
      [2, 'second'],
    ]);
    const after = sampled(resized(before), ['wrapped anew'], 3_000, figures);
    expect(after.countedMs).toEqual([1_000, 2_000]);
    expect(sampled(after, ['third'], 4_000, figures).producedMs).toBe(4_000);
    const typed = echoing(before, 2_500, figures);
    expect(sampled(typed, ['what was typed'], 4_499, figures).producedMs).toBeNull();
    expect(sampled(typed, ['an answer'], 4_500, figures).producedMs).toBe(4_500);
  });
});
