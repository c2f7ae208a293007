/** What agents tell in fields of their own, read alike for all of them. */
import { amountOf, fieldsOf, textOf } from '../../kernel/json.ts';

const idMax = 200;

/** A name that is remembered: never longer than any real one. */
export function idOf(value: unknown): string | null {
  return textOf(value)?.slice(0, idMax) ?? null;
}

/**
 * What a tool's input says of how long it may take: agents take that of their shell in milliseconds
 * under this name. Less than a second is another's number, in seconds or in tries.
 */
export function timeoutOf(input: unknown): number | null {
  const said = amountOf(fieldsOf(input)['timeout']);
  return said === null || said < 1_000 ? null : said;
}
