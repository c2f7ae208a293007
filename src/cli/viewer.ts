/**
 * The view of a run that goes on: on a terminal, in a pipe, or as JSON lines. It only watches and
 * sends commands; the driver does the work, so closing the view ends nothing.
 */
import type { Client, RunView } from '../ports/client.ts';
import { noStory, tell } from '../ports/story.ts';
import type { Principal } from '../ports/words.ts';
import { type CardEnd, undecided } from './approval-card.ts';
import { cardInView, mayAnswer } from './card-in-view.ts';
import type { Context } from './command.ts';
import { endingLines, type Standing } from './ending.ts';
import { exitOf, exits } from './exit.ts';
import { follow, type Look } from './follow.ts';
import { type ActionsReport, actionsReport } from './github.ts';
import { type Interrupts, type Wish, watchInterrupts } from './interrupts.ts';
import { patient } from './patient.ts';
import { isCi } from './style.ts';
import { jsonTeller } from './tell-json.ts';
import { pipeTeller } from './tell-pipe.ts';
import { screenTeller } from './tell-screen.ts';
import type { Teller, ViewOptions } from './teller.ts';
import { laneOf, runJson } from './wire.ts';

const driverCheckMs = 5_000;
/** What a turn has to end by itself after a first Ctrl-C. */
const turnEndsMs = 10_000;

export async function viewRun(context: Context, options: ViewOptions): Promise<number> {
  const actions = actionsReport(context);
  const isLive = isLiveView(context);
  const startedAt = context.io.monotonicMs();
  const isLate = (): boolean =>
    options.timeoutMs !== null && context.io.monotonicMs() - startedAt >= options.timeoutMs;
  const isAnswerer = isLive && (await mayAnswer(context));
  const standing: Standing = { view: options.run, definition: options.definition, story: noStory };
  let from: From = { standing, after: 0, isFirst: true, isLive, isLate, isAnswerer, skipped: null };
  try {
    actions.begin();
    for (;;) {
      const watched = await watch(context, options, from);
      if (watched.how !== 'card') {
        const code = await finish(context, watched, actions);
        return isRehearsed(options, watched) ? exits.done : code;
      }
      const card = { ...watched, client: options.client, isLate };
      const end = await cardInView(context, card);
      const code = codeOfCard(context, watched.standing.view, end);
      if (code !== null) return code;
      const skipped = skippedBy(end, watched.standing.view);
      from = { ...from, ...watched, isFirst: false, skipped };
    }
  } finally {
    actions.end();
  }
}

/** Only for whoever asked for it; to others who wait it is a run that was not verified. */
const isRehearsed = ({ isDryRun }: ViewOptions, { how, standing }: Watched): boolean =>
  isDryRun === true && how === 'ended' && standing.view.cancelCause === 'dry_run';

/** Null: the view goes on. */
function codeOfCard(context: Context, view: RunView, end: CardEnd): number | null {
  if ('how' in end) {
    if (end.how === 'decided') return null;
    context.print(
      end.how === 'quit' ? [undecided(context, view)] : ['nothing was decided; a opens it again'],
    );
    return end.how === 'quit' ? exits.waitingHuman : null;
  }
  if (end.why === 'settled') return null;
  if (end.why !== 'SIGHUP') context.print([undecided(context, view)]);
  return codeOfLeaving[end.why];
}

const codeOfLeaving = {
  left: exits.interrupted,
  SIGTERM: exits.terminated,
  // As for every closed terminal: the run goes on, and waits.
  SIGHUP: exits.done,
  no_keys: exits.waitingHuman,
} as const;

const skippedBy = (end: CardEnd, { gate }: RunView): string | null =>
  'how' in end && end.how === 'skipped' ? (gate?.approval ?? null) : null;

/** Where a view begins, or goes on after a card. */
interface From {
  readonly standing: Standing;
  /** Version after which events are news. */
  readonly after: number;
  readonly isFirst: boolean;
  readonly isLive: boolean;
  readonly isLate: () => boolean;
  /** Somebody is here who may answer an approval. */
  readonly isAnswerer: boolean;
  /** The approval whose card was put aside. */
  readonly skipped: string | null;
}

