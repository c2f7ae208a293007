/**
 * Which signals an installed agent really gives (UX 5.4): seen in one canned exchange with a
 * scripted model server on loopback, which costs nothing. What was not seen is `unknown`.
 */
import type { CancelSignal } from '../kernel/cancel-signal.ts';

type Seen = 'yes' | 'no' | 'unknown';

export interface AgentSignals {
  /** It tells which tools it runs, and when they end. */
  readonly tools: Seen;
  /** It lists the tools of a server that it is given. */
  readonly servers: Seen;
  /** What it tells of its tokens: all of them, some of them. */
  readonly usage: 'total' | 'partial' | 'none' | 'unknown';
  /** The models door counts what it spends. */
  readonly metered: Seen;
  /** A limit with a reset is told by itself, or seen by the models door alone. */
  readonly limits: 'yes' | 'door' | 'no' | 'unknown';
  /** A second turn goes on with its own session. */
  readonly resume: Seen;
  /** How many processes of a tool outlive a cancel. */
  readonly cancel: number | 'unknown';
}

export interface Probed {
  readonly agent: string;
  /** Of the program; null: it does not say. */
  readonly version: string | null;
  /** Unix milliseconds. */
  readonly at: number;
  /** False: it did not end a plain turn, and nothing else can be believed. */
  readonly ok: boolean;
  /** Why not, and what was not seen; one sentence each. */
  readonly problems: readonly string[];
  readonly signals: AgentSignals;
}

export interface ProbeRequest {
  readonly agent: string;
  /** As detection found it. */
  readonly version: string | null;
  readonly signal: CancelSignal;
  /** Told as each part begins: `claude: a limit`. */
  readonly progress: (line: string) => void;
}

export interface AgentProbe {
  /**
   * Tries the agent and keeps the result. Never throws for what the agent does. Everything that
   * was started is ended, and nothing temporary stays, whatever comes.
   */
  probe(request: ProbeRequest): Promise<Probed>;
  /** The kept result of the last probe; null: none, or none that can be read. */
  last(agent: string): Promise<Probed | null>;
}

export const nothingSeen: AgentSignals = {
  tools: 'unknown',
  servers: 'unknown',
  usage: 'unknown',
  metered: 'unknown',
  limits: 'unknown',
  resume: 'unknown',
  cancel: 'unknown',
};
