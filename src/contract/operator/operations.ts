/**
 * The operator endpoints (DESIGN §14): one row for every method of the Client, shared by the server
 * that answers them, the client that calls them and the OpenAPI document that describes them.
 */

import * as z from 'zod';
import { attemptsMost } from '../../kernel/brake-bounds.ts';
import { definitionSchema } from './definition-schema.ts';
import { operation } from './operation.ts';
import {
  audit,
  commitWord,
  digestWord,
  executionWord,
  flagText,
  landing,
  logPage,
  note,
  nothing,
  placeWord,
  pruneItem,
  runView,
  runWord,
  seatRow,
  statuses,
  storedEvent,
  tokenView,
  wholeText,
} from './words.ts';

const none = z.strictObject({});
const ofRun = z.strictObject({ run: runWord });
const project = z.string().max(4_096).describe("Absolute path of a project's root.");

/** A verb of one run: what it changes is answered by the run as it is afterwards. */
const verb = <B extends z.ZodType>(name: string, summary: string, body: B) =>
  operation({
    method: 'POST',
    path: `/v1/runs/:run/${name}`,
    summary,
    params: ofRun,
    query: none,
    body,
    response: runView,
  });

const read = <P extends z.ZodType, Q extends z.ZodType, R extends z.ZodType>(row: {
  readonly path: string;
  readonly summary: string;
  readonly params: P;
  readonly query: Q;
  readonly response: R;
}) => operation({ method: 'GET', body: z.undefined(), ...row });

const startBody = z.strictObject({
  definition: definitionSchema,
  detached: z.boolean(),
  resumedFrom: z.string().max(100).nullable(),
  from: commitWord.nullable(),
});

const grants = z.strictObject({
  attempts: z.number().int().min(0).max(attemptsMost).exactOptional(),
  costUsd: z.number().min(0).exactOptional(),
  tokens: z.number().int().min(0).exactOptional(),
  steps: z.number().int().min(0).exactOptional(),
  timeMs: z.number().int().min(0).exactOptional(),
});

const resumeBody = z.strictObject({
  grants,
  hint: note.nullable(),
  verifyNow: z.strictObject({ commit: commitWord }).nullable(),
  restore: z.boolean(),
  allow: z.array(z.string().max(4_096)).max(2_000),
  happened: z.boolean().nullable(),
  fresh: z.boolean(),
  now: z.boolean(),
  fromAttempt: z.number().int().min(1).nullable(),
  on: z.string().min(1).max(120).exactOptional().describe('Id or name of a worker.'),
});

const gateBody = z.strictObject({
  approval: z.string().max(100).nullable().describe('What was shown; null: whatever waits now.'),
  outcome: z.enum(['approved', 'rejected']),
  note: note.nullable(),
  forRun: z.literal(true).exactOptional(),
});

const landBody = z.strictObject({
  into: z.string().max(1_000).nullable(),
  method: z.enum(['squash', 'merge', 'ff', 'pr']),
  message: note.nullable(),
  reverify: z.boolean(),
  keep: z.boolean().exactOptional(),
});

const landedBody = z.strictObject({
  commit: commitWord,
  into: z.string().max(1_000),
  method: z.string().max(100),
  reverified: z.boolean(),
  url: z.string().max(2_000).exactOptional(),
  kept: z.literal(true).exactOptional(),
});

const listQuery = z.strictObject({
  project: project.exactOptional(),
  open: flagText.exactOptional(),
  status: z
    .string()
    .transform((words) => words.split(','))
    .pipe(z.array(z.enum(statuses)))
    .describe('Statuses with commas.')
    .exactOptional(),
  since: wholeText(Number.MAX_SAFE_INTEGER).exactOptional(),
  limit: wholeText(10_000).exactOptional(),
  demo: flagText.exactOptional(),
});

const pageQuery = z.strictObject({
  after: wholeText(Number.MAX_SAFE_INTEGER).exactOptional(),
  limit: wholeText(1_000).exactOptional(),
});

const steering = {
  start: operation({
    method: 'POST',
    path: '/v1/runs',
    summary: 'Start a run in a project that this server has.',
    params: none,
    query: none,
    body: startBody,
    response: runView,
  }),
  hint: verb(
    'hint',
    'Add context for the next turn, or for the next attempt.',
    z.strictObject({
      text: note,
      when: z.enum(['next-turn', 'next-attempt']).exactOptional(),
    }),
  ),
  pause: verb('pause', 'Stop after the turn, or now.', z.strictObject({ now: z.boolean() })),
  cancel: verb(
    'cancel',
    'End it; the work is kept.',
    z.strictObject({ note, now: z.boolean().exactOptional() }),
  ),
  recordRefusal: operation({
    method: 'POST',
    path: '/v1/runs/:run/refusals',
    summary:
      'Record that a gate verb was refused before it was sent; names the caller, nobody else.',
    params: ofRun,
    query: none,
    body: z.strictObject({ command: z.string().max(100) }),
    response: nothing,
  }),
  ensureDriver: operation({
    method: 'POST',
    path: '/v1/driver',
    summary: 'Make sure that a driver lives.',
    params: none,
    query: none,
    body: none,
    response: nothing,
  }),
} as const;

