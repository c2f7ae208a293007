/**
 * Where a lane's requests for leave wait for a human (`onPermission: ask`). They are carried up one
 * at a time, in the order in which the lane made them; what a human says comes down with a beat, at
 * most three seconds later, and is given to the lane once.
 *
 * Promises: nobody's silence allows anything. What the engine refuses to ask, what is too much of
 * it, and what is open when the turn ends, is denied. The time for which a question stands before a
 * human is not the lane's; until the engine has it, it is. What nobody waits for any more is told
 * with the next beat, so that no human is asked it for ever.
 */
import { createHash } from 'node:crypto';
import type { PermissionAsk } from '../domain/approval/permission.ts';
import type { PermissionAnswer } from '../domain/execution/state.ts';
import { clip, clipLine } from '../kernel/text.ts';
import type { Clock } from '../ports/clock.ts';
import type { LaneEvent } from '../ports/lane-event.ts';
import type { PlaneAnswer } from '../ports/plane.ts';

/** Of one turn; a lane that asks more often is refused without a human. */
export const asksMax = 200;
/** Between two tries to reach an engine that does not answer. */
const retryMs = 3_000;
/** So often one is tried that comes after one which was left: a minute. */
const leftTriesMax = 20;
const titleMax = 300;
const digestMax = 128;

type Request = Extract<LaneEvent, { kind: 'permission' }>;

/** Anything but `allow` is a denial; `over`: the turn ended before there was an answer. */
export type DeskAnswer = 'allow' | 'rejected' | 'expired' | 'unasked' | 'over';

export interface PermissionDesk {
  /** Resolves when it is answered, or when the turn ends. */
  decide(request: Request): Promise<DeskAnswer>;
  /** Came with a beat; one that nobody waits for is the same answer again. */
  answered(answer: PermissionAnswer): void;
  /** Whether a request waits, here or before a human. */
  isWaiting(): boolean;
  /** For how long, up to now, questions stood before a human. */
  waitedMs(): number;
  /** The lane waits for the answer to that request of its own no longer. */
  withdrawn(request: string): void;
  /** The turn is over: what waits is denied. */
  clear(): void;
}

export interface DeskMeans {
  readonly clock: Clock;
  readonly ask: (ask: PermissionAsk) => Promise<PlaneAnswer>;
  /** Fetches an answer that is there already. */
  readonly beat: () => Promise<void>;
  /** Who offers the tools: the agent and its version. */
  readonly agent: () => string;
  readonly redact: (text: string) => string;
  readonly onFailure: (error: unknown) => void;
  /** A question that the engine may have, and that nobody waits for: its name there. */
  readonly onLeft: (request: string) => void;
}

interface Open {
  /** What it is to the lane, and what it is to the engine. */
  readonly own: string;
  readonly request: string;
  readonly settle: (answer: DeskAnswer) => void;
  sinceMs: number | null;
}

export function permissionDesk(means: DeskMeans): PermissionDesk {
  const { clock } = means;
  let turn = new AbortController();
  let [count, waiting, waitedMs] = [0, 0, 0];
  let open: Open | null = null;
  let queue: Promise<unknown> = Promise.resolve();
  const takenBack = new Set<string>();
  /** Left with the engine, which has not said yet that it is closed there. */
  let left: string | null = null;

  const settled = (of: Open, answer: DeskAnswer) => {
    if (open !== of) return;
    waitedMs += standsMs(of, clock);
    open = null;
    of.settle(answer);
    if (answer !== 'over') return;
    left = of.request;
    means.onLeft(of.request);
  };
  const asked = (request: Request, over: AbortSignal): Promise<DeskAnswer> => {
    count += 1;
    if (over.aborted || takenBack.delete(request.request)) return Promise.resolve('over');
    if (count > asksMax) return Promise.resolve('unasked');
    const ask = askOf(`p${count}`, request, means);
    return new Promise((settle) => {
      const of: Open = { own: request.request, request: ask.request, settle, sinceMs: null };
      open = of;
      void carry(of, ask, over);
    });
  };
  const askOnce = async (of: Open, ask: PermissionAsk, tries: number): Promise<boolean> => {
    const answer = await means.ask(ask);
    if (answer.ok) {
      of.sinceMs = clock.monotonicMs();
      // An earlier yes answers at once.
      await means.beat();
      return true;
    }
    // One that was left is closed by the next sweep; until then there is room for no other.
    const isRoomLater = left !== null && tries < leftTriesMax;
    if (!isRoomLater) settled(of, 'unasked');
    return !isRoomLater;
  };
  const carry = async (of: Open, ask: PermissionAsk, over: AbortSignal) => {
    for (let tries = 1; open === of; tries += 1) {
      try {
        if (await askOnce(of, ask, tries)) return;
      } catch (error: unknown) {
        means.onFailure(error);
      }
      await clock.sleep(retryMs, over);
    }
  };
  return {
    decide(request) {
      waiting += 1;
      const { signal } = turn;
      const decided = queue.then(() => asked(request, signal));
      queue = decided;
      return decided.finally(() => {
        waiting -= 1;
      });
    },
    answered({ request, decision, why = 'rejected' }) {
      if (left === request) left = null;
      if (open?.request === request) settled(open, decision === 'allow' ? 'allow' : why);
    },
    isWaiting: () => waiting > 0,
    waitedMs: () => waitedMs + standsMs(open, clock),
    withdrawn(request) {
      if (open?.own === request) settled(open, 'over');
      else if (waiting > 0) takenBack.add(request);
    },
    clear() {
      takenBack.clear();
      turn.abort();
      turn = new AbortController();
      if (open !== null) settled(open, 'over');
    },
  };
}

/** Before a human, up to now. */
const standsMs = (open: Open | null, { monotonicMs }: Pick<Clock, 'monotonicMs'>): number =>
  open === null || open.sinceMs === null ? 0 : monotonicMs() - open.sinceMs;

/** What is told of a call: bounded, without secrets, and never its arguments. */
function askOf(request: string, event: Request, { agent, redact }: DeskMeans): PermissionAsk {
  const tool = event.tool === null ? null : clipLine(redact(event.tool), titleMax);
  const definition = createHash('sha256').update(JSON.stringify([agent(), event.tool]));
  return {
    request,
    tool,
    title: clipLine(redact(event.title), titleMax),
    args: clip(event.digest, digestMax),
    definition: definition.digest('hex'),
  };
}
