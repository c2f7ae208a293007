import type { Digest } from '../domain/ids.ts';

/** Hashes and salts are text in the code and blobs in the file, at half the size. */
export const fromHex = (hex: string): Uint8Array => Buffer.from(hex, 'hex');

export const toHex = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');

const prefix = 'sha256:';

/** `sha256:<hex>` → its 32 bytes; anything else is kept as it is written, so nothing is lost. */
export const digestBytes = (digest: string): Uint8Array =>
  digest.startsWith(prefix) ? fromHex(digest.slice(prefix.length)) : Buffer.from(digest, 'utf8');

/** The other way, for what was written as a digest. */
export const digestText = (bytes: Uint8Array): Digest => `${prefix}${toHex(bytes)}` as Digest;
