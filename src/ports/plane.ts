/**
 * The lane host's and the check host's whole view of the engine (DESIGN §6). In-process it is the
 * engine; remote it will be HTTP with the same schemas. A timeout of a call is not a refusal; a
 * refusal is final.
 */
import type { PermissionAsk } from '../domain/approval/permission.ts';
import type { Definition } from '../domain/definition/definition.ts';
import type { Holder, Job, JobResult, ProofStrength, Usage } from '../domain/execution/state.ts';
import type { Digest, ExecutionId, GrantId, Instant, RunId } from '../domain/ids.ts';
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
    message: Granted & { readonly seal: Digest; readonly result: JobResult },
  ): Promise<PlaneAnswer>;
  cancelAck(message: Granted & { readonly proof: ProofStrength }): Promise<PlaneAnswer>;
}

export interface Granted {
  readonly execution: ExecutionId;
  readonly grantId: GrantId;
}
export interface ClaimRequest {
  readonly execution: ExecutionId;
  readonly holder: Holder;
  readonly nonce: string;
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

/** Everything that a host needs for one execution (XP-6). */
export interface Dispatch {
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
