import type { Brand } from '../kernel/brand.ts';

/** Random, lower-case base32, 12 characters; never used again. */
export type RunId = Brand<string, 'RunId'>;
/** `<run>.<n>` with n counting the executions of the run from 1; never used again. */
export type ExecutionId = Brand<string, 'ExecutionId'>;
/** `<run>.a<n>`. */
export type ApprovalId = Brand<string, 'ApprovalId'>;
/** Milliseconds since the epoch, as the store's clock reads it. Used for timers and for people. */
export type Instant = Brand<number, 'Instant'>;
/** 128 random bits in hex; compared for equality only. */
export type GrantId = Brand<string, 'GrantId'>;
/** Grows by one with each grant of an execution's run; for display and outside resources. */
export type Fence = Brand<number, 'Fence'>;
/** `sha256:<64 hex>` of the bytes. */
export type Digest = Brand<string, 'Digest'>;
/** A full git object id of a commit. */
export type Commit = Brand<string, 'Commit'>;

export const executionId = (run: RunId, n: number): ExecutionId => `${run}.${n}` as ExecutionId;

/** The first `count` of a run: all that it has had, told from its counter alone. */
export const executionIds = (run: RunId, count: number): readonly ExecutionId[] =>
  Array.from({ length: count }, (_, index) => executionId(run, index + 1));
export const approvalId = (run: RunId, n: number): ApprovalId => `${run}.a${n}` as ApprovalId;
export const after = (at: Instant, ms: number): Instant => (at + ms) as Instant;
