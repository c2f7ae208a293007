/**
 * The worker's own process: waits for offers that fit, starts a host of its own for each, and keeps
 * nothing but their number. What it starts outlives it; at its start it takes up what an earlier
 * one left. It claims nothing itself: two hosts for one execution end as one.
 */
import { ProductError } from '../kernel/errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { ExecutionId, ExecutionRole } from '../ports/words.ts';
import type { HttpPlane } from './http-plane.ts';

/** The hosts of this machine, whoever started them. */
export interface WorkerHosts {
  start(execution: ExecutionId, role: ExecutionRole): Promise<void>;
  living(): readonly ExecutionId[];
  /**
   * Of those that died: hands in what they sealed, or ends what they left and says that they died.
   * False: something could not be said now; it is said at the next call.
   */
  settle(): Promise<boolean>;
  /** Asks the host to end with its tree. */
  stop(execution: ExecutionId): void;
}

export interface WorkerDaemonOptions {
  readonly plane: Pick<HttpPlane, 'offer'>;
  readonly hosts: WorkerHosts;
  readonly clock: Clock;
  readonly slots: number;
  readonly labels: readonly string[];
  readonly capabilities: readonly string[];
  readonly log: (line: string) => void;
  readonly spans?: Partial<WorkerSpans>;
}

export interface WorkerSpans {
  /** Of one offer; the server answers at once when there is work. */
  readonly pollMs: number;
  /** Between two looks at what runs here, and after a call that failed. */
  readonly pauseMs: number;
  readonly failedPauseMs: number;
  /** What runs may end by itself, after the worker was asked to end. */
  readonly drainMs: number;
  /** Then it is asked to end and handed over. */
  readonly handOverMs: number;
}

export const workerSpans: WorkerSpans = {
  pollMs: 20_000,
  pauseMs: 500,
  failedPauseMs: 3_000,
  drainMs: 30_000,
  handOverMs: 15_000,
};

/**
 * Runs until the signal; then finishes or hands over, bounded.
 * @throws RequestError `not_enrolled` when the server does not know it any more: what runs here has
 * then been ended, since nothing of it will be taken.
 */
export async function workerDaemon(
  options: WorkerDaemonOptions,
  signal: AbortSignal,
): Promise<void> {
  const { hosts, clock, log } = options;
  const spans = { ...workerSpans, ...options.spans };
  const looking = settling(options, spans);
  const asked = aborted(signal);
  try {
    while (!signal.aborted) {
      const free = options.slots - hosts.living().length;
      if (free <= 0) await clock.sleep(spans.pauseMs, signal);
      else await take(options, { free, spans, signal, asked });
    }
    log(`asked to end: ${hosts.living().length} running`);
    await drained(options, spans);
  } catch (error: unknown) {
    if (!isUnknown(error)) throw error;
    log(`${told(error)}: ${hosts.living().length} running are ended`);
    await handedOver(options, spans);
    throw error;
  } finally {
    await looking.end();
  }
}

interface Taking {
  readonly free: number;
  readonly spans: WorkerSpans;
  readonly signal: AbortSignal;
  /** Resolves when the signal aborts. */
  readonly asked: Promise<null>;
}

async function take(options: WorkerDaemonOptions, taking: Taking): Promise<void> {
  const { plane, hosts, clock, slots, labels, capabilities, log } = options;
  const { free, spans, signal, asked } = taking;
  const wanted = { labels: [...labels], capabilities: [...capabilities], slots, free };
  try {
    const running = new Set<string>(hosts.living());
    const waiting = plane.offer({ ...wanted, waitMs: spans.pollMs });
    // Nobody waits for it any more once the worker was asked to end.
    waiting.catch(() => undefined);
    const offers = await Promise.race([waiting, asked]);
    const fresh = (offers ?? []).filter(({ execution }) => !running.has(execution));
    for (const { execution, role } of fresh.slice(0, free)) {
      await hosts.start(execution as ExecutionId, role);
      log(`${execution} started: ${role}`);
    }
    // Offered again before its host has claimed it: no reason to ask without a pause.
    if (fresh.length === 0) await clock.sleep(spans.pauseMs, signal);
  } catch (error: unknown) {
    if (isUnknown(error)) throw error;
    log(`offer: ${told(error)}`);
    await clock.sleep(spans.failedPauseMs, signal);
  }
}

const isUnknown = (error: unknown): boolean =>
  error instanceof ProductError && error.code === 'not_enrolled';

function aborted(signal: AbortSignal): Promise<null> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(null);
    else signal.addEventListener('abort', () => resolve(null), { once: true });
  });
}

const told = (error: unknown): string => {
  const { found = null, next = null } = error instanceof ProductError ? error.details : {};
  const message = error instanceof Error ? error.message : String(error);
  const what = found === null ? message : `${message} (${found})`;
  return next === null ? what : `${what}. ${next}`;
};

/** Looks after the dead for as long as the daemon lives, whatever it waits for meanwhile. */
function settling({ hosts, clock, log }: WorkerDaemonOptions, spans: WorkerSpans) {
  const over = new AbortController();
  const looks = (async () => {
    while (!over.signal.aborted) {
      const isSaid = await hosts.settle().catch((error: unknown) => {
        log(`settle: ${told(error)}`);
        return false;
      });
      await clock.sleep(isSaid ? spans.pauseMs : spans.failedPauseMs, over.signal);
    }
  })();
  return {
    end: async () => {
      over.abort();
      await looks;
    },
  };
}

async function drained(options: WorkerDaemonOptions, spans: WorkerSpans): Promise<void> {
  if (await empty(options, spans.drainMs, spans)) return;
  await handedOver(options, spans);
}

async function handedOver(options: WorkerDaemonOptions, spans: WorkerSpans): Promise<void> {
  const { hosts, log } = options;
  for (const execution of hosts.living()) {
    log(`${execution} is handed over`);
    hosts.stop(execution);
  }
  const isOver = await empty(options, spans.handOverMs, spans);
  if (!isOver) log(`left to the next worker here: ${hosts.living().join(', ')}`);
}

/** Whether nothing runs any more within that time; the dead have then been settled. */
async function empty(
  { hosts, clock }: WorkerDaemonOptions,
  withinMs: number,
  spans: WorkerSpans,
): Promise<boolean> {
  const untilMs = clock.monotonicMs() + withinMs;
  while (hosts.living().length > 0) {
    if (clock.monotonicMs() >= untilMs) return false;
    await clock.sleep(spans.pauseMs);
  }
  await hosts.settle();
  return true;
}
