/**
 * What a worker keeps of runs goes once they have ended long enough ago: its server is asked, since
 * a worker knows neither that a run ended nor what time it is. Whatever is not answered, or not
 * named in the answer, stays. Everything is looked for anew in each pass, so that one that was cut
 * off is made whole by the next.
 */
import { limits } from '../contract/plane-words.ts';
import type { Clock } from '../ports/clock.ts';
import type { RunId } from '../ports/words.ts';
import type { HttpPlane } from './http-plane.ts';

/** What lies on this machine of runs. */
export interface LeftBehind {
  /** Runs of which nothing lives, nothing is owed, and nothing was touched for that long. */
  quietRuns(forMs: number): Promise<readonly RunId[]>;
  /** Removes trees, spools and homes of an ended run. False: something is in use, and stays. */
  remove(run: RunId): Promise<boolean>;
  /** Removes mirrors that nobody used for that long; answers where they lay. */
  removeUnused(forMs: number): Promise<readonly string[]>;
}

export interface PruningOptions {
  readonly plane: Pick<HttpPlane, 'ended'>;
  readonly left: LeftBehind;
  readonly clock: Pick<Clock, 'sleep'>;
  readonly log: (line: string) => void;
  readonly keptMs: number;
}

const everyMs = 3_600_000;
const dayMs = 24 * 3_600_000;

/** A pass now and one each hour, until it is ended. */
export function pruning(options: PruningOptions): { readonly end: () => Promise<void> } {
  const over = new AbortController();
  const passes = (async () => {
    while (!over.signal.aborted) {
      await pruneOnce(options, over.signal);
      await options.clock.sleep(everyMs, over.signal);
    }
  })();
  return {
    end: async () => {
      over.abort();
      await passes;
    },
  };
}

/** Never throws: what failed is told, and tried again in the next pass. */
export async function pruneOnce(options: PruningOptions, signal: AbortSignal): Promise<void> {
  const { left, log, keptMs } = options;
  try {
    const over = await overFor(options, await left.quietRuns(keptMs));
    for (const [run, why] of over) {
      if (signal.aborted) return;
      await removeRun(options, run, why);
    }
    for (const root of signal.aborted ? [] : await left.removeUnused(keptMs)) {
      log(`removed the mirror ${root}: unused for ${days(keptMs)}`);
    }
  } catch (error: unknown) {
    if (!signal.aborted) log(`nothing more is removed now: ${told(error)}`);
  }
}

/** Asked even without any run: a worker that its server does not take removes nothing. */
async function overFor(
  { plane, keptMs }: PruningOptions,
  runs: readonly RunId[],
): Promise<ReadonlyMap<RunId, string>> {
  const over = new Map<RunId, string>();
  for (let n = 0; n === 0 || n < runs.length; n += limits.endedRuns) {
    const asked = runs.slice(n, n + limits.endedRuns);
    const { ended, gone } = await plane.ended(asked);
    const told = new Map<string, string>([
      ...gone.map((run) => [run, 'the server has it no more'] as const),
      ...ended
        .filter(({ forMs }) => forMs >= keptMs)
        .map(({ run, forMs }) => [run, `it ended ${days(forMs)} ago`] as const),
    ]);
    for (const run of asked) {
      const why = told.get(run);
      if (why !== undefined) over.set(run, why);
    }
  }
  return over;
}

async function removeRun({ left, log }: PruningOptions, run: RunId, why: string): Promise<void> {
  try {
    const isGone = await left.remove(run);
    log(
      isGone ? `removed what was left of ${run}: ${why}` : `${run} is over and still in use here`,
    );
  } catch (error: unknown) {
    log(`${run} is over and could not be removed: ${told(error)}`);
  }
}

const days = (ms: number): string => `${Math.floor(ms / dayMs)} days`;

const told = (error: unknown): string => (error instanceof Error ? error.message : String(error));
