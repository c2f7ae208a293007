/**
 * The worker plane over HTTP + JSON (DESIGN §6): every verb with its message and its answer, from
 * which both ends are checked and the OpenAPI is made. Messages are POSTed to `/plane/v1/<verb>`;
 * artifacts are bytes under their digest.
 *
 * Three proofs: a one-time `code` enrols; a `worker` token (had for a signed challenge, bound to
 * the boot) offers and claims; an `execution` token (had with the claim, renewed by beats) does
 * everything else. A token is authentication; the grant row is the authority.
 */
import * as z from 'zod';
import { dispatch } from './plane-dispatch.ts';
import { jobResult } from './plane-result.ts';
import { sourceAnswer, sourceRequest } from './plane-source.ts';
import {
  binding,
  commit,
  count,
  digest,
  executionId,
  grantId,
  holder,
  instant,
  limits,
  line,
  name,
  permissionAnswer,
  permissionAsk,
  positive,
  proof,
  publicKey,
  role,
  runId,
  signature,
  token,
  usage,
  wire,
  word,
  workerId,
} from './plane-words.ts';

export const planePrefix = '/plane/v1';

const labels = z.array(name).max(limits.labels);
const ok = z.literal(true);
const accepted = z.strictObject({ ok });
const bound = { wire, binding };

/** What a worker may put; the others are made by the engine. */
export const putKinds = [
  'question',
  'opinion',
  'note',
  'verdict',
  'receipt',
  'attestation',
  'output',
  'journal',
  'checkpoint',
  'bundle',
] as const;

interface Verb {
  readonly proof: 'code' | 'none' | 'worker' | 'execution';
  readonly what: string;
  readonly request: z.ZodType;
  readonly answer: z.ZodType;
}

const verb = <P extends Verb['proof'], Q extends z.ZodType, A extends z.ZodType>(
  proofOf: P,
  what: string,
  of: { readonly request: Q; readonly answer: A },
) => ({ proof: proofOf, what, ...of });

