/**
 * What an answer says about limits: how long to wait, and whether waiting helps at all. Read from
 * structured fields alone, never from prose (L-E3). Instants are absolute whatever form they came
 * in: seconds, durations, epochs, dates with a zone; a date without one is UTC.
 */

import { amountOf, type Fields, fieldsOf, listOf, textOf } from '../../kernel/json.ts';
import type { ModelApi } from '../../ports/models-door.ts';
import type { HeaderMap } from './headers.ts';

export interface LimitWord {
  /** Milliseconds since 1970; null: the service did not say. */
  readonly untilMs: number | null;
  /** Trying again soon cannot help: a quota of a day, an empty account, a spent plan. */
  readonly isTerminal: boolean;
}

/** Of a 402 or 429. `body` is the parsed body, an empty record when it could not be read. */
export function limitOf(api: ModelApi, headers: HeaderMap, body: Fields, nowMs: number): LimitWord {
  const said = api === 'gemini' ? googleSays(body, nowMs) : openaiSays(body);
  const unified = one(headers, 'anthropic-ratelimit-unified-status') === 'rejected';
  const untilMs =
    said.untilMs ??
    retryAfter(headers, nowMs) ??
    (unified ? epoch(one(headers, 'anthropic-ratelimit-unified-reset')) : null) ??
    exhaustedReset(headers, nowMs);
  return { untilMs, isTerminal: said.isTerminal || unified };
}

export function retryAfter(headers: HeaderMap, nowMs: number): number | null {
  const inMs = number(one(headers, 'retry-after-ms'));
  if (inMs !== null) return nowMs + inMs;
  const value = one(headers, 'retry-after');
  if (value === null) return null;
  const seconds = number(value);
  return seconds === null ? instant(value) : nowMs + seconds * 1_000;
}

/** The latest reset of the windows in which nothing remains. */
function exhaustedReset(headers: HeaderMap, nowMs: number): number | null {
  const resets = Object.keys(headers).flatMap((name) => {
    const at = resetOf(headers, name, nowMs);
    return at === null ? [] : [at];
  });
  return resets.length === 0 ? null : Math.max(...resets);
}

const anthropicRemaining = /^(anthropic-ratelimit-.+)-remaining$/;
const openaiRemaining = /^x-ratelimit-remaining-(.+)$/;

function resetOf(headers: HeaderMap, name: string, nowMs: number): number | null {
  if (number(one(headers, name)) !== 0) return null;
  const anthropic = anthropicRemaining.exec(name)?.[1];
  if (anthropic !== undefined) {
    const value = one(headers, `${anthropic}-reset`);
    return epoch(value) ?? instant(value);
  }
  const openai = openaiRemaining.exec(name)?.[1];
  if (openai === undefined) return null;
  const span = durationMs(one(headers, `x-ratelimit-reset-${openai}`));
  return span === null ? null : nowMs + span;
}

function openaiSays(body: Fields): LimitWord {
  const error = fieldsOf(body['error']);
  const words = [textOf(error['type']), textOf(error['code'])];
  const isUsage = words.includes('usage_limit_reached');
  const resets = amountOf(error['resets_at']);
  return {
    untilMs: resets === null ? null : resets * 1_000,
    isTerminal: isUsage || words.includes('insufficient_quota'),
  };
}

function googleSays(body: Fields, nowMs: number): LimitWord {
  const error = fieldsOf(body['error']);
  const details = listOf(error['details']).map(fieldsOf);
  const quotas = details.flatMap((detail) => listOf(detail['violations']).map(fieldsOf));
  const isDaily = quotas.some(({ quotaId }) => (textOf(quotaId) ?? '').includes('PerDay'));
  const delay = details.map(({ retryDelay }) => durationMs(textOf(retryDelay)));
  const known = delay.find((span) => span !== null) ?? null;
  return { untilMs: known === null ? null : nowMs + known, isTerminal: isDaily };
}

/** Gemini CLI reads the delay from the body alone; null: it is there, or the body has no error. */
export function withRetryInfo(body: Fields, waitMs: number): Fields | null {
  const error = body['error'];
  const details = listOf(fieldsOf(error)['details']);
  const has = details.some((detail) => textOf(fieldsOf(detail)['retryDelay']) !== null);
  if (has || Object.keys(fieldsOf(error)).length === 0) return null;
  const info = {
    '@type': 'type.googleapis.com/google.rpc.RetryInfo',
    retryDelay: `${Math.ceil(waitMs / 1_000)}s`,
  };
  return { ...body, error: { ...fieldsOf(error), details: [...details, info] } };
}

function one(headers: HeaderMap, name: string): string | null {
  const value = headers[name];
  if (value === undefined) return null;
  return typeof value === 'string' ? value.trim() : (value[0]?.trim() ?? null);
}

function number(value: string | null): number | null {
  return value !== null && /^\d+(?:\.\d+)?$/.test(value) ? Number(value) : null;
}

function epoch(value: string | null): number | null {
  const seconds = number(value);
  return seconds === null || seconds < 1_000_000_000 ? null : seconds * 1_000;
}

/** A date with a zone of its own, or in UTC: never in the zone of this machine (L-E1). */
function instant(value: string | null): number | null {
  // The language's own parser takes almost anything for a date.
  if (value === null || !/^(?:\d{4}-\d{2}-\d{2}T|[A-Z][a-z]{2}, )/.test(value)) return null;
  const isZoned = /(?:Z|GMT|UTC|[+-]\d{2}:?\d{2})$/i.test(value);
  const at = Date.parse(isZoned ? value : `${value}Z`);
  return Number.isFinite(at) ? at : null;
}

const unitMs: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** `6m0s`, `1.5s`, `20ms`; a bare number is seconds. */
export function durationMs(value: string | null): number | null {
  if (value === null) return null;
  const seconds = number(value);
  if (seconds !== null) return seconds * 1_000;
  if (!/^(?:\d+(?:\.\d+)?(?:ms|[smhd]))+$/.test(value)) return null;
  const parts = value.matchAll(/(\d+(?:\.\d+)?)(ms|[smhd])/g);
  return [...parts].reduce((sum, [, n, unit]) => sum + Number(n) * (unitMs[unit ?? ''] ?? 0), 0);
}
