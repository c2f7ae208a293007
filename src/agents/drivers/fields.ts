/** What agents tell in fields of their own, read alike for all of them. */
import { amountOf, fieldsOf, textOf } from '../../kernel/json.ts';
import { clip, clipLine } from '../../kernel/text.ts';

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

const withMax = 160;
/** What says most of a call, in whatever agent's tools; the first that is there. */
const telling = [
  ...['command', 'cmd', 'file_path', 'filePath', 'absolute_path', 'path', 'pattern', 'query'],
  ...['url', 'description', 'prompt'],
];

/** What a tool is called with, in a few words; nothing where its input says none. */
export function calledWith(input: unknown): { readonly with?: string } {
  const fields = fieldsOf(input);
  const found = telling.map((name) => wordOf(fields[name])).find((word) => word !== '');
  return found === undefined ? {} : { with: found };
}

/** A command may be a list of its words. */
function wordOf(value: unknown): string {
  const words = Array.isArray(value) ? value.filter((word) => typeof word === 'string') : [value];
  const text = words.map((word) => clip(textOf(word) ?? '', 2_000)).join(' ');
  return clipLine(text, withMax);
}
