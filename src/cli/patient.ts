/**
 * Who waits for a run outlives whom it asks: a server that is replaced, a database that starts
 * again. The run goes on meanwhile, and so does the command: it says once that nobody answers, and
 * gives up after {@link patienceMs}, with what is to be typed to wait again.
 */
import { ProductError, TransientError } from '../kernel/errors.ts';
import type { Client } from '../ports/client.ts';
import type { Context } from './command.ts';

/** Of one silence. */
export const patienceMs = 10 * 60_000;

const pauseMinMs = 250;
const pauseMaxMs = 4_000;

export interface Waiting {
  /** Aborts when whoever waits is wanted elsewhere (Ctrl-C). */
  readonly woken: () => AbortSignal;
  readonly isLeaving: () => boolean;
  /** The command that waits again, without the name of the program: `watch 7k2m`. */
  readonly again: string;
}

/** Asks again while the answer fails for a passing reason; verbs that decide are asked once. */
export function patient(context: Context, client: Client, waiting: Waiting): Client {
  const { io } = context;
  const silence = silenceOf(context, waiting);

  const asked = async <T>(act: () => Promise<T>): Promise<T> => {
    for (;;) {
      try {
        const answer = await act();
        silence.isOver();
        return answer;
      } catch (error: unknown) {
        await io.sleep(silence.pauseMs(error), waiting.woken());
      }
    }
  };
  return {
    ...client,
    find: (request) => asked(() => client.find(request)),
    list: (filter) => asked(() => client.list(filter)),
    events: (run, after, limit) => asked(() => client.events(run, after, limit)),
    definition: (run) => asked(() => client.definition(run)),
    artifact: (digest) => asked(() => client.artifact(digest)),
    log: (execution, after, limit) => asked(() => client.log(execution, after, limit)),
    drivers: () => asked(() => client.drivers()),
    // Said twice, it is one driver.
    ensureDriver: () => asked(() => client.ensureDriver()),
  };
}

function silenceOf(context: Context, { isLeaving, again }: Waiting) {
  const { io, called } = context;
  let since: number | null = null;
  let pauseMs = pauseMinMs;
  return {
    isOver: (): void => {
      since = null;
      pauseMs = pauseMinMs;
    },
    /** Until it is asked again. @throws what was caught, when it is not. */
    pauseMs: (error: unknown): number => {
      if (!isPassing(error) || isLeaving()) throw error;
      if (since === null) context.note([`${error.message}: asked again, for 10m at most`]);
      since ??= io.monotonicMs();
      if (io.monotonicMs() - since >= patienceMs) throw givenUp(error, `${called} ${again}`);
      pauseMs = Math.min(pauseMaxMs, pauseMs * 2);
      return pauseMs;
    },
  };
}

/** Only reads, and what may be said twice, come here: an answer that was lost is asked for anew. */
const isPassing = (error: unknown): error is ProductError =>
  error instanceof ProductError && (error.retryable || error.code === 'outcome_unknown');

function givenUp(error: ProductError, next: string): ProductError {
  const so = 'Nobody answered for 10m. The run is not touched by that.';
  return new TransientError(error.code, error.message, { ...error.details, so, next }, error);
}
