/** Tokens as the service counts them: the input holds what was cached and written to a cache. */
import type { Usage } from '../../domain/execution/state.ts';
import { amountOf, type Fields } from '../../kernel/json.ts';

export interface Counts {
  readonly input: number;
  readonly cached: number;
  readonly written: number;
  readonly output: number;
}

export const noCounts: Counts = { input: 0, cached: 0, written: 0, output: 0 };

export function countsOf(usage: Fields): Counts {
  return {
    input: whole(usage['input_tokens']),
    cached: whole(usage['cached_input_tokens']),
    written: whole(usage['cache_write_input_tokens']),
    output: whole(usage['output_tokens']),
  };
}

const whole = (value: unknown): number => Math.round(Math.min(amountOf(value) ?? 0, 1e14));

/** A thread that tells less than before (it was compacted, or is another) began anew. */
export function usageSince(before: Counts, now: Counts): Usage {
  const base = now.input < before.input || now.output < before.output ? noCounts : before;
  const cacheRead = Math.max(0, now.cached - base.cached);
  const cacheWrite = Math.max(0, now.written - base.written);
  return {
    ...{ costUsd: null, source: 'self-reported', cacheRead, cacheWrite },
    tokensIn: Math.max(0, now.input - base.input - cacheRead - cacheWrite),
    tokensOut: now.output - base.output,
  };
}
