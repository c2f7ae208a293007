/** What the worker of a job hands in, as it travels; bounded as the domain bounds it. */
import * as z from 'zod';
import { refusalReasons } from '../kernel/refusals.ts';
import { verdictOutcomes } from '../kernel/verdict-outcomes.ts';
import { commit, count, digest, failureClass, instant, line, proof, usage } from './plane-words.ts';

const paths = z.array(line(1000)).max(20);

const finding = z.strictObject({
  kind: z.enum([
    'drift',
    'protected',
    'foreign_write',
    'agent_commit',
    'checkout_moved',
    'refs_changed',
    'large_untracked',
    'submodule_uncommitted',
  ]),
  paths,
  more: count,
  notes: paths.optional(),
});

const laneEnd = z.strictObject({
  exit: z.int().nullable(),
  signal: line(40).nullable(),
  rung: line(80),
  proof,
  lastLine: line(400).nullable(),
  version: line(200).optional(),
  directory: line(1000).optional(),
});

export const attestedFiles = z.strictObject({
  statement: digest,
  files: z.array(z.strictObject({ path: line(1000), sha256: line(80), bytes: count })).max(20),
  more: count,
  missing: paths,
  refused: z.array(z.strictObject({ path: line(1000), why: line(400) })).max(20),
});

const refusals = z.strictObject({
  count,
  tool: line(200).nullable(),
  call: line(400),
  why: z.enum(refusalReasons),
});

const outputs = z.array(digest).max(200);

const prepared = z.strictObject({
  kind: z.literal('prepared'),
  baseline: z.enum(['red', 'green', 'unrunnable', 'skipped']),
  setup: z.enum(['done', 'none', 'failed']),
  summary: line(1000),
  receipt: digest.nullable(),
  detail: digest.nullable(),
  outputs: outputs.optional(),
});

const executed = z.strictObject({
  kind: z.literal('executed'),
  outcome: z.enum([
    'turn_ended',
    'question',
    'blocked',
    'limit',
    'invalid_result',
    'permission_denied',
  ]),
  commit: commit.nullable(),
  equalsBase: z.boolean(),
  filesChanged: count,
  findings: z.array(finding).max(50),
  usage,
  end: laneEnd,
  text: digest.nullable(),
  problem: line(1000).optional(),
  limitUntil: instant.nullable(),
  sessionId: line(400).nullable(),
  journal: digest.nullable(),
  artifacts: attestedFiles.optional(),
  refused: refusals.optional(),
});

const verdictFacts = z.strictObject({
  outcome: z.enum(verdictOutcomes),
  summary: line(1000),
  receipt: digest.nullable(),
  commit: commit.nullable(),
  score: z.number().min(0).max(1).nullable(),
  failedTests: count.nullable(),
  passedTests: count.nullable(),
  flaky: z.boolean(),
  equalsBase: z.boolean().optional(),
  checkChanged: paths.optional(),
});

const verified = z.strictObject({
  kind: z.literal('verified'),
  verdict: digest,
  facts: verdictFacts,
  outputs: outputs.optional(),
  usage: usage.optional(),
  journal: digest.optional(),
});

const advised = z.strictObject({
  kind: z.literal('advised'),
  text: digest,
  usage: usage.optional(),
  journal: digest.optional(),
});

const failed = z.strictObject({
  kind: z.literal('failed'),
  class: failureClass,
  detail: line(1000),
  proof,
  commit: commit.nullable(),
  usage: usage.nullable(),
  text: digest.nullable(),
  cleanExit: z.literal(true).optional(),
  journal: digest.optional(),
});

export const jobResult = z.discriminatedUnion('kind', [
  prepared,
  executed,
  verified,
  advised,
  failed,
]);
