/**
 * Holds a conversation with a lane's program: lines of its output go to the {@link Talk} of its
 * adapter, what that has to say goes to the program, and what happened is told on. Nothing that the
 * program prints can end more than its own turn.
 */
import type { Usage } from '../domain/execution/state.ts';
import { lineSplitter } from '../kernel/line-splitter.ts';
import type { ProgramExit, Said, Talk, TurnEnd } from '../ports/agent.ts';
import type { LaneEvent } from '../ports/lane-event.ts';
import type { ContainedProcess } from '../ports/processes.ts';

/** Longer messages are no message of a protocol (research/acp.md §1: the cap of its SDK). */
const lineLengthMax = 32 * 1024 * 1024;

type Request = Extract<LaneEvent, { kind: 'permission' }>;

export interface LaneTalk {
  /** Whether the program's stdin must stay open. */
  readonly isOpen: boolean;
  /** Resolves when the program said that its turn is over. */
  readonly finished: Promise<void>;
  begin(process: Pick<ContainedProcess, 'write'>): void;
  /** Bytes of its stdout. */
  take(bytes: Uint8Array): void;
  cancel(): void;
  /** What it told so far; null: nothing. */
  usage(): Usage | null;
  end(exit: ProgramExit, resultFile: string | null): TurnEnd;
}

export interface LaneTalkMeans {
  /** Told in order. Must not throw. */
  readonly hear: (event: LaneEvent) => void;
  /** How a request is answered; may wait for a human. A rejection is a denial. */
  readonly decide: (request: Request) => Promise<'allow' | 'deny'>;
}

export function laneTalk(talk: Talk, means: LaneTalkMeans): LaneTalk {
  const lines = lineSplitter(lineLengthMax);
  let to: Pick<ContainedProcess, 'write'> | null = null;
  let dropped = 0;
  let usage: Usage | null = null;
  let isOver = false;
  let finish = (): void => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const say = (said: Said) => {
    for (const text of said.write) to?.write(text);
    for (const event of said.events) heard(event);
  };
  const answer = async (request: Request) => {
    const decision = await means.decide(request).catch(() => 'deny' as const);
    if (!isOver) say(talk.decide(request.request, decision));
  };
  const heard = (event: LaneEvent) => {
    if (event.kind === 'usage') usage = event.usage;
    means.hear(event);
    if (event.kind === 'permission') void answer(event);
    if (event.kind === 'turn_finished') finish();
  };
  return {
    isOpen: talk.isOpen,
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
    cancel: () => say(talk.cancel()),
    usage: () => usage,
    end(exit, resultFile) {
      const rest = lines.rest();
      if (rest !== null) say(talk.line(rest));
      isOver = true;
      return talk.end(exit, resultFile);
    },
  };
}
