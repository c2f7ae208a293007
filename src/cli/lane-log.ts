/**
 * What the lanes of a run printed, read page by page: the newest lines first, then what follows,
 * from one execution to the next. For `logs` and `attach`.
 */
import type { Client, LogLine, RunView } from '../ports/client.ts';
import { lineJoiner, lineMax, type PrintedLine } from '../ports/log-lines.ts';
import { pageMax, pagesOf } from '../ports/printed.ts';
import type { Story } from '../ports/story.ts';
import type { ExecutionId } from '../ports/words.ts';
import type { Context } from './command.ts';
import { boundedLine, readable, unreadable, visible } from './log-lines.ts';
import { mayPrint } from './under-way.ts';

/** How far an execution was printed. */
export interface Tail {
  readonly execution: ExecutionId | null;
  readonly after: number;
}

/** The last lines that were printed, and where they end. */
export interface Printed extends Tail {
  /** Nothing is recorded of any of them. */
  readonly isEmpty: boolean;
}

/** Chunks of the journal as what is written: lines of text, or one object for each chunk. */
export interface Printer {
  take(execution: ExecutionId, chunk: LogLine): readonly string[];
  /** Of a line that has no end yet. */
  rest(): readonly string[];
}

/** A journal holds no more than this at all. */
const rawLineMax = 64 * 1024 * 1024;

const unmarked: ReadonlySet<string> = new Set(['stdout', 'screen', 'protocol', 'said']);

/** Lines for people. Raw: uncut, and obeyed by no terminal. */
export function linePrinter(context: Context, isRaw: boolean): Printer {
  const joiner = lineJoiner(isRaw ? rawLineMax : lineMax);
  // Bytes for a terminal and messages of a protocol are the record, and nothing to read.
  const unread = isRaw ? readable : unreadable;
  const whole = `${context.called} logs ${context.given.words[0] ?? ''} --raw > file`;
  const written = ({ kind, text, left: more }: PrintedLine): string => {
    // A terminal obeys what it is sent: it gets the bytes as text, a file or a pipe as they are.
    if (isRaw) return `${context.io.stdout.isTerminal ? visible(text) : text}\n`;
    const mark = unmarked.has(kind) ? '' : `[${kind}] `;
    return `${mark}${boundedLine(text, more, whole)}\n`;
  };
  return {
    take: (execution, chunk) =>
      unread.has(chunk.kind) ? [] : joiner.take(execution, chunk).map(written),
    rest: () => joiner.flush().map(written),
  };
}

export interface Wanted {
  readonly printer: Printer;
  /** How many lines at most. */
  readonly max: number;
  /** None that is older. */
  readonly oldest?: number;
}

/** Prints the last lines of these executions; answers where they end. */
export async function printLast(
  context: Context,
  client: Client,
  executions: readonly ExecutionId[],
  wanted: Wanted,
): Promise<Printed> {
  const { lines, printed } = await lastLines(client, executions, wanted);
  for (const line of lines) context.io.stdout.write(line);
  return printed;
}

async function lastLines(
  client: Client,
  executions: readonly ExecutionId[],
  wanted: Wanted,
): Promise<{ readonly lines: readonly string[]; readonly printed: Printed }> {
  const { printer, max, oldest = Number.NEGATIVE_INFINITY } = wanted;
  let kept: string[] = [];
  let after = 0;
  let isEmpty = true;
  for (const execution of executions) {
    after = 0;
    for await (const chunks of pagesOf(client, execution)) {
      isEmpty = false;
      after = chunks.at(-1)?.seq ?? after;
      const fresh = chunks.filter(({ at }) => at >= oldest);
      kept = [...kept, ...fresh.flatMap((chunk) => printer.take(execution, chunk))];
      kept = kept.slice(-Math.max(max, 1));
    }
  }
  const lines = max === 0 ? [] : [...kept, ...printer.rest()].slice(-max);
  return { lines, printed: { execution: executions.at(-1) ?? null, after, isEmpty } };
}

export function newestOf(story: Story): ExecutionId | null {
  return ([...story.attempts.values()].at(-1)?.executions.at(-1) ?? null) as ExecutionId | null;
}

export interface Step {
  readonly at: Tail;
  readonly view: RunView;
  readonly story: Story;
  readonly printer: Printer;
}

/** Null: nothing follows, or nobody reads. An execution is left only when all of it was printed. */
export async function followStep(
  context: Context,
  client: Client,
  step: Step,
): Promise<Tail | null> {
  const { execution, after } = step.at;
  if (execution !== null) {
    const { lines, ended } = await client.log(execution, after, pageMax);
    if (!written(context, execution, { lines, printer: step.printer })) return null;
    const last = lines.at(-1);
    if (last !== undefined) return { execution, after: last.seq };
    if (!ended) return step.at;
  }
  const newest = newestOf(step.story);
  if (newest !== execution) return { execution: newest, after: 0 };
  return mayPrint(step.view) ? step.at : null;
}

/** A prompt without a line end is shown as well, once nothing more comes. False: nobody reads. */
function written(
  { io }: Context,
  execution: ExecutionId,
  { lines, printer }: { readonly lines: readonly LogLine[]; readonly printer: Printer },
): boolean {
  const told =
    lines.length === 0 ? printer.rest() : lines.flatMap((chunk) => printer.take(execution, chunk));
  return told.every((line) => io.stdout.write(line));
}
