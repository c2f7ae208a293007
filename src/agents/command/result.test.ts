import { expect, test } from 'vitest';
import { parseResult, resultBytesMax } from './result.ts';

const errorOf = (text: string) => {
  const parsed = parseResult(text);
  return parsed.ok ? null : parsed.error;
};

test('reads every field of a whole result', () => {
  const usage = { costUsd: 0.5, tokensIn: 10, tokensOut: 2, cacheRead: 3, cacheWrite: 4 };
  const text = { outcome: 'limit', text: 'later', until: '2026-03-01T09:00:00+01:00', usage };
  expect(parseResult(JSON.stringify(text))).toEqual({
    ok: true,
    value: {
      outcome: 'limit',
      text: 'later',
      until: Date.UTC(2026, 2, 1, 8),
      usage: { ...usage, source: 'self-reported' },
    },
  });
});

test('what is not said is null or nothing', () => {
  expect(parseResult('{"outcome":"done","usage":{}}')).toMatchObject({
    value: { text: null, until: null, usage: { costUsd: null, tokensIn: 0 } },
  });
});

test.each(['done', 'blocked', 'question', 'limit'])('takes the outcome %s', (outcome) => {
  expect(parseResult(JSON.stringify({ outcome })).ok).toBe(true);
});

test.each([
  ['', 'not a JSON object'],
  ['{"outcome":"done"', 'not a JSON object'],
  ['["done"]', 'not a JSON object'],
  ['null', 'not a JSON object'],
  ['{"outcome":"done","verdict":"pass"}', 'unknown keys: verdict'],
  ['{"outcome":"passed"}', 'outcome must be one of'],
  ['{"outcome":true}', 'outcome must be one of'],
  ['{}', 'outcome must be one of'],
  ['{"outcome":"done","text":1}', 'text must be a string'],
  ['{"outcome":"limit","until":"9am"}', 'until must be'],
  ['{"outcome":"limit","until":"2026-03-01T09:00:00"}', 'until must be'],
  ['{"outcome":"limit","until":"2026-13-41T09:00:00Z"}', 'until must be'],
  ['{"outcome":"limit","until":1.5}', 'until must be'],
  ['{"outcome":"done","usage":[]}', 'usage must be an object'],
  ['{"outcome":"done","usage":{"tokens":1}}', 'usage has unknown keys: tokens'],
  ['{"outcome":"done","usage":{"tokensIn":-1}}', 'usage.tokensIn must be'],
  ['{"outcome":"done","usage":{"costUsd":"1"}}', 'usage.costUsd must be'],
])('does not guess what %s means', (text, why) => {
  expect(errorOf(text)).toContain(why);
});

test('until may be milliseconds since the epoch', () => {
  expect(parseResult('{"outcome":"limit","until":1767225600000}')).toMatchObject({
    value: { until: 1_767_225_600_000 },
  });
});

test('a file above the bound is not a result', () => {
  expect(errorOf(JSON.stringify({ outcome: 'done', text: 'x'.repeat(resultBytesMax) }))).toContain(
    'larger than',
  );
});
