/**
 * Text on a terminal: columns that it takes, cutting, wrapping. Whatever a lane or a check printed
 * goes through `clean` before it reaches a terminal.
 */
import { withoutEscapes } from '../kernel/shown.ts';

export { clean, firstLine } from '../kernel/shown.ts';

const zeroWidth = /^[\p{Mn}\p{Me}\p{Cf}\u1160-\u11ff]$/u;
const wide =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{17000}-\u{18cff}\u{1f200}-\u{1f251}\u{20000}-\u{3fffd}\p{Emoji_Presentation}]$/u;
/** Only such text has characters of more than one code point; the rest is counted faster. */
const joined = /[\p{M}\p{Cf}\u1160-\u11ff\u{1f1e6}-\u{1f1ff}\u{1f3fb}-\u{1f3ff}]/u;
const emojiStyle = /\ufe0f|[\u{1f1e6}-\u{1f1ff}\p{Emoji_Presentation}]/u;

/** Columns that the text takes on a terminal; a character of several code points is one. */
export function widthOf(text: string): number {
  const plain = text.includes('\u001b') ? withoutEscapes(text) : text;
  let width = 0;
  for (const character of charactersOf(plain)) width += widthOfOne(character);
  return width;
}

let segmenter: Intl.Segmenter | null = null;

function charactersOf(text: string): Iterable<string> {
  if (!joined.test(text)) return text;
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

function widthOfOne(character: string): number {
  if (character.length === 1 && character < '\u007f') return 1;
  if (character.length > 1 && emojiStyle.test(character)) return 2;
  let width = 0;
  for (const point of character) {
    width += zeroWidth.test(point) ? 0 : wide.test(point) ? 2 : 1;
  }
  return width;
}

/** At most `columns` wide; what is cut shows as `…`. Plain text only: colour comes after. */
export function cut(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text;
  let kept = '';
  let width = 0;
  for (const character of charactersOf(text)) {
    const more = widthOfOne(character);
    if (width + more > columns - 1) break;
    kept += character;
    width += more;
  }
  return columns < 1 ? '' : `${kept.trimEnd()}…`;
}

export function padTo(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - widthOf(text)));
}

/** Where the right stands on a line without bounds, as far as the left lets it. */
const usualColumns = 100;

/** Left and right apart on one line; the left gives way. */
export function spread(left: string, right: string, columns: number): string {
  if (right === '') return cut(left, columns);
  if (columns === Number.POSITIVE_INFINITY) {
    return `${padTo(left, usualColumns - widthOf(right) - 2)}  ${right}`;
  }
  const room = columns - widthOf(right) - 2;
  return room < 10 ? cut(left, columns) : `${padTo(cut(left, room), room)}  ${right}`;
}

/** The head of a page: where both do not fit, the right stands under the left, indented. */
export function headed(left: string, right: string, columns: number, indent: number): string[] {
  if (right === '' || widthOf(left) + widthOf(right) + 2 <= columns) {
    return [spread(left, right, columns)];
  }
  return [cut(left, columns), cut(' '.repeat(indent) + right, columns)];
}

/** Lines of at most `columns`, broken at spaces; continued lines begin with `indent`. */
export function wrap(text: string, columns: number, indent = ''): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const joined = line === '' ? word : `${line} ${word}`;
    if (widthOf(joined) <= columns || line.trim() === '') line = joined;
    else {
      lines.push(line);
      line = indent + word;
    }
  }
  return [...lines, line].map((each) => cut(each.trimEnd(), columns));
}
