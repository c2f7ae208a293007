/** OpenAI's figures: the input includes what was read from and written to the cache. */
import type { CallTokens } from '../../ports/models-door.ts';
import { count, type Json, record } from './json.ts';

export interface OpenaiNames {
  readonly input: string;
  readonly output: string;
  readonly inputDetails: string;
  readonly outputDetails: string;
}

export function openaiTokens(told: Json, names: OpenaiNames): CallTokens | null {
  const input = count(told[names.input]);
  const output = count(told[names.output]);
  if (input === null && output === null) return null;
  const inputDetails = record(told[names.inputDetails]);
  const outputDetails = record(told[names.outputDetails]);
  const whole = input ?? 0;
  // A service that tells more cached input than input is not believed beyond the input.
  const cacheRead = Math.min(count(inputDetails['cached_tokens']) ?? 0, whole);
  const written = count(inputDetails['cache_write_tokens']) ?? 0;
  const cacheWrite = Math.min(written, whole - cacheRead);
  return {
    input: whole - cacheRead - cacheWrite,
    cacheRead,
    cacheWrite,
    output: output ?? 0,
    reasoning: Math.min(count(outputDetails['reasoning_tokens']) ?? 0, output ?? 0),
    cacheWriteHour: 0,
  };
}
