/**
 * The words that messages of the worker plane are made of (DESIGN §6). Everything is closed and
 * bounded: an unknown key is an error, and nothing is longer than what the domain would keep.
 */
import * as z from 'zod';

/** Both sides say it; another one is refused before anything else is read. */
export const planeWire = 1;

export const limits = {
  /** A message that is no artifact. */
  messageBytes: 1024 * 1024,
  /** A definition, an instruction: beside them a message has this much room. */
  documentBytes: 2 * 1024 * 1024,
  /** A signed statement as text. */
  attestation: 16_384,
  artifactBytes: 64 * 1024 * 1024,
  pollMs: 30_000,
  offers: 32,
  labels: 32,
  eventRows: 200,
  endedRuns: 64,
} as const;

export const line = (max: number) => z.string().max(max);
export const word = (max: number) => z.string().min(1).max(max);
export const count = z.int().min(0);
export const instant = z.int().min(0);
export const positive = z.int().min(1);

export const runId = z.string().regex(/^[a-z0-9-]{4,64}$/);
export const executionId = z.string().regex(/^[a-z0-9-]{4,64}\.[1-9]\d{0,9}$/);
export const grantId = word(64);
export const digest = z.string().regex(/^sha256:[0-9a-f]{64}$/);
export const commit = z.string().regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/);
export const workerId = z.string().regex(/^w-[a-z0-9]{4,40}$/);
/** 32 raw bytes of an Ed25519 public key. */
export const publicKey = z.string().regex(/^[\w-]{43}$/);
/** 64 raw bytes of an Ed25519 signature. */
export const signature = z.string().regex(/^[\w-]{86}$/);
export const token = z.string().min(1).max(8192);
export const name = z.string().regex(/^[\w.:@/+-]{1,120}$/);

export const wire = z.literal(planeWire);

export const holder = z.strictObject({
  worker: workerId,
  bootId: word(128),
  pid: positive,
  started: count,
});

export const proof = z.enum(['kernel', 'marker+tree', 'unproven']);
export const role = z.enum(['prepare', 'execute', 'verify', 'judge', 'consult']);

export const failureClass = z.enum([
  'transport_lost',
  'lane_died',
  'window_exhausted',
  'rate_limited',
  'context_overflow',
  'auth_required',
  'human_blocker',
  'invalid_result',
  'unknown_outcome',
  'dispatch_failed',
  'setup_failed',
  'workspace_lost',
  'budget_exhausted',
  'disk_full',
  'source_unavailable',
]);

export const usage = z.strictObject({
  costUsd: z.number().min(0).nullable(),
  source: z.enum(['metered', 'self-reported', 'none']),
  tokensIn: count,
  tokensOut: count,
  cacheRead: count,
  cacheWrite: count,
});

export const job = z.strictObject({
  role,
  attempt: positive,
  step: count.nullable(),
  commit: commit.nullable(),
  tree: z.enum(['same', 'new']),
  session: z.enum(['fresh', 'resume']),
  restore: z.literal(true).optional(),
  profile: name.exactOptional(),
  placement: z
    .strictObject({
      labels: z.array(name).max(64).exactOptional(),
      on: name.exactOptional(),
      not: name.exactOptional(),
      here: z.literal(true).exactOptional(),
    })
    .exactOptional(),
});

export const permissionAsk = z.strictObject({
  request: word(200),
  tool: line(200).nullable(),
  title: line(1000),
  args: line(200),
  definition: line(200),
});

export const permissionAnswer = z.strictObject({
  request: word(200),
  decision: z.enum(['allow', 'deny']),
  why: z.enum(['rejected', 'expired']).optional(),
});

/** What does the work of an execution: whose adapter, in which version (XP-6). */
export const implementation = z.strictObject({
  profile: word(120),
  adapter: word(120),
  version: line(120).nullable(),
});

/**
 * What a message is about, all of it (XP-13): the same that its token says. The grant is the
 * authority; everything else is there so that a message can be about nothing else.
 */
export const binding = z.strictObject({
  run: runId,
  dispatch: word(120),
  execution: executionId,
  job: role,
  attempt: positive,
  implementation: word(400),
  fence: count,
  grantId,
});
export type PlaneBinding = z.infer<typeof binding>;

/** As it stands in a token and in each message. */
export const implementationName = (of: z.infer<typeof implementation>): string =>
  `${of.profile}@${of.adapter}/${of.version ?? '-'}`;
