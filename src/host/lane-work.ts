/** What every step of a lane host's work on one execution has at hand. */
import type { Role } from '../domain/definition/definition.ts';
import type { FailureClass, JobResult, ProofStrength, Usage } from '../domain/execution/state.ts';
import type { Commit, Digest } from '../domain/ids.ts';
import { ProductError } from '../kernel/errors.ts';
import type { Refusals } from '../kernel/refusals.ts';
import { clip } from '../kernel/text.ts';
import type { Adapter } from '../ports/agent.ts';
import type { Artifacts } from '../ports/artifacts.ts';
import type { Checks } from '../ports/checks.ts';
import type { Clock } from '../ports/clock.ts';
import type { FaultPoints } from '../ports/fault-points.ts';
import type { Ids } from '../ports/ids.ts';
import type { Judges } from '../ports/judge.ts';
import type { OpenLaneModelsDoor } from '../ports/models-door.ts';
import type { Dispatch, Granted, Plane } from '../ports/plane.ts';
import type { Processes } from '../ports/processes.ts';
import type { Workspace } from '../ports/workspace.ts';
import type { Journal } from './journal.ts';
import type { LaneDoor } from './lane-door.ts';
import type { LaneSignals } from './lane-signals.ts';
import type { Lease } from './lease.ts';
import type { Nudges } from './nudges.ts';
import type { PermissionDesk } from './permission-desk.ts';
import { redactText } from './redact.ts';
import type { Spool } from './spool.ts';
import type { TerminalRunner } from './terminal/runner-line.ts';
import type { TurnSpans } from './turn.ts';

export interface LaneHostOptions {
  readonly plane: Plane;
  readonly workspace: Workspace;
  readonly checks: Pick<Checks, 'furnish' | 'attestFiles' | 'attestedFiles'>;
  readonly processes: Processes;
  readonly artifacts: Artifacts;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly judges: Judges;
  readonly judgeTree: JudgeTree;
  /** Opens a models door for a role whose definition asks for one. */
  readonly modelsDoor?: OpenLaneModelsDoor;
  /** @throws RequestError `agent_missing`. */
  readonly adapter: (role: Role) => Adapter;
  /** How a program is put into a terminal; absent: this host has none. */
  readonly terminalRunner?: TerminalRunner;
  /** Folder of all spools. */
  readonly spoolDirectory: string;
  /** Folder of the agents' own homes, one a run and role. */
  readonly homesDirectory: string;
  /** Name of this machine in holders. */
  readonly worker: string;
  /** The host's own environment; only allow-listed names of it reach the agent. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Set on a machine that works for another. */
  readonly remote?: RemoteMeans;
  /** Called once a result was handed in: somebody must go on with the run. */
  readonly ensureDriver: () => Promise<void>;
  /** Processes that have the tree open, one line each; default: what /proc says. */
  readonly holders?: (directory: string) => readonly string[];
  readonly faults?: FaultPoints;
  readonly log?: (line: string) => void;
  readonly spans?: Partial<TurnSpans>;
}

/** What a machine that has neither the store nor the repository does otherwise. */
export interface RemoteMeans {
  /** Brings the source of the dispatch here, where it is not; called under the lease. */
  readonly bring: (dispatch: Dispatch) => Promise<void>;
  /** Values of the references, asked of where they are kept. @throws WorldError */
  readonly credentials: (
    granted: Granted,
    references: Readonly<Record<string, string>>,
  ) => Promise<Readonly<Record<string, string>>>;
}

/** A clean tree at exactly the commit, for a judging lane alone; never one that checks run in. */
export type JudgeTree = (request: {
  readonly dispatch: Dispatch;
  readonly commit: Commit;
  readonly signal: AbortSignal;
}) => Promise<{ readonly directory: string; remove(): Promise<void> }>;

export interface LaneWork {
  readonly options: LaneHostOptions;
  readonly spool: Spool;
  readonly grant: Granted;
  readonly dispatch: Dispatch;
  /** On the monotonic clock; the deadline of the execution counts from here. */
  readonly claimedAtMs: number;
  readonly lease: Lease;
  /** Aborts when the work is no longer wanted, or when the host itself was told to end. */
  readonly signal: AbortSignal;
  readonly journal: Journal;
  readonly signals: LaneSignals;
  readonly secrets: Readonly<Record<string, string>>;
  readonly door: LaneDoor;
  /** Where what its lane asks leave for waits for a human. */
  readonly desk: PermissionDesk;
  /** What is said to its lane when nothing moves. */
  readonly nudges: Nudges;
  readonly program: {
    /** When it has told it. */
    version: string | null;
    /** What it asked leave for and did not get, in all turns of this execution; null: nothing. */
    refused: Refusals | null;
  };
  /** What the program told of its usage so far; it counts where nothing is metered. */
  readonly selfReported: {
    usage: Usage | null;
    /** Of the turns of this execution that are over. */
    before: Usage | null;
  };
}

/** What the steps came to: a result to seal, or a stop that has no result. */
export type Outcome =
  | { readonly how: 'result'; readonly result: JobResult }
  | { readonly how: 'stopped'; readonly proof: ProofStrength };

export interface Failure {
  readonly class: FailureClass;
  readonly detail: string;
  readonly proof?: ProofStrength;
  readonly commit?: Commit | null;
  readonly usage?: Usage | null;
  readonly text?: Digest | null;
  readonly cleanExit?: true;
}

/** Without a proof nothing of a lane ever ran, which is as certain as the kernel's word. */
export function failed(failure: Failure): Outcome {
  return {
    how: 'result',
    result: {
      kind: 'failed',
      class: failure.class,
      detail: clip(failure.detail, 500),
      proof: failure.proof ?? 'kernel',
      commit: failure.commit ?? null,
      usage: failure.usage ?? null,
      text: failure.text ?? null,
      ...(failure.cleanExit === undefined ? {} : { cleanExit: failure.cleanExit }),
    },
  };
}

/** One line for people, without secrets. */
export function told(error: unknown, secrets: Readonly<Record<string, string>> = {}): string {
  const found = error instanceof ProductError ? (error.details.found ?? null) : null;
  const message = error instanceof Error ? error.message : String(error);
  const isSaid = found === null || message.includes(found);
  return redactText(isSaid ? message : `${message} (${found})`, secrets);
}

export function reached(work: Pick<LaneWork, 'options'>, point: string): void {
  work.options.faults?.reached(`host.${point}`);
}

export const noUsage: Usage = {
  costUsd: null,
  source: 'none',
  tokensIn: 0,
  tokensOut: 0,
  cacheRead: 0,
  cacheWrite: 0,
};
