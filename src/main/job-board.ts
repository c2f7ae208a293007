/**
 * What becomes of runs, told to listeners in your own process (EV-14, EV-35, EV-41): a job that has
 * ended, a run that is complete, parked, waits for a look, or has left files to be looked at. It
 * follows the record of each run, so that nothing is told that is not committed, and nothing twice.
 *
 * A listener decides nothing: one that throws, rejects or never ends is told to `onFailure`, or is
 * not waited for, and the others are called all the same.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { fieldsIn, fieldsOf, parsedJson, textOf } from '../kernel/json.ts';
import type { Client } from '../ports/client.ts';
import type { StoredEvent } from '../ports/store.ts';
import type { AttestedFiles, ExecutionId, Gate, RunId } from '../ports/words.ts';

type Told = void | Promise<void>;

export interface LoopCallbacks {
  /** Success: a verification or a human took it. False: it was cancelled. */
  readonly onLoopComplete?: (loopID: RunId, success: boolean) => Told;
  /** Parked: an operator has to decide. Never for a cancel (EV-12). */
  readonly onEscalated?: (loopID: RunId, reason: string) => Told;
  /** It waits for a human, who answers by `resolveGate`. */
  readonly onManualReview?: (loopID: RunId, reason: string) => Told;
  /** Once for each file that an attempt left; relative to the work tree. */
  readonly onArtifactWrite?: (loopID: RunId, artifactPath: string) => Told;
}

export interface TerminalJob {
  readonly loopID: RunId;
  readonly jobID: ExecutionId;
  readonly state: 'completed' | 'error' | 'cancelled';
}
export type TerminalStateListener = (job: TerminalJob) => Told;

export interface JobBoardOptions {
  readonly callbacks?: LoopCallbacks;
  /** What a listener threw, or why the record could not be read; the board goes on. */
  readonly onFailure: (what: string, error: unknown) => void;
}

export interface JobBoard {
  /** The same listener twice is one. */
  addTerminalStateListener(listener: TerminalStateListener): void;
  removeTerminalStateListener(listener: TerminalStateListener): void;
  /** From its first event, or from the one after `after` (`RunView.version`). */
  follow(run: RunId, after?: number): void;
  /** Calls nobody any more. */
  close(): Promise<void>;
}

const pollMs = 250;
const pageMax = 200;
/** Runs that are followed at once; ended ones are let go by themselves. */
const followedMax = 1_000;

/** @throws RangeError from `follow` beyond 1,000 open runs. */
export function openJobBoard(
  client: Pick<Client, 'events' | 'artifact'>,
  { callbacks = {}, onFailure }: JobBoardOptions,
): JobBoard {
  const followed = new Map<RunId, number>();
  const listeners = new Set<TerminalStateListener>();
  const closing = new AbortController();
  const tell: Tell = (what, call) => {
    if (closing.signal.aborted) return;
    const failed = (error: unknown): void => onFailure(what, error);
    try {
      call()?.catch(failed);
    } catch (error: unknown) {
      failed(error);
    }
  };
  /** Every job that has ended comes through here, whatever its end. */
  const handleTerminalJob = (job: TerminalJob): void => {
    for (const listener of [...listeners]) tell('terminal-state listener', () => listener(job));
  };
  const hear = async (stored: StoredEvent): Promise<void> => {
    const job = terminalJob(stored);
    if (job !== null) handleTerminalJob(job);
    await tellLoop({ client, callbacks, tell }, stored);
  };
  const advance = async (run: RunId, after: number): Promise<void> => {
    const events = await client.events(run, after, pageMax);
    for (const stored of events) {
      if (closing.signal.aborted) return;
      await hear(stored);
      followed.set(run, stored.version);
    }
    if (events.some(({ event }) => ended.has(event.type))) followed.delete(run);
  };
  const look = async (): Promise<void> => {
    for (const [run, after] of [...followed]) {
      try {
        await advance(run, after);
      } catch (error: unknown) {
        onFailure(`the record of ${run}`, error);
      }
    }
  };
  const running = untilClosed(closing.signal, look);
  return {
    addTerminalStateListener: (listener) => void listeners.add(listener),
    removeTerminalStateListener: (listener) => void listeners.delete(listener),
    follow(run, after = 0) {
      if (followed.size >= followedMax) throw new RangeError(`${followedMax} runs are followed`);
      followed.set(run, after);
    },
    close: () => {
      closing.abort();
      return running;
    },
  };
}

type Tell = (what: string, call: () => Told | undefined) => void;

const ended: ReadonlySet<string> = new Set(['run.completed', 'run.cancelled']);

async function untilClosed(signal: AbortSignal, look: () => Promise<void>): Promise<void> {
  while (!signal.aborted) {
    await look();
    // Only the end of the board ends a wait early; there is nothing else to be told of.
    await sleep(pollMs, undefined, { signal }).catch(() => undefined);
  }
}

/** Null: no job has ended by it. */
function terminalJob({ run: loopID, event }: StoredEvent): TerminalJob | null {
  switch (event.type) {
    case 'execution.succeeded':
      return { loopID, jobID: event.id, state: 'completed' };
    case 'execution.cancelled':
      return { loopID, jobID: event.id, state: 'cancelled' };
    case 'execution.failed':
    case 'execution.exhausted':
      return { loopID, jobID: event.id, state: 'error' };
    default:
      return null;
  }
}

interface Telling {
  readonly client: Pick<Client, 'artifact'>;
  readonly callbacks: LoopCallbacks;
  readonly tell: Tell;
}

async function tellLoop(telling: Telling, { run, event }: StoredEvent): Promise<void> {
  const { callbacks, tell } = telling;
  switch (event.type) {
    case 'run.completed':
      return tell('onLoopComplete', () => callbacks.onLoopComplete?.(run, true));
    case 'run.cancelled':
      return tell('onLoopComplete', () => callbacks.onLoopComplete?.(run, false));
    case 'run.parked': {
      const reason = event.detail === '' ? event.reason : `${event.reason}: ${event.detail}`;
      return tell('onEscalated', () => callbacks.onEscalated?.(run, reason));
    }
    case 'gate.opened':
      return tell('onManualReview', () => callbacks.onManualReview?.(run, asked(event.gate)));
    case 'artifacts.attested': {
      const paths = await pathsOf(telling.client, event.artifacts);
      for (const path of paths) {
        tell('onArtifactWrite', () => callbacks.onArtifactWrite?.(run, path));
      }
      return;
    }
    default:
  }
}

function asked(gate: Gate): string {
  if (gate.kind === 'manual') return gate.look;
  return gate.kind === 'protected' ? `protected: ${gate.paths.join(', ')}` : gate.kind;
}

/** What the event has no room for is in the statement; one that was pruned tells no more. */
async function pathsOf(
  client: Pick<Client, 'artifact'>,
  { files, more, statement }: AttestedFiles,
): Promise<readonly string[]> {
  const listed = files.map(({ path }) => path);
  const bytes = more === 0 ? null : await client.artifact(statement);
  if (bytes === null) return listed;
  const { payload } = fieldsOf(parsedJson(Buffer.from(bytes).toString('utf8')));
  const said = Buffer.from(textOf(payload) ?? '', 'base64').toString('utf8');
  const names = fieldsIn(fieldsOf(parsedJson(said))['subject']).map(({ name }) => textOf(name));
  const paths = names.filter((name) => name !== null);
  return paths.length === 0 ? listed : paths;
}
