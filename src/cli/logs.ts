/**
 * `pawl logs`: what the lanes printed, from the living spool or the journal; or what checks
 * printed.
 */
import { RequestError } from '../kernel/errors.ts';
import type { Client, LogLine, RunView } from '../ports/client.ts';
import type { ExecutionId } from '../ports/words.ts';
import type { Command, Context } from './command.ts';
import { exits } from './exit.ts';
import { type Look, lookOnce } from './follow.ts';
import { iso } from './format.ts';
import { watchInterrupts } from './interrupts.ts';
import { boundedLine, lineJoiner, lineMax, type PrintedLine, visible } from './log-lines.ts';
import { checkLogs } from './logs-checks.ts';
import { noStory, type Story, tell } from './story.ts';

export const command: Command = {
  name: 'logs',
  summary: 'What the lane printed, or with --checks what the checks printed.',
  arguments: { usage: '<run>', min: 1, max: 1 },
  flags: [
    { name: 'follow', short: 'f', kind: 'switch', says: 'go on until the run stops' },
    { name: 'attempt', kind: 'value', value: 'n', says: 'of this attempt (the newest)' },
    { name: 'execution', kind: 'value', value: 'id', says: 'of this execution' },
    { name: 'checks', kind: 'switch', says: 'what the checks printed' },
    {
      name: 'raw',
      kind: 'switch',
      says: 'as recorded (redacted), uncut; a terminal shows control characters as text',
    },
    {
      name: 'lines',
      short: 'n',
      kind: 'value',
      value: 'n',
      says: 'at most the last n lines (200)',
    },
    { name: 'since', kind: 'value', value: 'span', says: 'only what is not older' },
  ],
  examples: ['pawl logs 7k2m -f', 'pawl logs p0ne --attempt 5 --checks'],
  run,
};

const linesDefault = 200;
const pageMax = 1_000;
const pagesMax = 1_000;
const pollMs = 250;
/** A journal holds no more than this at all. */
const rawLineMax = 64 * 1024 * 1024;

async function run(context: Context): Promise<number> {
  const { given } = context;
  const found = await context.find(given.words[0] ?? '');
  const client = await context.client();
  const { view, events } = await lookOnce(client, found.id, 0);
  const story = tell(noStory, events);
  if (given.has('checks')) return checkLogs(context, client, { view, story }, linesDefault);
  const tail = await printTail(context, client, executionsOf(context, view, story));
  if (given.has('follow')) await followLane(context, client, { view, events }, tail);
  return exits.done;
}

interface Tail {
  readonly execution: ExecutionId | null;
  readonly after: number;
}

/** Oldest first. @throws RequestError when what was named is not of this run. */
function executionsOf({ given }: Context, view: RunView, story: Story): readonly ExecutionId[] {
  const named = given.text('execution');
  const n = given.whole('attempt', 1);
  const all = [...story.attempts.values()];
  const attempt = n === null ? all.at(-1) : story.attempts.get(n);
  if (named !== null) {
    const known = all.flatMap(({ executions }) => executions);
    if (known.includes(named)) return [named as ExecutionId];
    throw new RequestError('bad_value', `${view.short} has no execution ${named}`, {
      where: '--execution',
      allowed: known.join(', '),
    });
  }
  if (attempt === undefined && n !== null) {
    throw new RequestError('bad_value', `${view.short} has no attempt ${n}`, {
      where: '--attempt',
      allowed: [...story.attempts.keys()].join(', '),
    });
  }
  return (attempt?.executions ?? []) as readonly ExecutionId[];
}

async function printTail(
  context: Context,
  client: Client,
  executions: readonly ExecutionId[],
): Promise<Tail> {
  const max = context.given.whole('lines', 0) ?? linesDefault;
  const sinceMs = context.given.durationMs('since');
  const oldest = sinceMs === null ? Number.NEGATIVE_INFINITY : context.io.now() - sinceMs;
  const printer = printerOf(context);
  let kept: string[] = [];
  let after = 0;
  for (const execution of executions) {
    after = 0;
    for await (const chunks of pagesOf(client, execution)) {
      after = chunks.at(-1)?.seq ?? after;
      const fresh = chunks.filter(({ at }) => at >= oldest);
      kept = [...kept, ...fresh.flatMap((chunk) => printer.take(execution, chunk))];
      kept = kept.slice(-Math.max(max, 1));
    }
  }
  const lines = max === 0 ? [] : [...kept, ...printer.rest()].slice(-max);
  for (const line of lines) context.io.stdout.write(line);
  return { execution: executions.at(-1) ?? null, after };
}

