import { afterEach, expect, test } from 'vitest';
import type { ModelApi } from '../../ports/models-door.ts';
import { noLimits, onLimit } from './limit-policy.ts';
import { durationMs, limitOf, withRetryInfo } from './limits.ts';

const now = Date.UTC(2026, 10, 29, 12, 0, 0);
const headersOnly = (headers: Record<string, string>, api: ModelApi = 'anthropic') =>
  limitOf(api, headers, {}, now);

test.each<[string, Record<string, string>, number | null]>([
  ['seconds', { 'retry-after': '45' }, now + 45_000],
  ['milliseconds win', { 'retry-after-ms': '1500', 'retry-after': '2' }, now + 1_500],
  ['a date of HTTP', { 'retry-after': 'Sun, 29 Nov 2026 13:00:00 GMT' }, now + 3_600_000],
  ['the spent window', window('0', '2026-11-29T14:00:00Z'), now + 7_200_000],
  ['another zone', window('0', '2026-11-29T14:00:00+02:00'), now],
  [
    'no zone is UTC, not the zone of this machine',
    window('0', '2026-11-29T14:00:00'),
    now + 7_200_000,
  ],
  ['a window with room says nothing', window('5', '2026-11-29T14:00:00Z'), null],
  ['openai durations', openaiWindow('0', '6m0s'), now + 360_000],
  ['prose is not read', { 'x-note': 'try again in 5 minutes' }, null],
  ['nonsense is no wait', { 'retry-after': '-5' }, null],
])('the reset is found: %s (L-E1, L-E3)', (_name, headers, untilMs) => {
  expect(headersOnly(headers)).toEqual({ untilMs, isTerminal: false });
});

function window(remaining: string, reset: string) {
  return {
    'anthropic-ratelimit-tokens-remaining': remaining,
    'anthropic-ratelimit-tokens-reset': reset,
  };
}
function openaiWindow(remaining: string, reset: string) {
  return { 'x-ratelimit-remaining-tokens': remaining, 'x-ratelimit-reset-tokens': reset };
}

const { TZ } = process.env;
afterEach(() => {
  if (TZ === undefined) Reflect.deleteProperty(process.env, 'TZ');
  else process.env['TZ'] = TZ;
});

test.each(['UTC', 'America/New_York', 'Asia/Kolkata'])(
  'a reset is the same instant in %s (L-E1)',
  (zone) => {
    process.env['TZ'] = zone;
    const until = (reset: string) => headersOnly(window('0', reset)).untilMs;
    expect(until('2026-11-29T14:00:00')).toBe(now + 7_200_000);
    expect(until('2026-11-29T14:00:00Z')).toBe(now + 7_200_000);
    expect(until('2026-11-29T16:00:00+02:00')).toBe(now + 7_200_000);
  },
);

test('a plan that is used up is known by its own header, which some CLIs ignore', () => {
  const headers = {
    'anthropic-ratelimit-unified-status': 'rejected',
    'anthropic-ratelimit-unified-reset': String((now + 9_000_000) / 1_000),
  };
  expect(headersOnly(headers)).toEqual({ untilMs: now + 9_000_000, isTerminal: true });
});

test('openai: a spent quota, and a plan with its reset', () => {
  const quota = { error: { type: 'x', code: 'insufficient_quota' } };
  expect(limitOf('chat', {}, quota, now)).toEqual({ untilMs: null, isTerminal: true });
  const plan = { error: { type: 'usage_limit_reached', resets_at: now / 1_000 + 60 } };
  expect(limitOf('responses', {}, plan, now)).toEqual({ untilMs: now + 60_000, isTerminal: true });
});

test('gemini: the delay is in the body, a quota of the day is the end', () => {
  const details = [{ '@type': 'x', retryDelay: '34.5s' }];
  const minute = { violations: [{ quotaId: 'GenerateRequestsPerMinutePerProject' }] };
  const day = { violations: [{ quotaId: 'GenerateRequestsPerDayPerProject' }] };
  const of = (more: object) => ({ error: { code: 429, details: [...details, more] } });
  const untilMs = now + 34_500;
  expect(limitOf('gemini', {}, of(minute), now)).toEqual({ untilMs, isTerminal: false });
  expect(limitOf('gemini', {}, of(day), now)).toEqual({ untilMs, isTerminal: true });
});

test('gemini is given its delay in the body, where it reads it', () => {
  const told = withRetryInfo({ error: { code: 429 } }, 4_200);
  expect(told).toMatchObject({ error: { details: [{ retryDelay: '5s' }] } });
  expect(withRetryInfo({ error: { details: [{ retryDelay: '1s' }] } }, 4_200)).toBeNull();
  expect(withRetryInfo({}, 4_200)).toBeNull();
});

test.each([
  ['20ms', 20],
  ['1.5s', 1_500],
  ['1h2m3s', 3_723_000],
  ['7', 7_000],
  ['soon', null],
  ['', null],
])('%s is a span', (text, ms) => expect(durationMs(text)).toBe(ms));

test('a short wait goes to the lane, a long one parks until its reset', () => {
  const act = (untilMs: number | null, isTerminal = false) =>
    onLimit(noLimits, { untilMs, isTerminal }, now).act;
  expect(act(now + 60_000)).toEqual({ act: 'pass', untilMs: now + 60_000 });
  expect(act(now + 60_001)).toEqual({ act: 'park', untilMs: now + 60_001 });
  expect(act(null, true)).toEqual({ act: 'park', untilMs: null });
  expect(act(now + 1, true)).toEqual({ act: 'park', untilMs: now + 60_000 });
});

test('an unknown wait passes twice, then parks for longer each time (L-E13, D-83)', () => {
  let history = noLimits;
  const acts = Array.from({ length: 7 }, () => {
    const next = onLimit(history, { untilMs: null, isTerminal: false }, now);
    history = next.history;
    return [next.act.act, next.act.untilMs === null ? null : (next.act.untilMs - now) / 1_000];
  });
  expect(acts).toEqual([
    ['pass', null],
    ['pass', null],
    ['park', 60],
    ['park', 120],
    ['park', 300],
    ['park', 900],
    ['park', 900],
  ]);
});
