/**
 * How the suite runs a turn: a port, since what really runs one (host, containment, models door) is
 * not the suite's. Everything in {@link SeenTurn} was seen from outside, and nothing is told by the
 * agent but its events.
 */
import type { JobResult } from '../../domain/execution/state.ts';
import type { Seed, ToolServer, TurnEnd } from '../../ports/agent.ts';
import type { LaneEvent } from '../../ports/lane-event.ts';

export interface AgentLanes {
  /** What the agent must leave alone: a home, empty at first; and secrets of shell and door. */
  readonly operator: { readonly home: string; readonly secrets: readonly string[] };
  /** What the program itself says its version is, asked apart from any turn; null: nothing. */
  version(): Promise<string | null>;
  /** A work tree and a home of the agent that its turns share. */
  conversation(): Promise<Conversation>;
}

export interface Conversation {
  readonly tree: string;
  /** Of the agent, outside of the tree. */
  readonly home: string;
  /** Settles when the host is done with the turn. @throws when no turn could be tried. */
  turn(request: TurnRequest): Promise<SeenTurn>;
}

export interface TurnRequest {
  /** Address of the scripted model server. */
  readonly models: string;
  readonly prompt: string;
  readonly sessionId: string | null;
  readonly servers: readonly ToolServer[];
  readonly deadlineMs: number;
  /** Something came from the program: an event, or bytes of its output. */
  readonly onSign: (sign: LaneEvent | 'bytes') => void;
  /** When it settles the turn is cancelled by its run, or the program is killed. */
  readonly interrupt?: Promise<'cancel' | 'kill'>;
}

export interface SeenTurn {
  /** What was sealed and handed in; null: nothing. */
  readonly result: JobResult | null;
  /** How the host ended the execution. */
  readonly exit: string;
  /** What the adapter made of the turn; null when it was not asked. */
  readonly end: TurnEnd | null;
  /** Null: nothing was started. */
  readonly started: StartedProgram | null;
  /** Processes of the turn that lived when the host was done, a line each. */
  readonly alive: readonly string[];
  /** Names that were asked for past the door; null: this machine cannot tell. */
  readonly asked: readonly string[] | null;
}

export interface StartedProgram {
  readonly argv: readonly string[];
  /** All of its environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly seeds: readonly Seed[];
}
