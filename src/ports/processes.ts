/** Process trees: spawned contained, ended with proof (research/containment.md). */
import type { Holder, ProofStrength } from '../domain/execution/state.ts';
import type { CancelSignal } from '../kernel/cancel-signal.ts';

export interface Processes {
  /** Who we are: boot id, pid and start time of this process. */
  self(worker: string): Holder;
  /** Whether that process lives: the same boot, pid and start time. */
  lives(holder: Holder): boolean;
  /** Spawns inside the best rung that this machine offers; recorded before it resolves. */
  spawn(spec: ProcessSpec): Promise<ContainedProcess>;
  /** Ends what is left of a tree whose host died, from the record in the spool, and proves it. */
  endRecorded(record: ContainmentRecord, workTree: string | null): Promise<Proof>;
  /** Starts a program of ours in a session of its own that outlives us; returns its pid. */
  spawnDetached(spec: DetachedSpec): Promise<number>;
}

export interface ProcessSpec {
  readonly argv: readonly string[];
  /** What must be on the PATH of `env`; absent: the first word of `argv`. */
  readonly program?: string;
  readonly cwd: string;
  /** The whole environment; nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  /** Written to stdin, then closed; null: closed at once. */
  readonly stdin: string | Uint8Array | null;
  /** Stdin stays open after that, for {@link ContainedProcess.write}. */
  readonly keepsInput?: boolean;
  /** The marker in the environment of everything in the tree. */
  readonly execution: string;
  /** Folder of the spool, for the containment record (`containment-<pid>.json`) and the guard's. */
  readonly spool: string;
  /**
   * Scanned for processes that have it open, as the last gate of the proof; absent: not scanned.
   */
  readonly workTree?: string;
  readonly onStdout: (bytes: Uint8Array) => void;
  readonly onStderr: (bytes: Uint8Array) => void;
}
export interface DetachedSpec {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly log: string;
}
export interface ContainedProcess {
  readonly pid: number;
  readonly record: ContainmentRecord;
  /** The main process ended (its tree may live on). */
  readonly exited: Promise<{ readonly exit: number | null; readonly signal: string | null }>;
  /** To its stdin, while that was kept open; a program that reads no more is not waited for. */
  write(text: string): void;
  /** No more comes; a program may take it for its end. Idempotent. */
  closeInput(): void;
  /**
   * Asks, then forces, then proves; every step has a deadline. Idempotent. `hurry` that aborts ends
   * the grace: it is forced at once, and not asked at all when it had aborted before.
   */
  end(graceMs: number, hurry?: CancelSignal): Promise<Proof>;
}
export interface ContainmentRecord {
  readonly rung: 'pidns-unshare' | 'pidns-bwrap' | 'cgroup' | 'guard' | 'marker' | 'none';
  readonly bootId: string;
  readonly uid: number;
  readonly execution: string;
  readonly startedTicks: number;
  readonly pid: number;
  readonly pidStarted: number;
  readonly init: { readonly pid: number; readonly started: number; readonly ns: string } | null;
  readonly cgroup: string | null;
  readonly guardRecord: string | null;
  /** Where members of the tree are noted as they are seen (`pid start` lines); null: needless. */
  readonly seen?: string | null;
}
export interface Proof {
  readonly strength: ProofStrength;
  readonly rung: string;
  /** What could not be excluded, with pids. */
  readonly gaps: readonly string[];
}