const retryBody = z.strictObject({
  definition: definitionSchema,
  from: z.enum(['last', 'base']),
  detached: z.boolean(),
});

const gates = {
  resolveGate: verb('gate', 'Approve or reject what waits; human only.', gateBody),
  answer: verb(
    'answer',
    "Answer the agent's question; human only.",
    z.strictObject({ text: note }),
  ),
  consult: verb(
    'consult',
    'Ask a council about a parked run, which decides nothing; human only.',
    z.strictObject({
      profiles: z
        .array(z.string().max(100))
        .max(100)
        .nullable()
        .describe('Whom; null: the usual ones.'),
    }),
  ),
  accept: verb(
    'accept',
    'Take a parked run as it is, overridden; human only.',
    z.strictObject({ reason: note }),
  ),
  resume: verb('resume', 'Go on, with a grant; human only.', resumeBody),
  /** Human only of a parked run; the engine's edge tells. */
  retry: verb('retry', 'A new run with another definition; of a parked run human only.', retryBody),
  recordLanding: verb(
    'landing',
    'Record that the work was landed elsewhere; human only.',
    landedBody,
  ),
  land: {
    ...operation({
      method: 'POST',
      path: '/v1/runs/:run/land',
      summary: 'Bring verified work to a branch of the repository of the server; human only.',
      params: ofRun,
      query: none,
      body: landBody,
      response: landing,
    }),
    isLong: true,
  },
  prune: {
    ...operation({
      method: 'POST',
      path: '/v1/prune',
      summary: 'Remove what `/v1/prunable` offered; human only.',
      params: none,
      query: none,
      body: z.strictObject({ items: z.array(pruneItem).max(10_000) }),
      response: z.looseObject({ freedBytes: z.number() }),
    }),
    isLong: true,
  },
} as const;

const looking = {
  token: read({
    path: '/v1/token',
    summary: 'Whose token this is, and which gates it may pass.',
    params: none,
    query: none,
    response: tokenView,
  }),
  list: read({
    path: '/v1/runs',
    summary: 'Runs, the newest first.',
    params: none,
    query: listQuery,
    response: z.looseObject({ runs: z.array(runView) }),
  }),
  find: read({
    path: '/v1/find',
    summary: 'The one run that a reference means.',
    params: none,
    query: z.strictObject({ text: z.string().max(200), project: project.exactOptional() }),
    response: runView,
  }),
  show: read({
    path: '/v1/runs/:run',
    summary: 'One run.',
    params: ofRun,
    query: none,
    response: runView,
  }),
  events: read({
    path: '/v1/runs/:run/events',
    summary: 'Events of a run after a version.',
    params: ofRun,
    query: pageQuery,
    response: z.looseObject({ events: z.array(storedEvent) }),
  }),
  definition: read({
    path: '/v1/runs/:run/definition',
    summary: 'The immutable definition of a run.',
    params: ofRun,
    query: none,
    response: z.looseObject({ version: z.literal(1) }),
  }),
  artifact: {
    ...read({
      path: '/v1/artifacts/:digest',
      summary: 'The bytes of an artifact.',
      params: z.strictObject({ digest: digestWord }),
      query: none,
      response: z.unknown(),
    }),
    media: 'application/octet-stream',
  },
  log: read({
    path: '/v1/logs/:execution',
    summary: 'Lines of the journal of an execution after a line.',
    params: z.strictObject({ execution: executionWord }),
    query: pageQuery,
    response: logPage,
  }),
  drivers: read({
    path: '/v1/drivers',
    summary: 'The seats whose holders live.',
    params: none,
    query: none,
    response: z.looseObject({ drivers: z.array(seatRow) }),
  }),
  audit: {
    ...read({
      path: '/v1/audit',
      summary: 'Check every chain, and the chains against the heads that were signed.',
      params: none,
      query: none,
      response: audit,
    }),
    isLong: true,
  },
  prunable: {
    ...read({
      path: '/v1/prunable',
      summary: 'What may be removed, and why that is safe.',
      params: none,
      query: z.strictObject({
        project: project.exactOptional(),
        olderThanMs: wholeText(Number.MAX_SAFE_INTEGER).exactOptional(),
        landedOnly: flagText.exactOptional(),
      }),
      response: z.looseObject({ items: z.array(z.looseObject(pruneItem.shape)) }),
    }),
    isLong: true,
  },
  follow: {
    ...read({
      path: '/v1/events',
      summary:
        'Events as they happen (Server-Sent Events), of one run or of all; `Last-Event-ID` or ' +
        '`after` says where to go on; one that is beyond the last event is refused.',
      params: none,
      query: z.strictObject({
        run: runWord.exactOptional(),
        after: placeWord.exactOptional(),
      }),
      response: z.unknown(),
    }),
    media: 'text/event-stream',
  },
} as const;

const upkeep = {
  drain: {
    ...operation({
      method: 'POST',
      path: '/v1/drain',
      summary: 'Take no new work, hand over, and leave; human only.',
      params: none,
      query: none,
      body: none,
      response: z.looseObject({ draining: z.boolean() }),
    }),
  },
} as const;

export const operations = { ...steering, ...gates, ...looking, ...upkeep } as const;
export type Operations = typeof operations;
export type OperationName = keyof Operations;
