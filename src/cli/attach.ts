/**
 * `pawl attach`: the lane's own terminal, read-only. The newest lines come first, then what the
 * lane prints, and a line of ours when what can be said of it changes. Whatever is typed here never
 * reaches the lane, and leaving ends nothing.
 */
import { RequestError } from '../kernel/errors.ts';
import type { Client, RunView } from '../ports/client.ts';
import { noStory, type Story, tell } from '../ports/story.ts';
import type { ExecutionId } from '../ports/words.ts';
import type { Command, Context } from './command.ts';
import { exits } from './exit.ts';
import { lookOnce } from './follow.ts';
import { harmless } from './harmless.ts';
import {
  followStep,
  linePrinter,
  newestOf,
  type Printer,
  printLast,
  type Tail,
} from './lane-log.ts';
import { livenessOf, livenessWords } from './liveness.ts';
import { standing } from './next.ts';
import { patient } from './patient.ts';
import { paint } from './style.ts';
import { mayPrint } from './under-way.ts';

export const command: Command = {
  name: 'attach',
  summary: "The lane's own terminal, read-only; Ctrl-] leaves it, and the run goes on.",
  arguments: { usage: '<run>', min: 1, max: 1 },
  flags: [],
  examples: ['pawl attach 7k2m'],
  run,
};

const pollMs = 250;
/** Of our own lines: that of the beginning, that of its end, and one for a prompt below. */
const ownRows = 3;
const mark = '── ';
const keyOfLeaving = '\u001d';
const ctrlC = '\u0003';

async function run(context: Context): Promise<number> {
  const [word = ''] = context.given.words;
  if (context.isJson) {
    throw new RequestError('not_supported', 'attach shows a terminal: there is no JSON of it', {
      where: '--json',
      next: `${context.called} logs ${word} -f --json`,
    });
  }
  const { id } = await context.find(word);
  const client = await context.client();
  const { view, events } = await lookOnce(client, id, 0);
  if (!mayPrint(view)) {
    const next = `${context.called} logs ${view.short}`;
    const facts = { run: view.id, status: view.status, reason: view.reason };
    const what = `${view.short} is ${standing(view)}: no lane of it lives. Did you mean: ${next}`;
    throw new RequestError('wrong_verb', what, { next, facts });
  }
  const leaving = watchLeaving(context);
  try {
    const story = tell(noStory, events);
    say(context, beginWords(view, leaving.hasKeys));
    const tail = await printNewest(context, client, newestOf(story));
    const version = events.at(-1)?.version ?? 0;
    const lasting = patient(context, client, {
      woken: () => leaving.woken,
      isLeaving: leaving.isWanted,
      again: `attach ${view.short}`,
    });
    await follow({ context, client: lasting, leaving }, { view, story, tail, version });
  } finally {
    leaving.close();
  }
  return exits.done;
}

/** False once nobody reads. */
function say({ io, style }: Context, words: string): boolean {
  return io.stdout.write(`${paint(harmless(`${mark}${words}`), style)}\n`);
}

function beginWords(view: RunView, hasKeys: boolean): string {
  const key = hasKeys ? 'Ctrl-] leaves' : 'Ctrl-C leaves';
  return `${view.name} ${view.short} · attempt ${view.attempt.n} · read-only · ${key}, the run goes on`;
}

/** As many as the terminal shows; what is above them is in `logs`. */
function printNewest(context: Context, client: Client, newest: ExecutionId | null): Promise<Tail> {
  const max = Math.max(1, context.io.stdout.rows() - ownRows);
  const wanted = { printer: linePrinter(context, false), max };
  return printLast(context, client, newest === null ? [] : [newest], wanted);
}

interface Attached {
  readonly context: Context;
  readonly client: Client;
  readonly leaving: Leaving;
}
interface Sight {
  readonly view: RunView;
  readonly story: Story;
  readonly tail: Tail;
  /** Of the run's newest event that was seen. */
  readonly version: number;
}

async function follow(attached: Attached, first: Sight): Promise<void> {
  const { context, leaving } = attached;
  const printer = linePrinter(context, false);
  let sight = first;
  let told = tellState(context, sight.view, null);
  while (told !== null && !leaving.isWanted()) {
    const tail = await printMore(attached, sight, printer);
    if (tail === null) return;
    await context.io.sleep(pollMs, leaving.woken);
    sight = await lookAgain(attached.client, { ...sight, tail });
    told = tellState(context, sight.view, told);
  }
  if (leaving.isWanted()) say(context, `detached · ${context.called} attach ${first.view.short}`);
}

/** Null: it is over, or nobody reads. */
async function printMore(
  { context, client }: Attached,
  { view, story, tail }: Sight,
  printer: Printer,
): Promise<Tail | null> {
  const next = await followStep(context, client, { at: tail, view, story, printer });
  if (next === null && !mayPrint(view)) say(context, endWords(context, view));
  if (next !== null && next.execution !== tail.execution) {
    say(context, laneWords(story, next.execution));
  }
  return next;
}

async function lookAgain(client: Client, before: Sight): Promise<Sight> {
  const { view, events } = await lookOnce(client, before.view.id, before.version);
  const version = events.at(-1)?.version ?? before.version;
  return { ...before, view, version, story: tell(before.story, events) };
}

/** What is known of the lane now; told when it is no longer what it was. Null: nobody reads. */
function tellState(context: Context, view: RunView, before: string | null): string | null {
  if (!mayPrint(view)) return before ?? '';
  const liveness = livenessOf(view);
  const state = `${view.phase} ${view.gate?.approval} ${view.execution?.id} ${liveness?.state} ${liveness?.reason}`;
  if (state === before) return before;
  const words = livenessWords(view, context.io.now(), context.called);
  const phase = view.phase ?? standing(view);
  return say(context, words === '' ? phase : `${phase} · ${words}`) ? state : null;
}

function laneWords(story: Story, execution: ExecutionId | null): string {
  const n = execution === null ? undefined : story.attemptOf.get(execution);
  return n === undefined ? 'another lane' : `attempt ${n} · another lane`;
}

const endWords = ({ called }: Context, view: RunView): string =>
  `the run is ${standing(view)} · ${called} show ${view.short}`;

interface Leaving {
  readonly isWanted: () => boolean;
  /** Aborts when it is. */
  readonly woken: AbortSignal;
  /** Single keys are read: without them Ctrl-C is the only one. */
  readonly hasKeys: boolean;
  close(): void;
}

/** No end of this view ends or pauses a run: Ctrl-C leaves as well. */
function watchLeaving(context: Context): Leaving {
  const { io } = context;
  const wish = new AbortController();
  const leave = (): void => wish.abort();
  let isHinted = false;
  const keys = io.onKey((key) => {
    if (key === keyOfLeaving || key === ctrlC) return leave();
    if (!isHinted) say(context, 'read-only: nothing typed here reaches the lane · Ctrl-] leaves');
    isHinted = true;
  });
  const undo = [
    ...(['SIGINT', 'SIGTERM', 'SIGHUP'] as const).map((signal) => io.onSignal(signal, leave)),
    ...(keys === null ? [] : [keys]),
  ];
  return {
    isWanted: () => wish.signal.aborted,
    woken: wish.signal,
    hasKeys: keys !== null,
    close() {
      for (const each of undo) each();
    },
  };
}
