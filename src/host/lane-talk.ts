/**
 * Holds a conversation with a lane's program: lines of its output go to the {@link Talk} of its
 * adapter, what that has to say goes to the program, and what happened is told on. Nothing that the
 * program prints can end more than its own turn.
 */
import type { PromptWay } from '../domain/liveness/delivery.ts';
import {
  type ProgramExit,
  type Said,
  type ScreenLook,
  saidNothing,
  type Talk,
  type TurnEnd,
} from '../ports/agent.ts';
import type { LaneEvent } from '../ports/lane-event.ts';
import type { ContainedProcess } from '../ports/processes.ts';
import { laneWords } from './lane-words.ts';
import { lineSplitter } from './line-splitter.ts';

/** Longer messages are no message of a protocol (research/acp.md §1: the cap of its SDK). */
const lineLengthMax = 32 * 1024 * 1024;
/** More kinds of requests in one turn are not told apart. */
const denialKindsMax = 200;
const withdrawnMax = 200;

type Request = Extract<LaneEvent, { kind: 'permission' }>;

/** What called a turn off: a request that was denied more often than it may be. */
export interface DeniedTooOften {
  readonly title: string;
  /** The program had said before that its turn is over: how it ended is its own doing. */
  readonly isAfterItsEnd: boolean;
}

export interface LaneTalk {
  /** Whether the program's stdin must stay open. */
  readonly isOpen: boolean;
  /** Its stdout is no words for people: those are told by themselves. */
  readonly isProtocol: boolean;
  readonly prompt: PromptWay;
  /** Resolves when the program said that its turn is over; `called_off`: it may not go on. */
  readonly finished: Promise<'said' | 'called_off'>;
  begin(process: Pick<ContainedProcess, 'write'>): void;
  /** Bytes of its stdout. */
  take(bytes: Uint8Array): void;
  /** Its screen, where it has one; whether anything was typed. */
  look(screen: ScreenLook): boolean;
  /** Whether there was something to call off, and a way to say so. */
  cancel(): boolean;
  /** Null: nothing was denied too often. The turn was asked to end then. */
  denied(): DeniedTooOften | null;
  /** The newest of what the agent said, not redacted; '': nothing. */
  said(): string;
  /** Whether it has written down the turn that it said is over, as far as can be told. */
  isRecorded(): boolean;
  end(exit: ProgramExit, resultFile: string | null): TurnEnd;
}

export interface LaneTalkMeans {
  /** Told in order. Must not throw. */
  readonly hear: (event: LaneEvent) => void;
  /** What there is to read of a protocol: a stream of lines, or what was used. Must not throw. */
  readonly tell?: (kind: 'said' | 'tool', text: string) => void;
  /** How a request is answered; may wait for a human. A rejection is a denial. */
  readonly decide: (request: Request) => Promise<'allow' | 'deny'>;
  /** It waits no longer: its decision is to come at once, whatever it is. */
  readonly withdrawn?: (request: string) => void;
  /** So many denials of the same request end the turn; default 2 (L-H15). */
  readonly denialsMax?: number;
}

export function laneTalk(talk: Talk, means: LaneTalkMeans): LaneTalk {
  const lines = lineSplitter(lineLengthMax);
  const words = laneWords(means.tell ?? (() => {}));
  let to: Pick<ContainedProcess, 'write'> | null = null;
  let dropped = 0;
  let isOver = false;
  const denials = denialCounts();
  const gone = withdrawals(means);
  let hasEnded = false;
  let tooOften: DeniedTooOften | null = null;
  const { finished, finish } = ending();
  const say = (said: Said): boolean => {
    for (const text of said.write) to?.write(text);
    hasEnded ||= tellsEnd(said);
    for (const event of said.events) heard(event);
    return said.write.length > 0;
  };
  const answer = async (request: Request) => {
    const decision = await means.decide(request).catch(() => 'deny' as const);
    if (isOver || gone.has(request.request)) return;
    say(talk.decide(request.request, decision));
    if (decision === 'deny') count(request);
  };
  const count = ({ digest, title }: Pick<Request, 'digest' | 'title'>) => {
    if (denials(digest) < (means.denialsMax ?? 2) || tooOften !== null) return;
    tooOften = { title, isAfterItsEnd: hasEnded };
    if (isOver) return;
    say(talk.cancel());
    finish('called_off');
  };
  const heard = (event: LaneEvent) => {
    words.hear(event);
    means.hear(event);
    if (event.kind === 'permission') void answer(event);
    if (event.kind === 'withdrawn') gone.take(event.request);
    if (event.kind === 'denied') count(event);
    if (event.kind === 'turn_finished') finish(talk.isCalledOff?.() ? 'called_off' : 'said');
  };
  return {
    isOpen: talk.isOpen,
    isProtocol: talk.isProtocol ?? false,
    prompt: talk.prompt ?? 'given',
    finished,
    begin(process) {
      to = process;
      say(talk.begin());
    },
    take(bytes) {
      for (const line of lines.push(bytes)) say(talk.line(line));
      if (lines.dropped > dropped) {
        dropped = lines.dropped;
        heard({ kind: 'error', detail: 'a line that was too long to be read was left out' });
      }
    },
    look(screen) {
      const said = talk.look?.(screen) ?? saidNothing;
      if (!isOver) say(said);
      return said.write.length > 0;
    },
    cancel: () => say(talk.cancel()),
    denied: () => tooOften,
    said: words.newest,
    isRecorded: () => recorded(talk, heard),
    end(exit, resultFile) {
      const rest = lines.rest();
      if (rest !== null) say(talk.line(rest));
      isOver = true;
      words.end();
      return talk.end(exit, resultFile);
    },
  };
}

/** Counts this one; answers how many of its kind there were. */
function denialCounts(): (digest: string) => number {
  const counts = new Map<string, number>();
  return (digest) => {
    const times = (counts.get(digest) ?? 0) + 1;
    if (counts.size < denialKindsMax || counts.has(digest)) counts.set(digest, times);
    return times;
  };
}

/** Nobody is told what was taken back, and nothing was denied. */
function withdrawals({ withdrawn }: Pick<LaneTalkMeans, 'withdrawn'>) {
  const gone = new Set<string>();
  return {
    take(request: string): void {
      if (gone.size >= withdrawnMax) gone.clear();
      gone.add(request);
      withdrawn?.(request);
    },
    has: (request: string): boolean => gone.delete(request),
  };
}

function ending() {
  let finish = (_how: 'said' | 'called_off'): void => {};
  const finished = new Promise<'said' | 'called_off'>((resolve) => {
    finish = resolve;
  });
  return { finished, finish };
}

/** One line may tell both of denials and of the end that the program came to by itself. */
const tellsEnd = ({ events }: Said): boolean => events.some(({ kind }) => kind === 'turn_finished');

/** A record that cannot be read is not waited for, and told of. */
function recorded(talk: Talk, hear: (event: LaneEvent) => void): boolean {
  try {
    return talk.isRecorded?.() ?? true;
  } catch (error: unknown) {
    const why = error instanceof Error ? error.message : String(error);
    hear({ kind: 'error', detail: `its own record could not be read: ${why}` });
    return true;
  }
}
