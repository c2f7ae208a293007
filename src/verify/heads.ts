/**
 * Signed statements about what the store held at an instant: the head of a stream or the digest of
 * an escalation page. They make a cut tail visible to whoever kept one.
 */
import { openEnvelope, sealEnvelope } from './receipt/dsse.ts';
import { envelopeSchema } from './receipt/predicate.ts';
import type { Signer } from './signer.ts';

export interface Head {
  /** `run/<id>`, `store` or `escalation/<run>`. */
  readonly stream: string;
  readonly version: number;
  /** Hash of the chain at that version, or digest of the page. */
  readonly digest: string;
  readonly at: string;
}

const headType = 'application/vnd.pawl.head+json';

/** The envelope as JSON in one line. */
export function signHead(head: Head, signer: Signer): string {
  const { stream, version, digest, at } = head;
  return JSON.stringify(
    sealEnvelope(headType, JSON.stringify({ stream, version, digest, at }), signer),
  );
}

/** The head when the key signed it; null for anything else. Never throws. */
export function openHead(envelopeJson: string, publicKeyPem: string): Head | null {
  try {
    const envelope = envelopeSchema.parse(JSON.parse(envelopeJson));
    if (envelope.payloadType !== headType) return null;
    const payload = openEnvelope(envelope, publicKeyPem);
    return payload === null ? null : JSON.parse(payload);
  } catch {
    // Not JSON or not an envelope: not a head of ours, which is all that the caller asks.
    return null;
  }
}
