/**
 * What the holder of an execution states of the result that it hands in: an in-toto Statement v1 in
 * a DSSE envelope, signed by the key of the worker, or of the installation for a lane of its own
 * machine. Its subjects are the result, as canonical JSON, and the commit that it names; the
 * predicate binds execution, grant, seal and producer (XP-16, XP-17, XP-18).
 */
import { createHash, createPublicKey } from 'node:crypto';
import { z } from 'zod';
import type { JobResult } from '../domain/execution/state.ts';
import { canonicalJson, parsedJson } from '../kernel/json.ts';
import type { Clock } from '../ports/clock.ts';
import type { SealAttestor, SealedMessage, SealJudge } from '../ports/seals.ts';
import { openEnvelope, sealEnvelope } from './receipt/dsse.ts';
import { envelopeSchema, payloadType, statementType } from './receipt/predicate.ts';
import type { Signer } from './signer.ts';

const sealType = 'https://pawl.dev/seal/v1';

const schema = z.strictObject({
  _type: z.literal(statementType),
  subject: z
    .array(z.strictObject({ name: z.string(), digest: z.record(z.string(), z.string()) }))
    .nonempty(),
  predicateType: z.literal(sealType),
  predicate: z.strictObject({
    execution: z.string(),
    grantId: z.string(),
    seal: z.string(),
    kind: z.string(),
    outcome: z.string(),
    /** The signed statement of the checks, where there is one. */
    receipt: z.string().nullable(),
    /** Null: the installation's own machine. */
    worker: z.string().nullable(),
    keyId: z.string(),
    capturedAt: z.string(),
  }),
});
export type SealStatement = z.infer<typeof schema>;

export function sealAttestor(signer: Signer, clock: Pick<Clock, 'now'>): SealAttestor {
  return {
    attest: (message) => {
      const { execution, grantId, seal, result } = message;
      const statement: SealStatement = {
        _type: statementType,
        subject: subjectsOf(message),
        predicateType: sealType,
        predicate: {
          ...{ execution, grantId, seal },
          kind: result.kind,
          outcome: outcomeOf(result),
          receipt: receiptOf(result),
          worker: signer.worker ?? null,
          keyId: signer.keyId,
          capturedAt: new Date(clock.now()).toISOString(),
        },
      };
      return JSON.stringify(sealEnvelope(payloadType, JSON.stringify(statement), signer));
    },
  };
}

export const sealJudge: SealJudge = {
  isOf: (envelope, { worker, publicKey }, message) => {
    const pem = pemOf(publicKey);
    const statement = pem === null ? null : openSeal(envelope, pem);
    if (statement === null) return false;
    const { predicate, subject } = statement;
    const { execution, grantId, seal } = message;
    return (
      predicate.worker === worker &&
      predicate.execution === execution &&
      predicate.grantId === grantId &&
      predicate.seal === seal &&
      canonicalJson(subject) === canonicalJson(subjectsOf(message))
    );
  },
};

/** The statement when the key signed it; null for anything else. Never throws. */
export function openSeal(envelope: string, publicKeyPem: string): SealStatement | null {
  const read = envelopeSchema.safeParse(parsedJson(envelope));
  if (!read.success || read.data.payloadType !== payloadType) return null;
  const payload = openEnvelope(read.data, publicKeyPem);
  const statement = payload === null ? null : schema.safeParse(parsedJson(payload));
  return statement?.success === true ? statement.data : null;
}

function subjectsOf({ execution, result }: SealedMessage): SealStatement['subject'] {
  const sha256 = createHash('sha256').update(canonicalJson(result)).digest('hex');
  const commit = commitOf(result);
  return [
    { name: `result of ${execution}`, digest: { sha256 } },
    ...(commit === null ? [] : [{ name: 'work', digest: { gitCommit: commit } }]),
  ];
}

function commitOf(result: JobResult): string | null {
  if (result.kind === 'prepared') return null;
  return result.kind === 'verified' ? result.facts.commit : result.commit;
}

function outcomeOf(result: JobResult): string {
  if (result.kind === 'prepared') return result.baseline;
  if (result.kind === 'failed') return result.class;
  return result.kind === 'verified' ? result.facts.outcome : result.outcome;
}

function receiptOf(result: JobResult): string | null {
  if (result.kind === 'prepared') return result.receipt;
  return result.kind === 'verified' ? result.facts.receipt : null;
}

function pemOf(publicKey: string): string | null {
  try {
    const key = createPublicKey({
      key: { kty: 'OKP', crv: 'Ed25519', x: publicKey },
      format: 'jwk',
    });
    return key.export({ type: 'spki', format: 'pem' }).toString();
  } catch {
    // What is no key has signed nothing, which is all that is asked.
    return null;
  }
}
