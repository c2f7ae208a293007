/**
 * What an agent says it spent in this execution. Counts come with the answer to the prompt, where
 * they are those of the one turn that an execution has; a cost is the conversation's, so what it
 * was before the turn is taken off, and of a conversation that was taken up without saying what it
 * had cost so far the cost is unknown rather than wrong.
 */
import type { Usage } from '../../../domain/execution/state.ts';
import { amountOf, type Fields, fieldsOf } from '../../../kernel/json.ts';
import { noTokens, sum, type Tokens } from '../tokens.ts';

export interface UsageLedger {
  /** A `usage_update`; true: it says something new of this turn. */
  updated(update: Fields, isBefore: boolean): boolean;
  /** What one call of a model came to, where an agent tells that with what it says (qwen). */
  called(meta: Fields): boolean;
  /** The answer to the prompt; what it says of the whole turn stands over sums of its calls. */
  answered(result: Fields): void;
  /** Null: nothing was said. */
  read(): Usage | null;
}

/** `isNew`: the conversation begins with this turn, so that its cost begins at nothing. */
export function usageLedger(isNew: () => boolean): UsageLedger {
  let costBefore: number | null = null;
  let cost: number | null = null;
  let tokens: Tokens | null = null;
  return {
    updated(update, isBefore) {
      const amount = dollarsOf(update['cost']);
      if (amount === null) return false;
      if (isBefore) costBefore = amount;
      else cost = amount;
      return !isBefore;
    },
    called(meta) {
      const call = tokensOf(fieldsOf(meta['usage']));
      if (call !== null) tokens = sum(tokens ?? noTokens, call);
      return call !== null;
    },
    answered(result) {
      tokens = tokensOf(fieldsOf(result['usage'])) ?? quotaOf(result) ?? tokens;
    },
    read() {
      const base = costBefore ?? (isNew() ? 0 : null);
      const costUsd = cost === null || base === null ? null : Math.max(0, cost - base);
      if (costUsd === null && tokens === null) return null;
      return { ...(tokens ?? noTokens), costUsd, source: 'self-reported' };
    },
  };
}

function dollarsOf(value: unknown): number | null {
  const { amount, currency } = fieldsOf(value);
  return currency === 'USD' ? amountOf(amount) : null;
}

/** `PromptResponse.usage`. Zeros alone (a turn that was called off) are no figures. */
function tokensOf(usage: Fields): Tokens | null {
  const amount = (key: string) => amountOf(usage[key]) ?? 0;
  const counts = apart({
    input: amount('inputTokens'),
    output: amount('outputTokens'),
    read: amount('cachedReadTokens'),
    written: amount('cachedWriteTokens'),
    thought: amount('thoughtTokens'),
    total: amount('totalTokens'),
  });
  return Object.values(counts).some((count) => count > 0) ? counts : null;
}

interface Counts {
  readonly input: number;
  readonly output: number;
  readonly read: number;
  readonly written: number;
  readonly thought: number;
  readonly total: number;
}

/** Whether input holds what a cache gave, and output what was thought, is told by the total. */
function apart({ input, output, read, written, thought, total }: Counts): Tokens {
  const cached = read + written;
  const holdsCached = total === input + output || total === input + output + thought;
  const isThoughtBeside =
    total === input + output + thought || total === input + output + cached + thought;
  return {
    tokensIn: holdsCached ? Math.max(0, input - cached) : input,
    tokensOut: isThoughtBeside ? output + thought : output,
    cacheRead: read,
    cacheWrite: written,
  };
}

/** Gemini's own place for it; its input counts what was cached. */
function quotaOf(result: Fields): Tokens | null {
  const quota = fieldsOf(fieldsOf(result['_meta'])['quota']);
  const count = fieldsOf(quota['token_count']);
  const input = amountOf(count['input_tokens']);
  const output = amountOf(count['output_tokens']);
  if (input === null && output === null) return null;
  return { ...noTokens, tokensIn: input ?? 0, tokensOut: output ?? 0 };
}