async function watch(context: Context, options: ViewOptions, from: From): Promise<Watched> {
  const teller = tellerFor(context, options, from.isLive);
  let isCardWanted = false;
  const onKey = (key: string): void => {
    if (key === 'a' && from.skipped !== null) isCardWanted = true;
    else teller.key(key);
  };
  const interrupts = watchInterrupts(context.io, from.isLive ? onKey : null);
  try {
    const cardOf = (view: RunView) => cardState(view, from, isCardWanted);
    return await watchLoop(context, options, { teller, interrupts, from, cardOf });
  } finally {
    teller.close();
    interrupts.close();
  }
}

type CardState = 'none' | 'open' | 'aside';

function cardState({ status, gate }: RunView, from: From, isWanted: boolean): CardState {
  if (!from.isAnswerer || status !== 'waiting_human' || gate === null) return 'none';
  return gate.approval === from.skipped && !isWanted ? 'aside' : 'open';
}

/** Where nobody watches nothing is redrawn: some CI give their jobs a terminal. */
function isLiveView({ io, isJson, options }: Context): boolean {
  return io.stdout.isTerminal && !isJson && !isCi(options.env);
}

function tellerFor(context: Context, options: ViewOptions, isLive: boolean): Teller {
  if (context.isJson) return jsonTeller(context);
  return isLive ? screenTeller(context, options) : pipeTeller(context, options);
}

interface Watched {
  readonly standing: Standing;
  readonly after: number;
  readonly wish: Wish;
  readonly how: 'ended' | 'gone' | 'timeout' | 'card' | 'undecided' | Wish;
}
interface Watching {
  readonly teller: Teller;
  readonly interrupts: Interrupts;
  readonly from: From;
  readonly cardOf: (view: RunView) => CardState;
}

async function watchLoop(
  context: Context,
  options: ViewOptions,
  { teller, interrupts, from, cardOf }: Watching,
): Promise<Watched> {
  const { io } = context;
  const stop = new AbortController();
  const client = patient(context, options.client, {
    woken: interrupts.woken,
    isLeaving: () => interrupts.wish() !== 'none',
    again: `watch ${options.run.short}`,
  });
  const keeper = driverKeeper(context, client);
  const pauser = pauserOf(context, options, teller);
  let { standing, after } = from;
  let isOpen = !from.isFirst || teller.begin(standing);
  try {
    const looks = follow({
      ...{ client, io },
      run: options.run.id,
      signal: stop.signal,
      after,
      woken: interrupts.woken,
    });
    for await (const look of looks) {
      standing = nextStanding(standing, look);
      after = look.events.at(-1)?.version ?? after;
      isOpen = (await teller.tell(look.events, standing)) && isOpen;
      const wish = interrupts.wish();
      const late = from.isLate();
      const leaves = options.leavesOnTerminate === true;
      const how = whyStop({ standing, isOpen, wish, late, leaves, card: cardOf(look.view) });
      // Whoever presses thrice in one breath is told that the lane is being ended: so it must be.
      if (how === 'leave') await pauser('leave');
      if (how !== null) return { standing, after, how, wish };
      await pauser(wish);
      await keeper(look.view);
      await options.onLook?.(look.view, teller.say);
    }
  } finally {
    stop.abort();
  }
  return { standing, after, how: 'gone', wish: interrupts.wish() };
}

function nextStanding(before: Standing, { view, events }: Look): Standing {
  return { view, definition: before.definition, story: tell(before.story, events) };
}

function whyStop(now: {
  readonly standing: Standing;
  readonly isOpen: boolean;
  readonly wish: Wish;
  readonly late: boolean;
  /** SIGTERM ends the view and not the run. */
  readonly leaves: boolean;
  readonly card: CardState;
}): Watched['how'] | null {
  const { card, wish } = now;
  if (!now.isOpen) return 'gone';
  if (card === 'none' && codeOf(now.standing) !== null) return 'ended';
  if (wish === 'leave' || wish === 'detach' || (wish === 'terminate' && now.leaves)) return wish;
  if (now.late) return 'timeout';
  if (card === 'none') return null;
  // Nothing runs that could be paused.
  if (wish !== 'none') return 'undecided';
  return card === 'open' ? 'card' : null;
}

