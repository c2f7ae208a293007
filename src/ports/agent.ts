/** A lane's program as an adapter sees it: what to spawn, how to speak with it, what it came to. */

import type { Definition, Role } from '../domain/definition/definition.ts';
import type { FailureClass, JobResult, Usage } from '../domain/execution/state.ts';
import type { PromptWay } from '../domain/liveness/delivery.ts';
import type { LaneEvent } from './lane-event.ts';
import type { Dispatch } from './plane.ts';

/** Where things of a turn lie; all outside the work tree, 0700. */
export interface TurnFiles {
  readonly directory: string;
  readonly prompt: string;
  readonly history: string;
  readonly result: string;
  /** The agent's own, kept over the turns of its run: configuration, transcripts. */
  readonly home: string;
}

/** A server of tools that the agent is given for this turn; started by the agent. */
export interface ToolServer {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** All that an adapter knows of the turn and of the machine. */
export interface TurnSetting {
  readonly role: Role;
  readonly dispatch: Dispatch;
  readonly files: TurnFiles;
  /** The work tree, or the clean tree of a judge; the program's working folder. */
  readonly tree: string;
  /** The lane's environment before the adapter adds to it; addresses of the door are in it. */
  readonly env: Readonly<Record<string, string>>;
  readonly permissions: Definition['permissions'];
  /** `clean`: servers of tools, hooks and skills of the user's own are kept out of the turn. */
  readonly agentConfig: 'clean' | 'user';
  readonly servers: readonly ToolServer[];
  readonly programs: AgentPrograms;
}

/** Looks at the machine, and changes nothing. */
export interface AgentPrograms {
  /** The file behind a name on the lane's PATH, links resolved; null: there is none. */
  find(name: string): string | null;
  /** Whether there is a file or folder of that name. */
  has(path: string): boolean;
  /** Names in a folder; none where there is no such folder. */
  list(folder: string): readonly string[];
  /** Whole lines at the end of a file, of at most so many bytes; null: no such file. */
  tail(path: string, bytesMax: number): string | null;
  /** Whether lanes run as root. */
  readonly isRoot: boolean;
}

/** A file that is put into the agent's home before it starts; its path is relative to that. */
export interface Seed {
  readonly path: string;
  readonly text: string;
}

export interface Launch {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Written to stdin before anything else; null: nothing. */
  readonly stdin: string | null;
  readonly seeds?: readonly Seed[];
  /** How long the program itself waits for a model before it gives up; absent: not known. */
  readonly modelTimeoutMs?: number;
  /** It runs in a terminal of this size: its output is a screen, and has no lines. */
  readonly terminal?: TerminalSize;
  readonly talk: Talk;
}

export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

/** The screen of a program in a terminal, as it stands at a moment. */
export interface ScreenLook {
  /** Monotonic. */
  readonly atMs: number;
  /** From the top; without trailing blanks. */
  readonly rows: readonly string[];
  /** It asked for pastes to be marked as such (DECSET 2004). */
  readonly takesPastes: boolean;
}

/** What a turn came to, before the work tree is looked at. A stop reason is not a verdict. */
export type TurnEnd =
  | {
      readonly outcome: Extract<JobResult, { kind: 'executed' }>['outcome'];
      readonly text: string | null;
      readonly until: number | null;
      readonly usage: Usage | null;
      readonly sessionId: string | null;
      /** The bound of its own by which the program ended the turn before the agent did. */
      readonly cut?: string;
      /**
       * Its exit says that a program could not be started (a shell's 126 and 127), in words; so it
       * is where it left nothing.
       */
      readonly unstarted?: string;
    }
  | {
      /** It told of a failure, in a structured signal; `detail` is for people. */
      readonly outcome: 'failed';
      readonly class: FailureClass;
      readonly detail: string;
      readonly usage: Usage | null;
      readonly sessionId: string | null;
    }
  | { readonly outcome: 'lane_died'; readonly detail: string; readonly usage: Usage | null };

/** The program's own exit; both null when it was ended by us, which is not its doing (L-O3). */
export interface ProgramExit {
  readonly exit: number | null;
  readonly signal: string | null;
}

/** What the program is to be told, and what it told. */
export interface Said {
  readonly write: readonly string[];
  readonly events: readonly LaneEvent[];
}

/**
 * One conversation with one program, without any input or output of its own: lines go in, lines and
 * events come out. It keeps what it must remember within bounds, and never throws for what the
 * program says.
 */
export interface Talk {
  /** Stdin stays open for it until the turn is over; else it is closed after `Launch.stdin`. */
  readonly isOpen: boolean;
  /** The lines of its stdout are messages to this talk, and no words for people. */
  readonly isProtocol?: boolean;
  /** How it is learnt what became of the prompt; absent: `given`. */
  readonly prompt?: PromptWay;
  /** Once, when the program runs. */
  begin(): Said;
  /** A line of its stdout, without its end. */
  line(text: string): Said;
  /** Its screen, several times a second, where it runs in a terminal: in place of lines. */
  look?(screen: ScreenLook): Said;
  /** An answer to a `permission` event. */
  decide(request: string, decision: 'allow' | 'deny'): Said;
  /** The turn is to end before its time. */
  cancel(): Said;
  /** Its turn is over since it may not go on: no time is left to it. Absent: never. */
  isCalledOff?(): boolean;
  /**
   * Whether the program has written down the turn that it said is over, so that a next one can go
   * on with it. Asked many times a second while its stdin is open. Absent: it had by then.
   */
  isRecorded?(): boolean;
  /** Once, when the program is gone. `resultFile`: what it left as {@link TurnFiles}'s result. */
  end(exit: ProgramExit, resultFile: string | null): TurnEnd;
}

export interface Adapter {
  readonly name: string;
  /** Of the adapter, not of the program. */
  readonly version: string;
  /** Pure. @throws RequestError naming what is missing, or the field of a bad template. */
  launch(setting: TurnSetting): Launch;
}

export const saidNothing: Said = { write: [], events: [] };
