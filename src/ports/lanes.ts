/**
 * The driver's hold on the processes of this machine: it starts hosts, looks at executions whose
 * host it did not start, and ends what a dead host left behind (design/lane-host.md 1, 12–15).
 * Everything here is idempotent: a sweep may call it at any time and again.
 */
import type { FailureClass, Holder, JobResult, Usage } from '../domain/execution/state.ts';
import type { Digest, ExecutionId, GrantId } from '../domain/ids.ts';
import type { Proof } from './processes.ts';
import type { ExecutionRow, OpenExecution } from './store.ts';

export interface Lanes {
  /** Nothing is started here: workers on other machines take what is to be done. */
  readonly elsewhere?: true;
  /** Whether this machine has what is named as a capability of workers is; absent: it has all. */
  readonly has?: (capability: string) => Promise<boolean>;
  /**
   * Spawns a detached lane host for an `execute` or `judge` row; two hosts for one row end as one.
   */
  start(execution: ExecutionRow): Promise<void>;
  /**
   * Makes sure that the check host lives: it pulls `prepare` and `verify` rows by itself (those are
   * never offered). `holder` is who holds the seat `checks`; a living one makes this a no-op,
   * unless it `isSilent`: its beat has stood still for a whole ttl. Such a one is ended first.
   */
  ensureCheckHost(holder: Holder | null, isSilent: boolean): Promise<void>;
  /** What can be said about the holder of a leased execution. Ends nothing, changes nothing. */
  look(open: OpenExecution): Promise<LaneSighting>;
  /**
   * What a host of this machine that is gone has sealed, whether its execution is open or not;
   * null: nothing that lies here.
   */
  sealLeft(execution: ExecutionId): Promise<SealLeft | null>;
  /**
   * Ends a host that is dead or silent together with its tree, and says how well that is proven.
   */
  end(open: Pick<OpenExecution, 'id' | 'lease'>): Promise<Proof>;
  /**
   * Keeps what a cancelled run had not recorded in its tree on this machine under a ref of its own,
   * as its lane host would have; absent, or no tree here: nothing is kept.
   */
  keepLeft?(executions: readonly ExecutionId[]): Promise<void>;
  /**
   * Deletes spools; only to be called for runs that have ended and whose artifacts are referenced.
   */
  forget(executions: readonly ExecutionId[]): Promise<void>;
}

/**
 * The last beat of a host of an earlier program, which a store that was migrated since does not
 * take: it left it in its spool. It works on, seals into its spool and leaves (design/store.md,
 * "Format").
 */
export interface CutBeat {
  readonly grantId: GrantId;
  readonly beat: number;
  /** JSON, at most 1 KB. */
  readonly signals: string;
  readonly usage: Usage | null;
}

export interface SealLeft {
  readonly grantId: GrantId;
  readonly seal: Digest;
  readonly result: JobResult;
}

export type LaneSighting =
  /** Adopted: nothing to do but to beat for it when it is cut off. */
  | { readonly state: 'alive'; readonly cut?: CutBeat }
  /** The process lives but its beat stood still for two looks or more on our monotonic clock. */
  | { readonly state: 'silent'; readonly forMs: number; readonly cut?: CutBeat }
  /** The host is gone and left a sealed result: submit it with this grant. */
  | ({ readonly state: 'sealed' } & SealLeft)
  /** The host is gone without a seal: call `end`, then lose the execution with this class. */
  | {
      readonly state: 'dead';
      readonly class: FailureClass;
      readonly detail: string;
      /** What the agent can be resumed by, when it told one. */
      readonly sessionId: string | null;
    }
  /**
   * The holder is on another machine: only its lease can end it. `forMs`: how long its beat has
   * stood still on our monotonic clock, in two looks or more; 0: it beats, as far as was seen.
   */
  | { readonly state: 'elsewhere'; readonly forMs: number }
  /** Neither a lease nor a spool says who holds it, so nobody can say what became of it. */
  | { readonly state: 'untraced' };
