/**
 * A decision in the making: the run as it will be after the events decided so far. Later questions
 * of the same decision (how many attempts have ended, is a budget spent) ask the newest state.
 */
import type { Instant } from '../ids.ts';
import { evolve } from './evolve.ts';
import type { RunEvent } from './message.ts';
import type { LivingRun } from './state.ts';

type WithoutAt<E> = E extends RunEvent ? Omit<E, 'at'> : never;
/** An event of a run without its instant, which the draft adds. */
export type EventBody = WithoutAt<RunEvent>;

export interface Draft<R extends LivingRun = LivingRun> {
  readonly run: R;
  readonly events: readonly RunEvent[];
  readonly at: Instant;
  /** Jitter for a back-off, in [0, 1]. */
  readonly fraction: number;
}

export function draftOf<R extends LivingRun>(run: R, at: Instant, fraction = 1): Draft<R> {
  return { run, events: [], at, fraction };
}

export function add(draft: Draft, ...bodies: readonly EventBody[]): Draft {
  const events = bodies.map((body) => ({ ...body, at: draft.at }) as RunEvent);
  return {
    ...draft,
    run: events.reduce<LivingRun>((run, event) => evolve(run, event) as LivingRun, draft.run),
    events: [...draft.events, ...events],
  };
}
