/**
 * The view of a run that goes on: on a terminal, in a pipe, or as JSON lines. It only watches and
 * sends commands; the driver does the work, so closing the view ends nothing.
 */
import type { Client, RunView } from '../ports/client.ts';
import type { Principal } from '../ports/words.ts';
import type { Context } from './command.ts';
import { endingLines, type Standing } from './ending.ts';
import { exitOf, exits } from './exit.ts';
import { follow, type Look } from './follow.ts';
import { type ActionsReport, actionsReport } from './github.ts';
import { type Interrupts, type Wish, watchInterrupts } from './interrupts.ts';
import { noStory, tell } from './story.ts';
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
  const isLive = isLiveView(context);
  const teller = tellerFor(context, options, isLive);
  const interrupts = watchInterrupts(context.io, isLive ? teller.key : null);
  const actions = actionsReport(context);
  try {
    actions.begin();
    const watched = await watchLoop(context, options, { teller, interrupts });
    teller.close();
    return await finish(context, watched, actions);
  } finally {
    teller.close();
    interrupts.close();
    actions.end();
  }
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
  readonly wish: Wish;
  readonly how: 'ended' | 'gone' | 'timeout' | Wish;
}
interface Watching {
  readonly teller: Teller;
  readonly interrupts: Interrupts;
}

async function watchLoop(
  context: Context,
  options: ViewOptions,
  watching: Watching,
): Promise<Watched> {
  const { io } = context;
  const stop = new AbortController();
  const startedAt = io.monotonicMs();
  const keeper = driverKeeper(context, options.client);
  const pauser = pauserOf(context, options, watching.teller);
  let standing: Standing = { view: options.run, definition: options.definition, story: noStory };
  let isOpen = watching.teller.begin(standing);
  try {
    const looks = follow({
      ...options,
      io,
      run: options.run.id,
      signal: stop.signal,
      after: 0,
      woken: watching.interrupts.woken,
    });
    for await (const look of looks) {
      standing = nextStanding(standing, look);
      isOpen = (await watching.teller.tell(look.events, standing)) && isOpen;
      const wish = watching.interrupts.wish();
      const how = whyStop({
        standing,
        isOpen,
        wish,
        late: isLate(io.monotonicMs() - startedAt, options),
      });
      if (how !== null) return { standing, how, wish };
      await pauser(wish);
      await keeper(look.view);
      await options.onLook?.(look.view, watching.teller.say);
    }
  } finally {
    stop.abort();
  }
  return { standing, how: 'gone', wish: watching.interrupts.wish() };
}

function nextStanding(before: Standing, { view, events }: Look): Standing {
  return { view, definition: before.definition, story: tell(before.story, events) };
}

const isLate = (passedMs: number, { timeoutMs }: ViewOptions): boolean =>
  timeoutMs !== null && passedMs >= timeoutMs;

function whyStop(now: {
  readonly standing: Standing;
  readonly isOpen: boolean;
  readonly wish: Wish;
  readonly late: boolean;
}): Watched['how'] | null {
  if (!now.isOpen) return 'gone';
  if (codeOf(now.standing) !== null) return 'ended';
  if (now.wish === 'leave' || now.wish === 'detach') return now.wish;
  return now.late ? 'timeout' : null;
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
    if (wish === 'none' || wish === 'leave' || wish === 'detach') return;
    const now = context.io.monotonicMs();
    if (wish === done && now < endsAt) return;
    const isNow = wish !== 'pause' || now >= endsAt;
    endsAt = isNow ? Number.POSITIVE_INFINITY : now + turnEndsMs;
    if (wish !== done) teller.say(pauseWords(options, wish));
    done = wish;
    await pause(options, isNow, await context.principal());
  };
}

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
    case 'detach':
      context.print([`detached · ${called} watch ${view.short} · ${called} status`]);
      return exits.done;
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
