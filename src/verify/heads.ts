/** Statements of heads (src/ports/heads.ts) as envelopes that the installation's key signs. */
import { z } from 'zod';
import type { Digest, Instant } from '../domain/ids.ts';
import type { Head, HeadSeal } from '../ports/heads.ts';
import { openEnvelope, sealEnvelope } from './receipt/dsse.ts';
import { envelopeSchema } from './receipt/predicate.ts';
import type { Signer } from './signer.ts';

const headType = 'application/vnd.pawl.head+json';

const digest = z.string().transform((text) => text as Digest);

const headSchema = z.strictObject({
  stream: z.string(),
  version: z.int().nonnegative(),
  digest: z.string(),
  at: z.number().transform((at) => at as Instant),
  archive: digest.optional(),
  content: digest.optional(),
});

/** Signs with the key, and opens what the same key signed, or one of `others`: public ones. */
export function headSeal(signer: Signer, others: readonly string[] = []): HeadSeal {
  return {
    sign: ({ stream, version, digest: hash, at, archive, content }) => {
      const payload = JSON.stringify({ stream, version, digest: hash, at, archive, content });
      return JSON.stringify(sealEnvelope(headType, payload, signer));
    },
    open: (statement) => {
      for (const pem of [signer.publicKeyPem, ...others]) {
        const head = openHead(statement, pem);
        if (head !== null) return head;
      }
      return null;
    },
  };
}

/** The head when the key signed it; null for anything else. Never throws. */
export function openHead(statement: string, publicKeyPem: string): Head | null {
  try {
    const envelope = envelopeSchema.parse(JSON.parse(statement));
    if (envelope.payloadType !== headType) return null;
    const payload = openEnvelope(envelope, publicKeyPem);
    if (payload === null) return null;
    const { archive, content, ...head } = headSchema.parse(JSON.parse(payload));
    return {
      ...head,
      ...(archive === undefined ? {} : { archive }),
      ...(content === undefined ? {} : { content }),
    };
  } catch {
    // Not JSON or not an envelope: not a head of ours, which is all that the caller asks.
    return null;
  }
}
