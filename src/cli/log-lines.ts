/**
 * Lines of a lane for a terminal: cleaned, then cut, so that a line without end never fills a
 * screen, and says how much of it is not shown.
 */
import { lineMax } from '../ports/log-lines.ts';
import { clean } from './text.ts';

/** Not for people: what there is to read of it is recorded beside it. */
export const unreadable: ReadonlySet<string> = new Set(['terminal', 'protocol']);
/** That which is. */
export const readable: ReadonlySet<string> = new Set(['screen', 'said', 'tool']);

/** Cleaned and at most {@link lineMax} long; what was cut is counted, with how to get it. */
export function boundedLine(text: string, left: number, whole: string): string {
  const cleaned = clean(text);
  const kept = cleaned.slice(0, lineMax);
  const hidden = cleaned.length - kept.length + left;
  return hidden === 0 ? kept : `${kept} … ${hidden} more characters; the whole line: ${whole}`;
}

const control = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** Every control and direction character as text that no terminal obeys: `\x1b[31m`. */
export function visible(text: string): string {
  return text.replace(control, (character) => {
    const code = character.charCodeAt(0);
    const digits = code.toString(16);
    return code < 256 ? `\\x${digits.padStart(2, '0')}` : `\\u${digits.padStart(4, '0')}`;
  });
}
