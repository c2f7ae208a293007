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
import { checkLogs } from './logs-checks.ts';
import { noStory, type Story, tell } from './story.ts';
import { clean } from './text.ts';

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
      says: 'the bytes as they were recorded (redacted), control characters too',
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
  let kept: Told[] = [];
  let after = 0;
  for (const execution of executions) {
    after = 0;
    for await (const lines of pagesOf(client, execution)) {
      after = lines.at(-1)?.seq ?? after;
      const fresh = lines.filter(({ at }) => at >= oldest).map((line) => ({ execution, line }));
      kept = [...kept, ...fresh].slice(-Math.max(max, 1));
    }
  }
  for (const { execution, line } of max > 0 ? kept : []) print(context, execution, line);
  return { execution: executions.at(-1) ?? null, after };
}

interface Told {
  readonly execution: ExecutionId;
  readonly line: LogLine;
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

/** False when the reader has gone. */
function print(context: Context, execution: ExecutionId, line: LogLine): boolean {
  const { io } = context;
  if (context.isJson) {
    const record = {
      schema: 'pawl.lane/1',
      at: iso(line.at),
      execution,
      type: line.kind,
      text: line.text,
      tool: null,
      untrusted: true,
    };
    return io.stdout.write(`${JSON.stringify(record)}\n`);
  }
  if (context.given.has('raw'))
    return io.stdout.write(line.text.endsWith('\n') ? line.text : `${line.text}\n`);
  let isOpen = true;
  const mark = line.kind === 'stdout' ? '' : `[${line.kind}] `;
  for (const each of line.text.replace(/\n$/, '').split('\n'))
    isOpen = io.stdout.write(`${mark}${clean(each)}\n`);
  return isOpen;
}

async function followLane(
  context: Context,
  client: Client,
  first: Look,
  tail: Tail,
): Promise<void> {
  const interrupts = watchInterrupts(context.io, false);
  let at: Tail | null = tail;
  let story = tell(noStory, first.events);
  let version = first.events.at(-1)?.version ?? 0;
  try {
    while (interrupts.wish() === 'none' && at !== null) {
      const { view, events } = await lookOnce(client, first.view.id, version);
      story = tell(story, events);
      version = events.at(-1)?.version ?? version;
      const isOpen = view.status === 'active' || view.status === 'cancelling';
      at = await followStep(context, client, { at, newest: newestOf(story), isOpen });
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
  step: { readonly at: Tail; readonly newest: ExecutionId | null; readonly isOpen: boolean },
): Promise<Tail | null> {
  const { execution, after } = step.at;
  if (execution !== null) {
    const { lines, ended } = await client.log(execution, after, pageMax);
    for (const line of lines) if (!print(context, execution, line)) return null;
    const last = lines.at(-1);
    if (last !== undefined) return { execution, after: last.seq };
    if (!ended) return step.at;
  }
  if (step.newest !== execution) return { execution: step.newest, after: 0 };
  return step.isOpen ? step.at : null;
}
