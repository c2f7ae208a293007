/**
 * Whether a statement of a seal is what its host would state (seal-attestor.ts). Read by a strict
 * schema, since it comes from outside.
 */
import { createPublicKey } from 'node:crypto';
import { z } from 'zod';
import { canonicalJson, parsedJson } from '../kernel/json.ts';
import type { SealJudge } from '../ports/seals.ts';
import { openEnvelope } from './receipt/dsse.ts';
import { envelopeSchema, payloadType, statementType } from './receipt/predicate.ts';
import { sealType, subjectsOf } from './seal-attestor.ts';

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
