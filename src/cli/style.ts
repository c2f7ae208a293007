/** How a page is printed here: columns, colour, signs. Colour only repeats what a sign says. */
import type { Io } from './io.ts';

export interface Style {
  readonly columns: number;
  readonly isColored: boolean;
  readonly isUtf8: boolean;
}
type Env = Readonly<Record<string, string | undefined>>;

export function styleOf(io: Io, env: Env, color: string): Style {
  const columns = io.stdout.isTerminal ? Math.max(20, io.stdout.columns()) : 100;
  return { columns, isColored: isColored(io, env, color), isUtf8: isUtf8(env) };
}

function isColored(io: Io, env: Env, color: string): boolean {
  if (color !== 'auto') return color === 'always';
  const off = isSet(env['NO_COLOR']) || env['TERM'] === 'dumb' || isSet(env['CI']);
  return io.stdout.isTerminal && !off;
}

/** Nothing said counts as UTF-8; a locale that names another character set does not. */
function isUtf8(env: Env): boolean {
  const locale = [env['LC_ALL'], env['LC_CTYPE'], env['LANG']].find(isSet);
  return locale === undefined || /utf-?8/i.test(locale);
}
function isSet(value: string | undefined): value is string {
  return value !== undefined && value !== '';
}

const fallbacks: readonly (readonly [sign: string, plain: string])[] = [
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
];
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
  const sign = line.trimStart().charAt(0);
  const code = colors[sign];
  const isSign = code !== undefined && line.trimStart().charAt(1) === ' ';
  let painted =
    style.isColored && isSign ? line.replace(sign, `\u001b[${code}m${sign}\u001b[0m`) : line;
  if (style.isUtf8) return painted;
  if (sign === '!' || sign === '?') painted = isSign ? painted.replace(sign, sign + sign) : painted;
  for (const [from, to] of fallbacks) painted = painted.replaceAll(from, to);
  return painted;
}