export const planeVerbs = {
  enrol: verb('code', 'Makes a worker known by its key; a code is good for once.', {
    request: z.strictObject({
      wire,
      code: word(200),
      publicKey,
      name,
      labels,
      slots: positive.max(1024),
    }),
    answer: z.strictObject({ ok, worker: workerId }),
  }),
  challenge: verb('none', 'Something to sign, valid for half a minute.', {
    request: z.strictObject({ wire, worker: workerId }),
    answer: z.strictObject({ ok, challenge: token }),
  }),
  session: verb('none', 'A worker token for a challenge signed with the key of the worker.', {
    request: z.strictObject({
      wire,
      worker: workerId,
      bootId: word(128),
      challenge: token,
      signature,
    }),
    answer: z.strictObject({ ok, token, expiresInMs: positive }),
  }),
  offer: verb('worker', 'Waits for work that fits; offers are no claims.', {
    request: z.strictObject({
      wire,
      labels,
      capabilities: z.array(name).max(128),
      slots: positive.max(1024),
      free: count.max(1024),
      waitMs: count.max(limits.pollMs),
    }),
    answer: z.strictObject({
      ok,
      offers: z
        .array(
          z.strictObject({
            execution: executionId,
            run: runId,
            role,
            attempt: positive,
            capabilities: z.array(name).max(32),
          }),
        )
        .max(limits.offers),
    }),
  }),
  claim: verb('worker', 'Compare-and-set to LEASED; the same nonce gets the same answer.', {
    request: z.strictObject({ wire, execution: executionId, holder, nonce: word(128) }),
    answer: z.strictObject({
      ok,
      grantId,
      fence: count,
      ttlMs: positive,
      token,
      tokenExpiresInMs: positive,
      at: instant,
      dispatch,
    }),
  }),
  ended: verb('worker', 'Which of these runs, that it held, are over; asked before it removes.', {
    request: z.strictObject({ wire, runs: z.array(runId).max(limits.endedRuns) }),
    answer: z.strictObject({
      ok,
      /** Ended for so long, by the time of the server; nothing of them is open. */
      ended: z.array(z.strictObject({ run: runId, forMs: count })).max(limits.endedRuns),
      /** The store does not have them (any more). */
      gone: z.array(runId).max(limits.endedRuns),
    }),
  }),
  start: verb('execution', 'The work has begun, contained by `rung`.', {
    request: z.strictObject({ ...bound, rung: line(80), pid: positive }),
    answer: accepted,
  }),
  heartbeat: verb('execution', 'Extends the lease; hears of cancel, pause, answers and nudges.', {
    request: z.strictObject({
      ...bound,
      beat: count,
      /** JSON of at most 1 KB. */
      signals: line(1024),
      usage: usage.nullable(),
    }),
    answer: z.strictObject({
      ok,
      cancel: z.boolean(),
      pause: z.boolean(),
      now: z.literal(true).optional(),
      answer: permissionAnswer.optional(),
      /** How often its lane was nudged. */
      nudges: count.optional(),
      token,
      tokenExpiresInMs: positive,
      /** The server's time: a worker has none of its own. */
      at: instant,
    }),
  }),
  ask: verb('execution', 'Its lane waits for leave.', {
    request: z.strictObject({ ...bound, ask: permissionAsk }),
    answer: accepted,
  }),
  checkpoint: verb('execution', 'The body is an artifact that was put before.', {
    request: z.strictObject({ ...bound, body: digest }),
    answer: accepted,
  }),
  events: verb('execution', 'Rows of the journal, in order, each once.', {
    request: z.strictObject({
      ...bound,
      /** Number of the first row; the first of all is 1. */
      from: positive,
      rows: z
        .array(z.strictObject({ at: instant, kind: word(40), text: line(65_536) }))
        .min(1)
        .max(limits.eventRows),
    }),
    /** The number of the next row that is wanted. */
    answer: z.strictObject({ ok, next: positive }),
  }),
  result: verb('execution', 'The seal; the same again is acknowledged again.', {
    /** `attestation`: the signed statement of it; what has none is not taken. */
    request: z.strictObject({
      ...bound,
      seal: digest,
      result: jobResult,
      attestation: z.string().max(limits.attestation).optional(),
    }),
    answer: accepted,
  }),
  'cancel-ack': verb('execution', 'The tree has ended, and how well that is proven.', {
    request: z.strictObject({ ...bound, proof }),
    answer: accepted,
  }),
  source: verb('execution', 'How the commit of the job is had without a disk of the server.', {
    request: z.strictObject({ ...bound, ...sourceRequest }),
    answer: z.strictObject({ ok, ...sourceAnswer }),
  }),
  work: verb('execution', 'Commits that were made, as a bundle that was put before.', {
    request: z.strictObject({ ...bound, tip: commit, bundle: digest }),
    answer: accepted,
  }),
  credential: verb('execution', 'The value of a secret that the dispatch names; kept nowhere.', {
    request: z.strictObject({ ...bound, name: word(200) }),
    /** Null: it cannot be had, and which reference was read where, for the page of the run. */
    answer: z.strictObject({ ok, value: line(65_536).nullable(), why: line(1000).optional() }),
  }),
  'budget-reserve': verb('execution', 'Asked before models are called; answers what is left.', {
    request: z.strictObject({ ...bound, costUsd: z.number().min(0), tokens: count }),
    answer: z.strictObject({
      ok,
      left: z.strictObject({ costUsd: z.number().nullable(), tokens: z.number().nullable() }),
    }),
  }),
  'budget-settle': verb('execution', 'What was really spent until now, of this execution.', {
    request: z.strictObject({ ...bound, usage }),
    answer: accepted,
  }),
  'tool-reserve': verb('execution', 'Reserves the one dispatch of an effect.', {
    request: z.strictObject({
      ...bound,
      server: word(200),
      tool: word(200),
      arguments: digest,
      n: count,
      class: z.enum(['read', 'mutating', 'irreversible']),
    }),
    answer: z.strictObject({
      ok,
      key: word(100),
      state: z.enum(['reserved', 'executing', 'recorded', 'unknown']),
      outcome: digest.nullable(),
    }),
  }),
  'tool-outcome': verb('execution', 'What became of a reserved call.', {
    request: z.strictObject({
      ...bound,
      key: word(100),
      outcome: digest.nullable(),
      state: z.enum(['recorded', 'unknown']),
    }),
    answer: accepted,
  }),
} as const satisfies Record<string, Verb>;

export type PlaneVerb = keyof typeof planeVerbs;
export type PlaneRequest<V extends PlaneVerb> = z.infer<(typeof planeVerbs)[V]['request']>;
export type PlaneReply<V extends PlaneVerb> = z.infer<(typeof planeVerbs)[V]['answer']>;

export const planeVerbNames = Object.keys(planeVerbs) as readonly PlaneVerb[];

/** Headers of an artifact's bytes. */
export const planeHeaders = {
  wire: 'pawl-plane',
  kind: 'pawl-artifact-kind',
  execution: 'pawl-execution',
  grant: 'pawl-grant',
} as const;

/** What is signed for a session: nothing else of this worker ever has this form. */
export const sessionPayload = (of: {
  readonly worker: string;
  readonly bootId: string;
  readonly challenge: string;
}): string => `pawl-plane-session\n${of.worker}\n${of.bootId}\n${of.challenge}`;
