/**
 * The dispatch of an execution as it travels (XP-6, XP-7). The definition travels as the very text
 * whose digest the run was started with, and the instruction with its digest, so that a worker can
 * prove that it works on what was asked.
 */
import * as z from 'zod';
import {
  commit,
  count,
  digest,
  executionId,
  implementation,
  instant,
  job,
  limits,
  line,
  name,
  positive,
  runId,
  word,
} from './plane-words.ts';

/** The four fields of provenance stay apart (XP-7). */
const intent = z.strictObject({
  originalHumanIntent: line(limits.documentBytes),
  inferredGoal: line(limits.documentBytes).nullable(),
  addedContext: z.array(line(65_536)).max(200),
  verificationPlan: line(65_536),
});

/** Which source exactly; null without git. */
const source = z.strictObject({
  isolation: z.enum(['worktree', 'none']),
  base: commit.nullable(),
});

const attested = z.strictObject({
  statement: digest,
  attempt: positive,
  commit: commit.nullable(),
});

export const dispatch = z.strictObject({
  dispatchId: word(120),
  idempotencyKey: word(120),
  run: runId,
  runName: line(400),
  execution: executionId,
  n: positive,
  job,
  implementation,
  source,
  intent,
  instruction: z.strictObject({ digest, bytes: count.max(limits.documentBytes) }).nullable(),
  prompt: line(limits.documentBytes),
  definitionText: line(limits.documentBytes),
  definitionDigest: digest,
  history: line(262_144),
  hints: z.array(line(65_536)).max(50),
  sessionId: line(400).nullable(),
  capabilities: z.array(name).max(32),
  /** Names of the secrets that this execution may ask for; neither values nor references. */
  credentials: z.array(word(200)).max(100),
  deadlineMs: z.number().min(0),
  budget: z
    .strictObject({ costUsd: z.number().nullable(), tokens: z.number().nullable() })
    .optional(),
  allowedPaths: z.array(line(4096)).max(10_000),
  restore: z.boolean(),
  criteria: z.array(count).max(1000),
  attested: attested.optional(),
  dispatchedAt: instant,
});
export type WireDispatch = z.infer<typeof dispatch>;
