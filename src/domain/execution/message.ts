/**
 * Commands, events and rejections of an execution. Time, ids and grants come in with the command.
 */
import type { PermissionAsk } from '../approval/permission.ts';
import type { Digest, ExecutionId, Fence, GrantId, Instant } from '../ids.ts';
import type { LastSigns } from '../recovery/signs.ts';
import type {
  Execution,
  FailureClass,
  Grant,
  Holder,
  Job,
  JobResult,
  PermissionAnswer,
  ProofStrength,
  Usage,
} from './state.ts';

export type ExecutionCommand =
  | {
      readonly type: 'dispatch';
      readonly id: ExecutionId;
      readonly n: number;
      readonly job: Job;
      readonly at: Instant;
    }
  | {
      readonly type: 'claim';
      readonly grantId: GrantId;
      readonly nonce: string;
      readonly fence: Fence;
      readonly holder: Holder;
      /** Of the holder's worker; absent: none. */
      readonly labels?: readonly string[];
      readonly at: Instant;
    }
  | {
      readonly type: 'start';
      readonly grantId: GrantId;
      readonly rung: string;
      readonly pid: number;
      readonly at: Instant;
    }
  | {
      readonly type: 'checkpoint';
      readonly grantId: GrantId;
      readonly body: Digest;
      readonly at: Instant;
    }
  | {
      readonly type: 'result';
      readonly grantId: GrantId;
      readonly seal: Digest;
      readonly result: JobResult;
      /** The signed statement of it; absent: its host made none. */
      readonly attestation?: Digest;
      /** Of its last beat. */
      readonly signs?: LastSigns;
      readonly at: Instant;
    }
  | { readonly type: 'request_cancel'; readonly at: Instant }
  /** Its lane asks for leave, and waits. */
  | {
      readonly type: 'ask';
      readonly grantId: GrantId;
      readonly ask: PermissionAsk;
      readonly at: Instant;
    }
  /** What the run says to that; never the holder's to say. */
  | { readonly type: 'answer'; readonly answer: PermissionAnswer; readonly at: Instant }
  /** It does nothing: its holder is to give it a push. `n` is the number of this one. */
  | {
      readonly type: 'nudge';
      readonly n: number;
      readonly detail: string;
      readonly at: Instant;
    }
  | {
      readonly type: 'cancel_ack';
      readonly grantId: GrantId;
      readonly proof: ProofStrength;
      /** What its last beat reported. */
      readonly usage?: Usage;
      readonly at: Instant;
    }
  /** The sweep: the holder is gone (proven or not); leads to RECOVERING, then to a failed end. */
  | {
      readonly type: 'lose';
      readonly class: FailureClass;
      readonly proof: ProofStrength;
      readonly detail: string;
      /** What its last beat reported. */
      readonly usage?: Usage;
      readonly signs?: LastSigns;
      readonly at: Instant;
    }
  /** An execution that nobody claimed is taken back: pause, cancel, dispatch failed. */
  | { readonly type: 'withdraw'; readonly reason: string; readonly at: Instant }
  /** The late seal of the execution that this one replaces (X7). */
  | {
      readonly type: 'adopt';
      readonly from: Execution;
      readonly grantId: GrantId;
      readonly seal: Digest;
      readonly result: JobResult;
      /** The signed statement of it; absent: its host made none. */
      readonly attestation?: Digest;
      readonly at: Instant;
    }
  | { readonly type: 'reconcile'; readonly happened: boolean; readonly at: Instant };

export type ExecutionEvent =
  | {
      readonly type: 'execution.dispatched';
      readonly id: ExecutionId;
      readonly n: number;
      readonly job: Job;
      readonly at: Instant;
    }
  | { readonly type: 'execution.leased'; readonly id: ExecutionId; readonly grant: Grant }
  | {
      readonly type: 'execution.started';
      readonly id: ExecutionId;
      readonly rung: string;
      readonly pid: number;
    }
  | { readonly type: 'execution.checkpointed'; readonly id: ExecutionId; readonly body: Digest }
  | { readonly type: 'execution.cancel_requested'; readonly id: ExecutionId }
  | { readonly type: 'execution.asked'; readonly id: ExecutionId; readonly ask: PermissionAsk }
  | {
      readonly type: 'execution.answered';
      readonly id: ExecutionId;
      readonly answer: PermissionAnswer;
    }
  | {
      readonly type: 'execution.nudged';
      readonly id: ExecutionId;
      readonly n: number;
      readonly detail: string;
    }
  | { readonly type: 'execution.recovering'; readonly id: ExecutionId; readonly detail: string }
  | {
      readonly type: 'execution.succeeded';
      readonly id: ExecutionId;
      readonly seal: Digest;
      readonly result: JobResult;
      /** The signed statement of it; absent: its host made none. */
      readonly attestation?: Digest;
      /** Nobody claimed it: this is the late seal of the one that it replaces. */
      readonly adopted?: ExecutionId;
    }
  | {
      readonly type: 'execution.failed';
      readonly id: ExecutionId;
      readonly class: FailureClass;
      readonly proof: ProofStrength;
      readonly detail: string;
      readonly seal: Digest | null;
      readonly result: JobResult | null;
      readonly attestation?: Digest;
      /** Of a lost one: what its last beat reported. */
      readonly usage?: Usage;
      /** What its lane was last seen to do; absent: it is not known. */
      readonly signs?: LastSigns;
    }
  | {
      readonly type: 'execution.exhausted';
      readonly id: ExecutionId;
      readonly class: FailureClass;
      readonly proof: ProofStrength;
      readonly detail: string;
      readonly seal: Digest | null;
      readonly result: JobResult | null;
      readonly attestation?: Digest;
      /** Of a lost one: what its last beat reported. */
      readonly usage?: Usage;
      /** What its lane was last seen to do; absent: it is not known. */
      readonly signs?: LastSigns;
    }
  | {
      readonly type: 'execution.cancelled';
      readonly id: ExecutionId;
      readonly proof: ProofStrength;
      readonly usage?: Usage;
    }
  | {
      readonly type: 'execution.unknown';
      readonly id: ExecutionId;
      readonly detail: string;
      readonly usage?: Usage;
      readonly signs?: LastSigns;
    }
  | { readonly type: 'execution.reconciled'; readonly id: ExecutionId; readonly happened: boolean };

export type ExecutionRejection =
  | { readonly code: 'execution.not_open'; readonly status: string }
  | { readonly code: 'execution.taken'; readonly status: string }
  /** It needs other labels, is for another worker, or judges what this one made. */
  | { readonly code: 'worker.unfit' }
  | { readonly code: 'grant.stale'; readonly presented: GrantId }
  | { readonly code: 'seal.conflict'; readonly accepted: Digest }
  | { readonly code: 'execution.unknown_outcome' }
  /** Not a refusal of meaning: the exact event was accepted before, and is acknowledged again. */
  | { readonly code: 'already.accepted' };
