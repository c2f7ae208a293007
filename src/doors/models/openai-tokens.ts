/** OpenAI's figures: the input includes what was read from and written to the cache. */

import { amountOf, type Fields, fieldsOf } from '../../kernel/json.ts';
import type { CallTokens } from '../../ports/models-door.ts';

export interface OpenaiNames {
  readonly input: string;
  readonly output: string;
  readonly inputDetails: string;
  readonly outputDetails: string;
}

export function openaiTokens(told: Fields, names: OpenaiNames): CallTokens | null {
  const input = amountOf(told[names.input]);
  const output = amountOf(told[names.output]);
  if (input === null && output === null) return null;
  const inputDetails = fieldsOf(told[names.inputDetails]);
  const outputDetails = fieldsOf(told[names.outputDetails]);
  const whole = input ?? 0;
  // A service that tells more cached input than input is not believed beyond the input.
  const cacheRead = Math.min(amountOf(inputDetails['cached_tokens']) ?? 0, whole);
  const written = amountOf(inputDetails['cache_write_tokens']) ?? 0;
  const cacheWrite = Math.min(written, whole - cacheRead);
  return {
    input: whole - cacheRead - cacheWrite,
    cacheRead,
    cacheWrite,
    output: output ?? 0,
    reasoning: Math.min(amountOf(outputDetails['reasoning_tokens']) ?? 0, output ?? 0),
    cacheWriteHour: 0,
  };
}
