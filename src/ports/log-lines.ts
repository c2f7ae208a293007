/**
 * What a lane printed, as lines. The journal keeps chunks as they came, so that lines and escape
 * sequences are put together first; a line without end says how much of it is not kept.
 */
import type { LogLine } from './client.ts';
import type { ExecutionId } from './words.ts';

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

/** A record of ours is a line by itself; output ends its lines with line ends of its own. */
function textOf({ kind, text }: LogLine): string {
  return outputs.has(kind) || text.endsWith('\n') ? text : `${text}\n`;
}

function added(line: PrintedLine, more: string, charactersMax: number): PrintedLine {
  const kept = more.slice(0, Math.max(0, charactersMax - line.text.length));
  return { ...line, text: line.text + kept, left: line.left + more.length - kept.length };
}
