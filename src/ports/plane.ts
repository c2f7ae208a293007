/**
 * The lane host's and the check host's whole view of the engine (DESIGN §6). In-process it is the
 * engine; remote it is HTTP with closed schemas. A timeout of a call is not a refusal; a
 * refusal is final.
 */
import type { PermissionAsk } from '../domain/approval/permission.ts';
import type { Definition } from '../domain/definition/definition.ts';
import type { Holder, Job, JobResult, ProofStrength, Usage } from '../domain/execution/state.ts';
import type { Commit, Digest, ExecutionId, GrantId, Instant, RunId } from '../domain/ids.ts';
import type { RunFacts } from '../domain/run/state.ts';
import type { HeartbeatAnswer } from './store.ts';

export interface Plane {
  /** DISPATCHED → LEASED by compare-and-set; the same nonce again gets the same answer. */
  claim(request: ClaimRequest): Promise<ClaimAnswer>;
  start(message: Granted & { readonly rung: string; readonly pid: number }): Promise<PlaneAnswer>;
  heartbeat(
    message: Granted & {
      readonly beat: number;
      readonly signals: string;
      readonly usage: Usage | null;
    },
  ): Promise<HeartbeatAnswer>;
  /**
   * Its lane waits for leave. What a human or an earlier yes says comes with a beat, and again with
   * each one after it. The same request again is the same question.
   */
  ask(message: Granted & { readonly ask: PermissionAsk }): Promise<PlaneAnswer>;
  checkpoint(message: Granted & { readonly body: Digest }): Promise<PlaneAnswer>;
  /** The same seal again gets the same acknowledgement; another seal is a conflict. */
  result(
    message: Granted & {
      readonly seal: Digest;
      readonly result: JobResult;
      /** The signed statement of it (ports/seals.ts); absent: there is none. */
      readonly attestation?: Digest;
    },
  ): Promise<PlaneAnswer>;
  cancelAck(message: Granted & { readonly proof: ProofStrength }): Promise<PlaneAnswer>;
}

/** Longest that a reference to a secret is resolved, a command run for it. */
export const secretMsMax = 30_000;

export interface Granted {
  readonly execution: ExecutionId;
  readonly grantId: GrantId;
}
export interface ClaimRequest {
  readonly execution: ExecutionId;
  readonly holder: Holder;
  readonly nonce: string;
  /**
   * How many executions the holder's worker may hold at once, this one with them; counted where the
   * lease is written, whichever server it asks. Absent: any number.
   */
  readonly slots?: number;
  /** Of the holder's worker, as its server knows them; absent: it has none. */
  readonly labels?: readonly string[];
}
export type ClaimAnswer =
  | {
      readonly ok: true;
      readonly grantId: GrantId;
      readonly fence: number;
      readonly ttlMs: number;
      readonly dispatch: Dispatch;
    }
  | { readonly ok: false; readonly reason: string };
export type PlaneAnswer = { readonly ok: true } | { readonly ok: false; readonly reason: string };

/** What does the work of an execution. */
export interface Implementation {
  readonly profile: string;
  /** The adapter of the agent; `checks` where the runtime itself runs them. */
  readonly adapter: string;
  /** Of the program that has the adapter; null: nobody told. */
  readonly version: string | null;
}

/** Which source exactly (XP-6); where it is had from is asked for with the source itself. */
export interface SourceIdentity {
  readonly isolation: 'worktree' | 'none';
  /** What the run was cut from; null without git. */
  readonly base: Commit | null;
}

/** What makes a dispatch this one and no other, and what it may ask for (XP-6, XP-7). */
export interface DispatchIdentity {
  /** Of this execution alone; the same however often its claim is answered. */
  readonly dispatchId: string;
  /**
   * For whoever outside must know a repeated message; never that of another execution, so that an
   * unproven effect is not taken for this one's (XP-24).
   */
  readonly idempotencyKey: string;
  readonly implementation: Implementation;
  readonly source: SourceIdentity;
  /** The four fields of provenance, apart: what a human said is never mixed with what was added. */
  readonly intent: {
    readonly originalHumanIntent: string;
    readonly inferredGoal: string | null;
    readonly addedContext: readonly string[];
    readonly verificationPlan: string;
  };
  /** The whole instruction of a lane's turn; null: the criteria are what is asked. */
  readonly instruction: { readonly digest: Digest; readonly bytes: number } | null;
  /** What whoever takes it must be able to do: `role:execute`, `agent:claude`, `git`. */
  readonly capabilities: readonly string[];
  /** Names of the secrets that this execution may ask for. */
  readonly credentials: readonly string[];
}

/** Everything that a host needs for one execution (XP-6). */
export interface Dispatch extends DispatchIdentity {
  readonly run: RunId;
  readonly runName: string;
  readonly execution: ExecutionId;
  readonly n: number;
  readonly job: Job;
  readonly definition: Definition;
  readonly definitionDigest: Digest;
  /** Compacted history for the next attempt; '' before the first (EV-43). */
  readonly history: string;
  /** The whole instruction of this turn, for a lane. */
  readonly prompt: string;
  readonly hints: readonly string[];
  readonly sessionId: string | null;
  /** Absolute monotone budget of this execution in milliseconds. */
  readonly deadlineMs: number;
  /** What is left of the budget for calls of models; absent: of a time before there was a door. */
  readonly budget?: { readonly costUsd: number | null; readonly tokens: number | null };
  /** Paths that a human allowed to differ (`resume --allow`). */
  readonly allowedPaths: readonly string[];
  readonly restore: boolean;
  /** Criteria indices of this verification step, for a verify or judge job. */
  readonly criteria: readonly number[];
  /** A judge: what the newest turn left to be looked at; absent: nothing is to be left. */
  readonly attested?: NonNullable<RunFacts['attested']>;
  readonly dispatchedAt: Instant;
}
