/** Words and answers that several operations share. A newer server may add keys to answers. */
import * as z from 'zod';
import { tokenVerbs } from '../../kernel/token-verbs.ts';
import type { CommitId } from '../definition.ts';

export const runWord = z
  .string()
  .regex(/^[\w.@-]{1,100}$/, 'an id of a run, a prefix of one, or a name')
  .describe('Id of a run, a prefix of it (3 characters or more), or its name.');
export const executionWord = z
  .string()
  .regex(/^[a-z2-7]{4,32}\.\d{1,9}$/, 'an id of an execution: <run>.<n>')
  .describe('Id of an execution: `<run>.<n>`.');
export const digestWord = z
  .string()
  .regex(/^sha256:[0-9a-f]{64}$/, 'sha256: and 64 hexadecimal digits')
  .describe('`sha256:` and the digest of the bytes in hexadecimal.');
export const commitWord = z
  .string()
  .regex(/^[0-9a-f]{40,64}$/, 'a commit in full')
  .transform((text) => text as CommitId);
export const note = z.string().max(100_000);

/** Where a follower goes on: the id of the last event that it got. */
/** Where machines share the store it has two parts (design/store.md, followers). */
export const placeWord = z
  .string()
  .regex(/^\d{1,20}(\.\d{1,15})?$/, 'the id of an event, as it was sent');

/** In an address every value is text. */
export const wholeText = (max: number) =>
  z
    .string()
    .regex(/^\d{1,15}$/, 'a whole number')
    .transform(Number)
    .refine((value) => value <= max, { error: `at most ${max}` });
export const flagText = z.enum(['true', 'false']).transform((word) => word === 'true');

export const statuses = [
  'active',
  'waiting_human',
  'needs_operator',
  'paused',
  'cancelling',
  'complete',
  'cancelled',
] as const;

const instant = z.number().int();
const open = z.looseObject({});

const identity = {
  id: z.string(),
  short: z.string(),
  name: z.string(),
  project: z.string(),
  goal: z.string(),
  maker: z.string(),
  status: z.string(),
  phase: z.string().nullable(),
  disposition: z.string().nullable(),
  reason: z.string().nullable(),
  detail: z.string().nullable(),
  since: instant.nullable().optional(),
  waiting: open.nullable(),
  resumesAt: instant.nullable(),
  paths: z.array(z.string()),
  dryRun: z.literal(true).optional(),
  cancelCause: z.string().nullable(),
  gate: open.nullable(),
  definition: z.string().optional(),
  pausing: z.boolean().optional(),
  noWork: open.optional(),
};

const progress = {
  attempt: open,
  attempts: z.array(open),
  best: z.number().nullable(),
  counters: open,
  granted: open,
  spent: open,
  base: z.string().nullable(),
  baseBranch: z.string().nullable(),
  branch: z.string().nullable(),
  head: z.string().nullable(),
  baseline: open.nullable(),
  verification: z.string().nullable(),
  receipt: z.string().nullable(),
  text: z.string().nullable(),
  escalation: z.string().optional(),
  landed: open.nullable(),
  receiptDamaged: z.literal(true).optional(),
  proposed: open.optional(),
  execution: open.nullable(),
  worker: open.optional(),
  unproven: z.array(z.string()),
  resumedFrom: z.string().optional(),
  retriedAs: z.string().optional(),
};

const record = {
  startedBy: open,
  startedAt: instant,
  endedAt: instant.nullable(),
  updatedAt: instant,
  version: z.number().int(),
  driver: open.nullable(),
  refusedGates: z.number().int(),
  ancestryUnknown: z.array(z.string()),
  notices: z.unknown().optional(),
  options: z.array(open),
};

export const runView = z
  .looseObject({ ...identity, ...progress, ...record })
  .describe('A run as every surface shows it; instants are milliseconds since the epoch.');

export const storedEvent = z
  .looseObject({
    position: z.string(),
    run: z.string(),
    version: z.number().int(),
    actor: z.string(),
    at: instant,
    event: z.looseObject({ type: z.string() }),
  })
  .describe(
    'An event of a run; `version` counts within the run, `position` is its place among all.',
  );

export const logPage = z.looseObject({
  lines: z.array(
    z.looseObject({
      seq: z.number().int(),
      at: instant,
      kind: z.string(),
      text: z.string(),
    }),
  ),
  ended: z.boolean(),
});

export const seatRow = z.looseObject({
  seat: z.string(),
  holder: open,
  version: z.string(),
  beat: z.number().int(),
  since: instant,
  failingSweeps: open.optional().describe('Its sweep failed three times in a row or more.'),
});

export const audit = z.looseObject({
  streams: z.number().int(),
  events: z.number().int(),
  erased: z.number().int(),
  archived: z.number().int(),
  heads: z.array(open),
  problems: z.array(open),
  cannotProve: z.array(z.string()),
});

export const landing = z.looseObject({ ok: z.boolean() });

export const pruneItem = z.strictObject({
  run: z.string().nullable(),
  path: z.string().max(4_096),
  branch: z.string().max(1_000).nullable(),
  root: z.string().max(4_096),
  bytes: z.number().min(0),
  safeBecause: z.string().max(1_000),
  artifacts: z.number().int().exactOptional(),
});

export const tokenView = z.looseObject({
  id: z.string(),
  by: z.string(),
  scope: z.array(z.enum(tokenVerbs)),
  createdAt: instant,
  expiresAt: instant,
});

export const nothing = z.looseObject({});
