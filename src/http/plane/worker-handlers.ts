/** What a worker may ask before it has a grant: to be known, to be offered work, to claim it. */
import { createHash, createPublicKey, randomBytes, verify } from 'node:crypto';
import { sessionPayload } from '../../contract/plane.ts';
import { implementationName, type PlaneBinding } from '../../contract/plane-words.ts';
import { admission } from '../../engine/admission.ts';
import { snapshotOf } from '../../engine/artifact-text.ts';
import { endedRuns } from '../../engine/plane-ended.ts';
import { planeOffers } from '../../engine/plane-offers.ts';
import type { EnrolledWorker } from '../../engine/plane-workers.ts';
import type { Dispatch } from '../../ports/plane.ts';
import type { ExecutionId, GrantId, RunId } from '../../ports/words.ts';
import type { Message, OpenHandlers, PlaneServerOptions, WorkerHandlers } from './options.ts';
import { codeOf, PlaneRefusal } from './refusal.ts';
import type { WorkerClaims } from './tokens.ts';

/** How the code of an enrolment is known. */
export const codeDigest = (code: string): string => createHash('sha256').update(code).digest('hex');

export function openHandlers({ tokens, workers }: PlaneServerOptions): OpenHandlers {
  return {
    enrol: async ({ code, publicKey, name, labels, slots }) => {
      const id = `w-${randomBytes(8).toString('hex')}`;
      const told = { id, name, publicKey, labels, slots };
      const enrolled = await workers.enrol({ codeDigest: codeDigest(code), ...told });
      if (enrolled === null) throw new PlaneRefusal('code.invalid');
      return { ok: true, worker: enrolled.id };
    },
    // Given for any id: whether it is enrolled is told to whoever proves to be it.
    challenge: async ({ worker }) => ({ ok: true, challenge: await tokens.challenge(worker) }),
    session: async ({ worker, bootId, challenge, signature }) => {
      const proof = await tokens.proveChallenge(challenge);
      if (!proof.ok) throw new PlaneRefusal(proof.code);
      const known = await workers.find(worker);
      const isOwn = proof.claims.worker === worker;
      if (known === null || !isOwn || !isSigned(known, { worker, bootId, challenge, signature })) {
        throw new PlaneRefusal('worker.unknown');
      }
      return { ok: true, ...(await tokens.worker({ worker, bootId })) };
    },
  };
}

function isSigned(
  { publicKey }: EnrolledWorker,
  { signature, ...said }: Omit<Message<'session'>, 'wire'>,
): boolean {
  const key = createPublicKey({
    format: 'jwk',
    key: { kty: 'OKP', crv: 'Ed25519', x: publicKey },
  });
  const bytes = Buffer.from(signature, 'base64url');
  return verify(null, Buffer.from(sessionPayload(said)), key, bytes);
}

export function workerHandlers(options: PlaneServerOptions): WorkerHandlers {
  const { engine, budgets, log } = options;
  const { offersFor } = planeOffers({ engine, admission: admission({ engine, budgets, log }) });
  return {
    offer: async ({ labels, slots, free, capabilities, waitMs }, { worker }, signal) => {
      const known = await enrolled(options, worker);
      // What was enrolled is the most: a worker does not give itself slots.
      const own = Math.min(slots, known.slots);
      await options.workers.seen(worker, { labels, slots: known.slots, capabilities });
      const request = { worker, labels, slots: own, free, capabilities, waitMs, signal };
      const offers = await offersFor(request);
      return {
        ok: true,
        offers: offers.map(({ capabilities: needed, ...one }) => ({
          ...one,
          capabilities: [...needed],
        })),
      };
    },
    claim: (message, who) => claim(options, message, who),
    ended: async ({ runs }, { worker }) => {
      await enrolled(options, worker);
      const { ended, gone } = await endedRuns(engine, worker, runs as RunId[]);
      return { ok: true, ended: [...ended], gone: [...gone] };
    },
  };
}

export async function enrolled(
  { workers }: PlaneServerOptions,
  worker: string,
): Promise<EnrolledWorker> {
  const known = await workers.find(worker);
  if (known === null) throw new PlaneRefusal('worker.unknown');
  return known;
}

async function claim(
  options: PlaneServerOptions,
  { execution, holder, nonce }: Message<'claim'>,
  who: WorkerClaims,
) {
  const { plane, tokens } = options;
  const known = await enrolled(options, who.worker);
  if (holder.worker !== who.worker || holder.bootId !== who.bootId) {
    throw new PlaneRefusal('token.other');
  }
  const id = execution as ExecutionId;
  const answer = await plane.claim({
    execution: id,
    holder,
    nonce,
    slots: known.slots,
    labels: known.labels,
  });
  if (!answer.ok) {
    const isFailed = answer.reason.startsWith('dispatch_failed');
    throw new PlaneRefusal(isFailed ? 'dispatch.failed' : codeOf(answer.reason, 'execution.taken'));
  }
  const { grantId, fence, ttlMs, dispatch } = answer;
  const binding = bindingOf(dispatch, fence, grantId);
  const [{ token, expiresInMs }, told] = await Promise.all([
    tokens.execution({ ...who, binding }, ttlMs),
    wireDispatch(options, dispatch),
  ]);
  return {
    ok: true as const,
    ...{ grantId, fence, ttlMs, token, tokenExpiresInMs: expiresInMs },
    dispatch: told,
    at: options.engine.clock.now(),
  };
}

function bindingOf(dispatch: Dispatch, fence: number, grantId: GrantId): PlaneBinding {
  const { run, dispatchId, execution, job, implementation } = dispatch;
  return {
    ...{ run, dispatch: dispatchId, execution, fence, grantId },
    ...{ job: job.role, attempt: job.attempt },
    implementation: implementationName(implementation),
  };
}

/** The definition goes as the bytes of its digest, so that the worker can prove it. */
async function wireDispatch({ engine }: PlaneServerOptions, dispatch: Dispatch) {
  const { definition: _definition, ...rest } = dispatch;
  const { text: definitionText } = await snapshotOf(engine.artifacts, dispatch.definitionDigest);
  // Closed by the contract on the other side; here it is the engine's own.
  return { ...rest, definitionText } as never;
}
