/**
 * What a lane printed, as lines for a terminal. The journal keeps chunks as they came, so that
 * lines and escape sequences are put together first, then cleaned, then cut: a line without end
 * never fills a screen, and says how much of it is not shown.
 */
import type { LogLine } from '../ports/client.ts';
import type { ExecutionId } from '../ports/words.ts';
import { clean } from './text.ts';

export interface PrintedLine {
  readonly execution: ExecutionId;
  readonly at: number;
  readonly kind: string;
  /** Not cleaned; at most as many characters as the joiner keeps. */
  readonly text: string;
  /** Characters beyond. */
  readonly left: number;
}

export interface LineJoiner {
  /** The lines that are whole with this chunk. */
  take(execution: ExecutionId, chunk: LogLine): readonly PrintedLine[];
  /** What has no end yet, as lines; it stays open. */
  pending(): readonly PrintedLine[];
  /** The same, and it is closed. */
  flush(): readonly PrintedLine[];
}

/** Characters of one line on a screen. */
export const lineMax = 2_000;

export function lineJoiner(charactersMax: number): LineJoiner {
  /** One open line per stream: what goes to stderr meanwhile does not cut it. */
  const open = new Map<string, PrintedLine>();
  const extend = (execution: ExecutionId, { at, kind }: LogLine, part: string): PrintedLine => {
    const line = open.get(kind) ?? { execution, at, kind, text: '', left: 0 };
    open.delete(kind);
    return added(line, part, charactersMax);
  };
  return {
    take: (execution, chunk) => {
      const before = open.get(chunk.kind);
      const isOther = before !== undefined && before.execution !== execution;
      if (isOther) open.delete(chunk.kind);
      const parts = textOf(chunk).split('\n');
      const last = parts.pop() ?? '';
      const done = parts.map((part) => extend(execution, chunk, part));
      if (last !== '') open.set(chunk.kind, extend(execution, chunk, last));
      return isOther ? [before, ...done] : done;
    },
    pending: () => [...open.values()],
    flush: () => {
      const rest = [...open.values()];
      open.clear();
      return rest;
    },
  };
}

const outputs: ReadonlySet<string> = new Set([
  ...['stdout', 'stderr', 'terminal', 'protocol', 'said'],
]);
/** Not for people: what there is to read of it is recorded beside it. */
export const unreadable: ReadonlySet<string> = new Set(['terminal', 'protocol']);
/** That which is. */
export const readable: ReadonlySet<string> = new Set(['screen', 'said', 'tool']);

/** A record of ours is a line by itself; output ends its lines with line ends of its own. */
function textOf({ kind, text }: LogLine): string {
  return outputs.has(kind) || text.endsWith('\n') ? text : `${text}\n`;
}

function added(line: PrintedLine, more: string, charactersMax: number): PrintedLine {
  const kept = more.slice(0, Math.max(0, charactersMax - line.text.length));
  return { ...line, text: line.text + kept, left: line.left + more.length - kept.length };
}

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
