/**
 * Keeps the page of a parked run, as an artifact that an event of the run names: what its lane
 * printed goes with its spool, its worker or its machine, and the page stays. The timer that the
 * parking set is the row of it, so that a driver that dies before is followed by one that makes it
 * up; of two that make it at once the first is kept. A page that cannot be kept now, for want of
 * space or since its lane printed on another machine, is tried again and stands in nobody's way.
 */
import type { ExecutionId, Instant, RunId } from '../domain/ids.ts';
import { isDriverSeat } from '../kernel/driver-seats.ts';
import { type Escalation, escalationOf, printedMax } from '../ports/escalation.ts';
import { printedLines } from '../ports/printed.ts';
import type { RunRow } from '../ports/store.ts';
import { noStory, type Story, tell } from '../ports/story.ts';
import { legibleOf } from './artifact-text.ts';
import { driverPrincipal, runCommand } from './command.ts';
import type { Engine } from './engine.ts';
import { logs, type SpoolReader } from './logs.ts';
import { streamOf } from './stream-pages.ts';
import { views } from './views.ts';
import { messageOf } from './words.ts';

export interface EscalationKeeper {
  /** Of all runs whose page is due; one run's trouble is told in the log and is no other's. */
  keep(due: readonly RunId[]): Promise<void>;
  /** Pages that are due and could not be kept yet. */
  left(): number;
}

export interface KeeperOptions {
  readonly engine: Engine;
  /** Undefined: no spool lies on this machine. */
  readonly readSpool: SpoolReader | undefined;
  readonly log: (line: string) => void;
}

const againMs = 15_000;
/** So long another driver is waited for, on whose machine the lane may have printed. */
const othersMs = 60_000;
/** A journal holds head and tail of what was printed; these are all of it. */
const chunksMax = 1_000_000;

const noSpool: SpoolReader = async () => null;

export function escalationKeeper(options: KeeperOptions): EscalationKeeper {
  const { engine, readSpool = noSpool, log } = options;
  const { store, clock, artifacts } = engine;
  const shown = views(engine, { lives: () => true, drives: () => true });
  const { log: journal } = logs(engine, readSpool);
  const left = new Map<RunId, { readonly sinceMs: number; readonly nextMs: number }>();

  const printedBy = async (lane: ExecutionId): Promise<readonly string[]> => {
    const lines = printedLines(lane, printedMax);
    lines.add((await journal(lane, 0, chunksMax)).lines);
    return lines.last();
  };
  const hasOthers = async (): Promise<boolean> =>
    store.isShared && (await store.seats()).filter(isDriverSeat).length > 1;
  /** Null: its lane may have printed where another driver is, which is waited for. */
  const pageOf = async (row: RunRow, waitedMs: number): Promise<Escalation | null> => {
    const story = await storyOf(engine, row);
    const lane = story.lastLane as ExecutionId | null;
    const printed = lane === null ? [] : await printedBy(lane);
    const isElsewhere = lane !== null && printed.length === 0 && waitedMs < othersMs;
    if (isElsewhere && (await hasOthers())) return null;
    const view = await shown.of(row);
    const text = view.text === null ? null : await legibleOf(artifacts, view.text);
    return escalationOf(view, story, { text, printed });
  };
  /** True: nothing is left to do. */
  const kept = async (id: RunId, waitedMs: number): Promise<boolean> => {
    const since = await openSince(engine, id);
    if (since === null) return true;
    const page = await pageOf(since.row, waitedMs);
    if (page === null) return false;
    const text = JSON.stringify({ schema: 'pawl.escalation/1', run: id, ...page });
    const escalation = await artifacts.put(text, 'escalation');
    const request = { type: 'record_escalation', since: since.at, escalation } as const;
    await engine.issue(runCommand(id, driverPrincipal, clock.now(), request));
    return true;
  };

  const tryOne = async (id: RunId): Promise<void> => {
    const nowMs = clock.monotonicMs();
    const { sinceMs, nextMs } = left.get(id) ?? { sinceMs: nowMs, nextMs: nowMs };
    if (nowMs < nextMs) return;
    left.set(id, { sinceMs, nextMs: nowMs + againMs });
    try {
      if (await kept(id, nowMs - sinceMs)) left.delete(id);
    } catch (error: unknown) {
      log(`${id} escalation: ${messageOf(error)}`);
    }
  };

  return {
    left: () => left.size,
    keep: async (due) => {
      for (const id of left.keys()) if (!due.includes(id)) left.delete(id);
      for (const id of due) await tryOne(id);
    },
  };
}

interface Open {
  readonly row: RunRow;
  readonly at: Instant;
}

/** Null: it is not parked any more, or its page is kept. */
async function openSince({ store }: Pick<Engine, 'store'>, id: RunId): Promise<Open | null> {
  const row = (await store.runs({ match: id, limit: 1 })).find((one) => one.id === id);
  const run = row?.aggregate.run;
  if (row === undefined || run?.status !== 'needs_operator') return null;
  return run.escalation === undefined ? { row, at: run.since } : null;
}

/** What was told until then: what follows is not of this parking. */
async function storyOf({ store }: Pick<Engine, 'store'>, row: RunRow): Promise<Story> {
  let story = noStory;
  for await (const stored of streamOf(store, row.id)) {
    if (stored.version <= row.version) story = tell(story, [stored]);
  }
  return story;
}
