/**
 * Splits a command line into words the way a POSIX shell quotes them, and expands nothing: no
 * variables, globs, substitutions or operators. A command that needs those must name its shell.
 */
import { err, ok, type Result } from './result.ts';

export type ArgvProblem =
  | { readonly code: 'unclosed_quote'; readonly quote: string; readonly at: number }
  | { readonly code: 'trailing_backslash'; readonly at: number }
  | { readonly code: 'empty' };

interface Words {
  readonly done: string[];
  /** Null between words; '' for an empty quoted word. */
  word: string | null;
}

/** So that a POSIX shell, and {@link splitArgv}, take it for one word as it is. */
export const quotedWord = (word: string): string =>
  /^[\w./:=@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;

/** `at` is the offset of the character that opened what was not closed. */
export function splitArgv(line: string): Result<readonly string[], ArgvProblem> {
  const words: Words = { done: [], word: null };
  let at = 0;
  while (at < line.length) {
    const step = take(line, at, words);
    if (typeof step !== 'number') return err(step);
    at = step;
  }
  endWord(words);
  return words.done.length === 0 ? err({ code: 'empty' }) : ok(words.done);
}

function take(line: string, at: number, words: Words): number | ArgvProblem {
  const char = line.charAt(at);
  if (char === "'") return takeSingle(line, at, words);
  if (char === '"') return takeDouble(line, at, words);
  if (char === '\\') return takeEscape(line, at, words);
  if (/\s/.test(char)) endWord(words);
  else append(words, char);
  return at + 1;
}

function takeSingle(line: string, at: number, words: Words): number | ArgvProblem {
  const end = line.indexOf("'", at + 1);
  if (end < 0) return { code: 'unclosed_quote', quote: "'", at };
  append(words, line.slice(at + 1, end));
  return end + 1;
}

function takeDouble(line: string, at: number, words: Words): number | ArgvProblem {
  append(words, '');
  for (let next = at + 1; next < line.length; next += 1) {
    const char = line.charAt(next);
    if (char === '"') return next + 1;
    const escaped = char === '\\' ? line.charAt(next + 1) : '';
    // Inside double quotes a backslash escapes these four only (POSIX 2.2.3).
    if (escaped !== '' && '"\\$`'.includes(escaped)) {
      append(words, escaped);
      next += 1;
    } else append(words, char);
  }
  return { code: 'unclosed_quote', quote: '"', at };
}

function takeEscape(line: string, at: number, words: Words): number | ArgvProblem {
  if (at + 1 >= line.length) return { code: 'trailing_backslash', at };
  const escaped = line.charAt(at + 1);
  // A backslash before a line end joins the lines.
  if (escaped !== '\n') append(words, escaped);
  return at + 2;
}

function append(words: Words, text: string): void {
  words.word = (words.word ?? '') + text;
}

function endWord(words: Words): void {
  if (words.word !== null) words.done.push(words.word);
  words.word = null;
}