function codeOf({ view, definition }: Standing): number | null {
  return exitOf({
    view,
    stopsAtLimit: definition.onLimit === 'stop',
    isRefused: view.cancelCause === 'refused',
  });
}

/**
 * Acts once on each wish for a pause; the words are those of UX 3.2. A turn that has not ended in
 * the time that was promised is ended.
 */
function pauserOf(
  context: Context,
  options: ViewOptions,
  teller: Teller,
): (wish: Wish) => Promise<void> {
  let done: Wish = 'none';
  let endsAt = Number.POSITIVE_INFINITY;
  return async (wish) => {
    if (!isForPause(wish, done)) return;
    const now = context.io.monotonicMs();
    if (wish === done && now < endsAt) return;
    const isNow = wish !== 'pause' || now >= endsAt;
    endsAt = isNow ? Number.POSITIVE_INFINITY : now + turnEndsMs;
    if (wish !== done && wish !== 'leave') teller.say(pauseWords(options, wish));
    done = wish;
    await pause(options, isNow, await context.principal());
  };
}

const isForPause = (wish: Wish, done: Wish): boolean =>
  wish === 'leave' ? done !== 'pause_now' : wish !== 'none' && wish !== 'detach';

function pauseWords({ run }: ViewOptions, wish: Wish): string {
  const { agent } = laneOf(run.maker);
  return wish === 'pause_now'
    ? `Ending ${agent} now; the work is kept. Ctrl-C again leaves at once.`
    : `Pausing: asking ${agent} to stop (10s). Ctrl-C again ends it now; the work is kept either way.`;
}

async function pause(options: ViewOptions, now: boolean, principal: Principal): Promise<void> {
  try {
    await options.client.pause(options.run.id, now, principal);
  } catch (error: unknown) {
    // It ended, parked or was paused in the same moment: the next look shows that.
    if (!(error instanceof Error && 'code' in error && error.code === 'wrong_verb')) throw error;
  }
}

/** A driver that died while somebody watches is started again. */
function driverKeeper(context: Context, client: Client): (view: RunView) => Promise<void> {
  let checkedAt = Number.NEGATIVE_INFINITY;
  return async (view) => {
    const now = context.io.monotonicMs();
    if (view.driver !== null || now - checkedAt < driverCheckMs) return;
    checkedAt = now;
    await client.ensureDriver();
  };
}

async function finish(context: Context, watched: Watched, actions: ActionsReport): Promise<number> {
  const { standing, how } = watched;
  const { view } = standing;
  if (how === 'gone') return exits.done;
  if (how === 'ended') return ended(context, watched, actions);
  if (context.isJson) context.json(runJson(view));
  const { called } = context;
  switch (how) {
    case 'timeout':
      context.print([`the run goes on · ${called} watch ${view.short} · ${called} status`]);
      return exits.timeout;
    case 'terminate':
      context.print([`the run goes on · ${called} watch ${view.short} · ${called} status`]);
      return exits.terminated;
    case 'detach':
      context.print([`detached · ${called} watch ${view.short} · ${called} status`]);
      return exits.done;
    case 'undecided':
      context.print([undecided(context, view)]);
      return watched.wish === 'terminate' ? exits.terminated : exits.interrupted;
    default:
      context.print([`left at once: ${leftOver(view)} · ${called} show ${view.short}`]);
      return exits.interrupted;
  }
}

function leftOver(view: RunView): string {
  return view.execution === null
    ? 'nothing is running'
    : `${view.execution.id} may still be running and is being ended`;
}

async function ended(
  context: Context,
  { standing, wish }: Watched,
  actions: ActionsReport,
): Promise<number> {
  const { view } = standing;
  const isInterrupted = wish !== 'none' && view.status === 'paused';
  if (isInterrupted) {
    if (context.isJson) context.json(runJson(view));
    else context.print([`paused · ${context.called} resume ${view.short}`]);
    return wish === 'terminate' ? exits.terminated : exits.interrupted;
  }
  const isPageWanted = !context.isJson || actions.isOn;
  const page = isPageWanted ? await endingLines(context, standing) : [];
  if (context.isJson) context.json(runJson(view));
  else context.print(['', ...page]);
  await actions.report(standing, page);
  return codeOf(standing) ?? exits.bug;
}
