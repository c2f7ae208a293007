/**
 * What a command lane may say at the end of its turn: `PAWL_RESULT_FILE`, one JSON object. Strict:
 * an unknown key, a wrong type or a half-written file is an invalid result, never a guess. Pure.
 */
import type { Usage } from '../../domain/execution/state.ts';
import { type Fields, isFields, parsedJson } from '../../kernel/json.ts';
import { err, ok, type Result } from '../../kernel/result.ts';

export interface CommandResult {
  readonly outcome: 'done' | 'blocked' | 'question' | 'limit';
  readonly text: string | null;
  /** Milliseconds since the epoch. */
  readonly until: number | null;
  readonly usage: Usage | null;
}

/** A reader takes no more of the file than this, and says so when there is more. */
export const resultBytesMax = 256 * 1024;

const outcomes = ['done', 'blocked', 'question', 'limit'] as const;
const keys = new Set(['outcome', 'text', 'until', 'usage']);
const usageKeys = ['costUsd', 'tokensIn', 'tokensOut', 'cacheRead', 'cacheWrite'] as const;
const zoned = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/;

/** The error is one sentence for the operator. */
export function parseResult(text: string): Result<CommandResult, string> {
  if (text.length > resultBytesMax) return err(`the result file is larger than ${resultBytesMax}`);
  const value = parsedJson(text);
  if (!isFields(value)) return err('the result file is not a JSON object');
  const unknown = Object.keys(value).filter((key) => !keys.has(key));
  if (unknown.length > 0) {
    return err(`the result file has unknown keys: ${unknown.slice(0, 5).join(', ').slice(0, 200)}`);
  }
  const outcome = outcomes.find((one) => one === value['outcome']);
  if (outcome === undefined) return err(`outcome must be one of: ${outcomes.join(', ')}`);
  const said = value['text'] ?? null;
  if (said !== null && typeof said !== 'string') return err('text must be a string');
  return withRest({ outcome, text: said }, value);
}

function withRest(
  result: Pick<CommandResult, 'outcome' | 'text'>,
  value: Fields,
): Result<CommandResult, string> {
  const until = parseUntil(value['until'] ?? null);
  if (!until.ok) return until;
  const usage = parseUsage(value['usage'] ?? null);
  return usage.ok ? ok({ ...result, until: until.value, usage: usage.value }) : usage;
}

/**
 * RFC 3339 with its zone, or milliseconds since the epoch: a time without a zone is nobody's time.
 */
function parseUntil(value: unknown): Result<number | null, string> {
  if (value === null) return ok(null);
  const problem = 'until must be an RFC 3339 time with a zone, or milliseconds since the epoch';
  if (typeof value === 'number') return Number.isSafeInteger(value) ? ok(value) : err(problem);
  if (typeof value !== 'string' || !zoned.test(value)) return err(problem);
  const instant = Date.parse(value);
  return Number.isNaN(instant) ? err(problem) : ok(instant);
}

function parseUsage(value: unknown): Result<Usage | null, string> {
  if (value === null) return ok(null);
  if (!isFields(value)) return err('usage must be an object');
  const unknown = Object.keys(value).filter((key) => !usageKeys.some((known) => known === key));
  if (unknown.length > 0) return err(`usage has unknown keys: ${unknown.join(', ').slice(0, 200)}`);
  const bad = usageKeys.find((key) => !isAmount(value[key] ?? null));
  if (bad !== undefined) return err(`usage.${bad} must be a number that is not negative`);
  const amount = (key: (typeof usageKeys)[number]) => {
    const said = value[key];
    return typeof said === 'number' ? said : null;
  };
  return ok({
    costUsd: amount('costUsd'),
    source: 'self-reported',
    tokensIn: amount('tokensIn') ?? 0,
    tokensOut: amount('tokensOut') ?? 0,
    cacheRead: amount('cacheRead') ?? 0,
    cacheWrite: amount('cacheWrite') ?? 0,
  });
}

function isAmount(said: unknown): boolean {
  return said === null || (typeof said === 'number' && Number.isFinite(said) && said >= 0);
}
