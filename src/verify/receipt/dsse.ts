/**
 * A Dead Simple Signing Envelope: the signature covers type and payload (PAE), so that neither can
 * be passed off as something else. Ed25519 by node:crypto alone.
 */
import { createPublicKey, verify as verifySignature } from 'node:crypto';
import { keyIdOf, type Signer } from '../signer.ts';

export interface Envelope {
  readonly payloadType: string;
  /** Base64 of the exact bytes that were signed. */
  readonly payload: string;
  readonly signatures: readonly { readonly keyid: string; readonly sig: string }[];
}

/** `DSSEv1 <len type> <type> <len body> <body>`: the bytes that are signed. */
export function preAuthenticationEncoding(payloadType: string, payload: Uint8Array): Buffer {
  const head = `DSSEv1 ${Buffer.byteLength(payloadType)} ${payloadType} ${payload.length} `;
  return Buffer.concat([Buffer.from(head, 'utf8'), payload]);
}

export function sealEnvelope(payloadType: string, payload: string, signer: Signer): Envelope {
  const bytes = Buffer.from(payload, 'utf8');
  const signature = signer.sign(preAuthenticationEncoding(payloadType, bytes));
  return {
    payloadType,
    payload: bytes.toString('base64'),
    signatures: [{ keyid: signer.keyId, sig: Buffer.from(signature).toString('base64') }],
  };
}

/** The payload when one of the signatures is of this key; null otherwise. Never throws. */
export function openEnvelope(envelope: Envelope, publicKeyPem: string): string | null {
  const key = publicKey(publicKeyPem);
  if (key === null) return null;
  const bytes = Buffer.from(envelope.payload, 'base64');
  const signed = preAuthenticationEncoding(envelope.payloadType, bytes);
  const good = envelope.signatures.some((one) =>
    verifySignature(null, signed, key, Buffer.from(one.sig, 'base64')),
  );
  return good ? bytes.toString('utf8') : null;
}

/** Whether the text is an Ed25519 public key in PEM, and its id. */
export function readPublicKey(publicKeyPem: string): { readonly keyId: string } | null {
  return publicKey(publicKeyPem) === null ? null : { keyId: keyIdOf(publicKeyPem) };
}

function publicKey(pem: string) {
  try {
    const key = createPublicKey(pem);
    return key.asymmetricKeyType === 'ed25519' ? key : null;
  } catch {
    // Whatever is not a key is answered as "not signed by this key"; there is nothing to add.
    return null;
  }
}
