/**
 * The installation's own signing key (Ed25519). It is made once, lies 0600 in a folder that no lane
 * is told, and signs receipts; the public half is what a stranger needs to check one.
 */
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign as signBytes,
} from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { WorldError } from '../kernel/errors.ts';

export interface Signer {
  /** `sha256:` of the public key (DER); what an envelope names the key by. */
  readonly keyId: string;
  readonly publicKeyPem: string;
  /** The worker whose key it is; absent: of an installation. */
  readonly worker?: string;
  sign(bytes: Uint8Array): Uint8Array;
}

/**
 * Loads the key of the directory, or makes it, and sees that its public half lies beside it. Two
 * processes that make it at once end with the same key. @throws WorldError `key_unusable` when a
 * key lies there that cannot be read or is of another kind.
 */
export function diskSigner(options: { readonly directory: string }): Signer {
  mkdirSync(options.directory, { recursive: true, mode: 0o700 });
  const path = join(options.directory, 'receipts.key.pem');
  const pem = readOrNull(path) ?? makeKey(options.directory, path);
  const signer = signerOf(privateKey(pem, path));
  publish(publicKeyPath(options.directory), signer.publicKeyPem);
  return signer;
}

/** Where the public half lies, to be handed to strangers. */
export const publicKeyPath = (directory: string): string => join(directory, 'receipts.pub.pem');

/** Put right whenever it is not the half of the key that signs. */
function publish(path: string, pem: string): void {
  if (readOrNull(path) === pem) return;
  const aside = `${path}.${process.pid}.${Date.now()}`;
  writeFileSync(aside, pem, { mode: 0o644, flag: 'wx' });
  renameSync(aside, path);
}

/** A signer of a key that lives in memory alone: simulations and tests. */
export function memorySigner(): Signer {
  return signerOf(generateKeyPairSync('ed25519').privateKey);
}

export function keyIdOf(publicKeyPem: string): string {
  const der = createPublicKey(publicKeyPem).export({ type: 'spki', format: 'der' });
  return `sha256:${createHash('sha256').update(der).digest('hex')}`;
}

/** Of a private key that is kept elsewhere. */
export function signerOf(key: KeyObject): Signer {
  const publicKeyPem = createPublicKey(key).export({ type: 'spki', format: 'pem' }).toString();
  return {
    keyId: keyIdOf(publicKeyPem),
    publicKeyPem,
    sign: (bytes) => signBytes(null, bytes, key),
  };
}

function readOrNull(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error: unknown) {
    if (isCode(error, 'ENOENT')) return null;
    throw new WorldError('key_unusable', `the signing key cannot be read: ${path}`, {}, error);
  }
}

/**
 * Written aside, synced, then linked: the name never shows half a key, and the first maker wins.
 */
function makeKey(directory: string, path: string): string {
  const { privateKey: made } = generateKeyPairSync('ed25519');
  const pem = made.export({ type: 'pkcs8', format: 'pem' }).toString();
  const aside = join(directory, `.receipts.${process.pid}.${Date.now()}`);
  const file = openSync(aside, 'wx', 0o600);
  try {
    writeSync(file, pem);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  try {
    linkSync(aside, path);
    return pem;
  } catch (error: unknown) {
    if (!isCode(error, 'EEXIST')) throw error;
    return readFileSync(path, 'utf8');
  } finally {
    rmSync(aside, { force: true });
  }
}

function privateKey(pem: string, path: string): KeyObject {
  try {
    const key = createPrivateKey(pem);
    if (key.asymmetricKeyType === 'ed25519') return key;
  } catch (error: unknown) {
    throw new WorldError('key_unusable', `the signing key is damaged: ${path}`, {}, error);
  }
  throw new WorldError('key_unusable', `the signing key is not Ed25519: ${path}`);
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
