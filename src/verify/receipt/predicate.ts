/**
 * What a receipt states: an in-toto Statement v1 whose subject is the judged commit and whose
 * predicate is everything a stranger needs to judge the judgement, or to repeat it. Read back by a
 * strict schema: a receipt comes from outside.
 */
import { z } from 'zod';
import { verdictOutcomes } from '../../kernel/verdict-outcomes.ts';
import { payloadType, statementType } from './statement-names.ts';

export { payloadType, statementType };

export const receiptType = 'https://pawl.dev/receipt/v1';

const count = z.number().int().nonnegative().nullable();
const counts = z.object({ passed: count, failed: count, skipped: count }).nullable();
const outcome = z.enum(verdictOutcomes);

const criterion = z.object({
  index: z.number().int().nonnegative(),
  kind: z.string(),
  what: z.string(),
  /** For people: `npm test · exit 0 · 120 passed, 0 failed (baseline 118, 2 failed) · 13.8s`. */
  line: z.string(),
  /** The criterion as it was defined, so that it can be run again. */
  definition: z.record(z.string(), z.unknown()),
  outcome,
  score: z.number().nullable(),
  exit: z.number().int().nullable(),
  counts,
  baseline: counts,
  durationMs: z.number().nonnegative(),
  executions: z.number().int().nonnegative(),
  flaky: z.boolean(),
  reasons: z.array(z.string()),
  output: z.string().nullable(),
  excerpt: z.string(),
  containment: z.object({ rung: z.string(), proof: z.string() }).nullable(),
  /** Who looked, where a human judged; absent: nobody did. */
  human: z
    .object({ actor: z.string(), channel: z.string(), at: z.string(), approval: z.string() })
    .optional(),
});

const commitAndTree = z.object({ commit: z.string(), tree: z.string() });

export const predicateSchema = z.object({
  about: z.enum(['baseline', 'verification', 'judgement']),
  run: z.string(),
  execution: z.string(),
  at: z.string(),
  project: z.object({ name: z.string(), cwd: z.string() }),
  outcome,
  summary: z.string(),
  verifier: z.object({
    identity: z.string(),
    keyId: z.string(),
    platform: z.string(),
    /** The machine that verified, where it works for another; absent: the installation's own. */
    worker: z.string().optional(),
  }),
  isolation: z.enum(['worktree', 'none']),
  /** `clean`: a tree of the runtime's own; `shared`: others could write there; `none`: no tree. */
  tree: z.enum(['clean', 'shared', 'none']),
  base: commitAndTree.nullable(),
  work: commitAndTree.nullable(),
  sameTreeAsBase: z.boolean().nullable(),
  environment: z.object({
    setup: z.string().nullable(),
    key: z.string().nullable(),
    /** Of the base commit: another one means that lock or manifest files changed. */
    baseKey: z.string().nullable(),
    how: z.string(),
    tools: z.array(z.string()),
    paths: z.array(z.string()),
    /** Tracked files that setup changed and that were put back before the checks. */
    putBack: z.array(z.string()).optional(),
    rebuilt: z.array(z.array(z.string())),
  }),
  /** Submodules that were empty where the checks ran, with why. */
  emptySubmodules: z.array(z.string()).optional(),
  protected: z
    .object({
      patterns: z.array(z.string()),
      digest: z.string(),
      files: z.number(),
      changed: z.array(
        z.object({ path: z.string(), base: z.string().nullable(), now: z.string().nullable() }),
      ),
      changedMore: z.number(),
      restored: z.array(z.string()),
    })
    .nullable(),
  /** What the checks are made of and the work changed. */
  checkSource: z.array(
    z.object({
      what: z.string(),
      before: z.string().nullable(),
      after: z.string().nullable(),
      /** The check runs it; else it only names it. */
      isRun: z.boolean(),
    }),
  ),
  baseline: z.enum(['red', 'green', 'unrunnable', 'not run', 'unknown']),
  criteria: z.array(criterion),
  /** Indices that were not reached, since an earlier criterion had not passed. */
  notRun: z.array(z.number()),
  /** The part of the definition that a repetition needs. */
  recipe: z.object({
    setup: z.object({ command: z.string(), timeoutMs: z.number() }).nullable(),
    submodules: z.enum(['auto', 'on', 'off']),
    envAllow: z.array(z.string()),
    envSet: z.record(z.string(), z.string()),
    copy: z.array(z.string()),
    protected: z.array(z.string()),
    allowNoChange: z.boolean(),
  }),
});

export const statementSchema = z.object({
  _type: z.literal(statementType),
  subject: z
    .array(z.object({ name: z.string(), digest: z.record(z.string(), z.string()) }))
    .nonempty(),
  predicateType: z.literal(receiptType),
  predicate: predicateSchema,
});

export const envelopeSchema = z.object({
  payloadType: z.string(),
  payload: z.string(),
  signatures: z.array(z.object({ keyid: z.string(), sig: z.string() })).nonempty(),
});

export type Predicate = z.infer<typeof predicateSchema>;
export type Statement = z.infer<typeof statementSchema>;
