/**
 * `pawl logs`: what the lanes printed, from the living spool or the journal; or what checks
 * printed.
 */
import { RequestError } from '../kernel/errors.ts';
import type { Client, LogLine, RunView } from '../ports/client.ts';
import { noStory, type Story, tell } from '../ports/story.ts';
import type { ExecutionId } from '../ports/words.ts';
import type { Command, Context } from './command.ts';
import { exits } from './exit.ts';
import { type Look, lookOnce } from './follow.ts';
import { iso } from './format.ts';
import { watchInterrupts } from './interrupts.ts';
import {
  followStep,
  linePrinter,
  type Printed,
  type Printer,
  printLast,
  type Tail,
} from './lane-log.ts';
import { checkLogs } from './logs-checks.ts';
import { patient } from './patient.ts';

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
const pollMs = 250;

async function run(context: Context): Promise<number> {
  const { given } = context;
  const found = await context.find(given.words[0] ?? '');
  const client = await context.client();
  const { view, events } = await lookOnce(client, found.id, 0);
  const story = tell(noStory, events);
  if (given.has('checks')) return checkLogs(context, client, { view, story }, linesDefault);
  const executions = executionsOf(context, view, story);
  const tail = await printTail(context, client, executions);
  if (given.has('follow')) await followLane(context, client, { view, events }, tail);
  else if (tail.isEmpty) context.note([emptyWords(view, executions)]);
  return exits.done;
}

/** Nothing must not look like a lane that printed nothing. */
function emptyWords({ execution, worker }: RunView, executions: readonly ExecutionId[]): string {
  const on = worker === undefined ? '' : ` on worker ${worker.name}`;
  if (executions.length === 0) return 'no lane was started yet';
  if (execution === null || !executions.includes(execution.id)) {
    return `nothing that it printed${on} is recorded here`;
  }
  return worker === undefined
    ? 'it has printed nothing yet'
    : `it works${on}: what it prints comes with its result`;
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

function printTail(
  context: Context,
  client: Client,
  executions: readonly ExecutionId[],
): Promise<Printed> {
  const max = context.given.whole('lines', 0) ?? linesDefault;
  const sinceMs = context.given.durationMs('since');
  return printLast(context, client, executions, {
    printer: printerOf(context),
    max,
    ...(sinceMs === null ? {} : { oldest: context.io.now() - sinceMs }),
  });
}

function printerOf(context: Context): Printer {
  if (!context.isJson) return linePrinter(context, context.given.has('raw'));
  return { take: (execution, chunk) => [record(execution, chunk)], rest: () => [] };
}

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
  const lasting = patient(context, client, {
    woken: interrupts.woken,
    isLeaving: () => interrupts.wish() !== 'none',
    again: `logs ${first.view.short} -f`,
  });
  let at: Tail | null = tail;
  let story = tell(noStory, first.events);
  let version = first.events.at(-1)?.version ?? 0;
  const printer = printerOf(context);
  try {
    while (interrupts.wish() === 'none' && at !== null) {
      const { view, events } = await lookOnce(lasting, first.view.id, version);
      story = tell(story, events);
      version = events.at(-1)?.version ?? version;
      at = await followStep(context, lasting, { at, view, story, printer });
      if (at !== null) await context.io.sleep(pollMs, interrupts.woken());
    }
  } finally {
    interrupts.close();
  }
}
