/** How a page is printed here: columns, colour, signs. Colour only repeats what a sign says. */
import type { Io } from './io.ts';
import { widthOf } from './text.ts';

export interface Style {
  readonly columns: number;
  readonly isColored: boolean;
  readonly isUtf8: boolean;
}
type Env = Readonly<Record<string, string | undefined>>;

export function styleOf(io: Io, env: Env, color: string): Style {
  const inUtf8 = isUtf8(env);
  // Who reads a pipe has his own width, or none: nothing is wrapped or cut for it.
  const columns = io.stdout.isTerminal ? columnsOf(io, inUtf8) : Number.POSITIVE_INFINITY;
  return { columns, isColored: isColored(io, env, color), isUtf8: inUtf8 };
}

/**
 * Columns of the terminal now; words are wider than signs, and not every line has a gap to give.
 */
export function columnsOf(io: Io, inUtf8: boolean): number {
  return Math.max(20, io.stdout.columns()) - (inUtf8 ? 0 : 2);
}

function isColored(io: Io, env: Env, color: string): boolean {
  if (color !== 'auto') return color === 'always';
  const off = isSet(env['NO_COLOR']) || env['TERM'] === 'dumb' || isCi(env);
  return io.stdout.isTerminal && !off;
}

/** Nobody watches where `CI` is set: no redraw, no key, no question. */
export function isCi(env: Env): boolean {
  return isSet(env['CI']) && env['CI'] !== 'false';
}

/** Nothing said counts as UTF-8; a locale that names another character set does not. */
function isUtf8(env: Env): boolean {
  const locale = [env['LC_ALL'], env['LC_CTYPE'], env['LANG']].find(isSet);
  return locale === undefined || /utf-?8/i.test(locale);
}
function isSet(value: string | undefined): value is string {
  return value !== undefined && value !== '';
}

/** The six signs of UX 0.3 first; then what pages draw with. */
const fallbacks: ReadonlyMap<string, string> = new Map([
  ['✓', 'ok'],
  ['✗', 'fail'],
  ['●', '..'],
  ['◷', 'wait'],
  ['↻', 'again'],
  ['≈', '~'],
  ['·', '-'],
  ['–', '-'],
  ['−', '-'],
  ['…', '...'],
  ['│', '|'],
  ['→', '->'],
  ['←', '<-'],
  ['›', '>'],
  ['“', '"'],
  ['”', '"'],
  ['’', "'"],
]);
/** Doubled without UTF-8, where they begin a line. */
const doubled = ['!', '?'];
const colors: Readonly<Record<string, number>> = {
  '✓': 32,
  '✗': 31,
  '!': 33,
  '?': 36,
  '●': 34,
  '◷': 34,
  '≈': 33,
};

/** A finished line: signs coloured or replaced. Only the sign that begins a line is coloured. */
export function paint(line: string, style: Style): string {
  const indent = line.length - line.trimStart().length;
  const sign = line.charAt(indent);
  const code = line.charAt(indent + 1) === ' ' ? colors[sign] : undefined;
  const text = style.isUtf8 ? line : plain(line, code === undefined ? -1 : indent);
  if (!style.isColored || code === undefined) return text;
  const head = style.isUtf8 ? sign : (fallbacks.get(sign) ?? sign + sign);
  const rest = text.slice(indent + head.length);
  return `${text.slice(0, indent)}\u001b[${code}m${head}\u001b[0m${rest}`;
}

/**
 * The line in ASCII, and in its columns: what a word is wider than its sign is taken from the next
 * gap. A byte that such a terminal does not know could be a control character to it.
 */
function plain(line: string, signAt: number): string {
  let text = '';
  let owed = 0;
  let spaces = 0;
  let at = 0;
  for (const character of line) {
    const shown = character === ' ' ? ' ' : asciiOf(character, at === signAt);
    if (shown === ' ' && spaces > 0 && owed > 0) owed -= 1;
    else text += shown;
    spaces = shown === ' ' ? spaces + 1 : 0;
    owed += shown === ' ' ? 0 : shown.length - widthOf(character);
    at += character.length;
  }
  const isCut = owed > 0 && text.endsWith('...');
  return isCut ? `${text.slice(0, -3 - owed).trimEnd()}...` : text;
}

function asciiOf(character: string, isSign: boolean): string {
  if (isSign && doubled.includes(character)) return character + character;
  if (character <= '\u007f') return character;
  return fallbacks.get(character) ?? '?'.repeat(widthOf(character));
}