async function* pagesOf(
  client: Client,
  execution: ExecutionId,
): AsyncGenerator<readonly LogLine[]> {
  let after = 0;
  for (let page = 0; page < pagesMax; page += 1) {
    const { lines } = await client.log(execution, after, pageMax);
    if (lines.length > 0) yield lines;
    if (lines.length < pageMax) return;
    after = lines.at(-1)?.seq ?? after;
  }
}

/** Chunks of the journal as what is written: lines of text, or one object for each chunk. */
interface Printer {
  take(execution: ExecutionId, chunk: LogLine): readonly string[];
  /** Of a line that has no end yet. */
  rest(): readonly string[];
}

function printerOf(context: Context): Printer {
  if (context.isJson)
    return { take: (execution, chunk) => [record(execution, chunk)], rest: () => [] };
  const isRaw = context.given.has('raw');
  const joiner = lineJoiner(isRaw ? rawLineMax : lineMax);
  const written = ({ kind, text, left }: PrintedLine): string => {
    // A terminal obeys what it is sent: it gets the bytes as text, a file or a pipe as they are.
    if (isRaw) return `${context.io.stdout.isTerminal ? visible(text) : text}\n`;
    const mark = kind === 'stdout' ? '' : `[${kind}] `;
    return `${mark}${boundedLine(text, left, wholeLine(context))}\n`;
  };
  return {
    take: (execution, chunk) => joiner.take(execution, chunk).map(written),
    rest: () => joiner.flush().map(written),
  };
}

const wholeLine = ({ called, given }: Context): string =>
  `${called} logs ${given.words[0] ?? ''} --raw > file`;

function record(execution: ExecutionId, { at, kind, text }: LogLine): string {
  const fields = { schema: 'pawl.lane/1', at: iso(at), execution, type: kind, text, tool: null };
  return `${JSON.stringify({ ...fields, untrusted: true })}\n`;
}

async function followLane(
  context: Context,
  client: Client,
  first: Look,
  tail: Tail,
): Promise<void> {
  const interrupts = watchInterrupts(context.io, null);
  let at: Tail | null = tail;
  let story = tell(noStory, first.events);
  let version = first.events.at(-1)?.version ?? 0;
  const printer = printerOf(context);
  try {
    while (interrupts.wish() === 'none' && at !== null) {
      const { view, events } = await lookOnce(client, first.view.id, version);
      story = tell(story, events);
      version = events.at(-1)?.version ?? version;
      const isOpen = view.status === 'active' || view.status === 'cancelling';
      const step = { at, newest: newestOf(story), isOpen, printer };
      at = await followStep(context, client, step);
      if (at !== null) await context.io.sleep(pollMs, interrupts.woken());
    }
  } finally {
    interrupts.close();
  }
}

function newestOf(story: Story): ExecutionId | null {
  return ([...story.attempts.values()].at(-1)?.executions.at(-1) ?? null) as ExecutionId | null;
}

/** Null: nothing follows, or nobody reads. An execution is left only when all of it was printed. */
async function followStep(
  context: Context,
  client: Client,
  step: {
    readonly at: Tail;
    readonly newest: ExecutionId | null;
    readonly isOpen: boolean;
    readonly printer: Printer;
  },
): Promise<Tail | null> {
  const { execution, after } = step.at;
  if (execution !== null) {
    const { lines, ended } = await client.log(execution, after, pageMax);
    if (!written(context, execution, { lines, printer: step.printer })) return null;
    const last = lines.at(-1);
    if (last !== undefined) return { execution, after: last.seq };
    if (!ended) return step.at;
  }
  if (step.newest !== execution) return { execution: step.newest, after: 0 };
  return step.isOpen ? step.at : null;
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
