/** Who may take work of this store from elsewhere: rows of the store, the same for every server. */
import { createHash, createPublicKey, randomBytes } from 'node:crypto';
import type { Instant } from '../domain/ids.ts';
import { slotsHeld } from '../engine/plane-offers.ts';
import { type EnrolledWorker, planeWorkers, standingOf } from '../engine/plane-workers.ts';
import { signingKeys } from '../engine/signing-keys.ts';
import type { WorkerRegistry } from '../ports/worker-registry.ts';
import { fileStatus } from '../store/sqlite/status.ts';
import { keyIdOf } from '../verify/signer.ts';
import { openStore } from './open-store.ts';
import type { Surroundings } from './surroundings.ts';

/** Long enough to walk to the other machine. */
const codeMs = 15 * 60_000;
/** 80 bits of chance, in the alphabet that nobody misreads. */
const codeBytes = 16;
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** Whoever else signs for this store: a worker, or another server of its database. */
export interface OtherSigner {
  /** `worker ada (w-…), enrolled`. */
  readonly who: string;
  /** Name of the file in which its public key is handed on. */
  readonly file: string;
  readonly isRevoked: boolean;
  /** Null: it is no worker's key. */
  readonly worker: string | null;
  readonly pem: string;
}

/** Whose key has that id, revoked ones too; null: none that is known. */
export const signerOfKey = (around: Surroundings, keyId: string): Promise<OtherSigner | null> =>
  inStoreOr(null, around, async (opened) => {
    const signing = (await planeWorkers(opened).list()).map(workerSigner);
    const worker = signing.find(({ pem }) => keyIdOf(pem) === keyId);
    if (worker !== undefined) return worker;
    const server = (await signingKeys(opened.store)).find((one) => one.keyId === keyId);
    // The name of a key proves nothing: whoever signs must have the key itself.
    if (server === undefined || keyIdOf(server.publicKeyPem) !== keyId) return null;
    return {
      who: `server at ${server.machine}`,
      file: `server-${keyId.replace(/^sha256:/, '').slice(0, 16)}`,
      isRevoked: false,
      worker: null,
      pem: server.publicKeyPem,
    };
  });

function workerSigner({ publicKey, id, name, state }: EnrolledWorker): OtherSigner {
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: publicKey };
  const key = createPublicKey({ key: jwk, format: 'jwk' });
  const pem = key.export({ type: 'spki', format: 'pem' }).toString();
  const who = `worker ${name} (${id}), ${state}`;
  return { who, file: `worker-${id}`, isRevoked: state === 'revoked', worker: id, pem };
}

async function inStore<T>(
  around: Surroundings,
  use: (means: Awaited<ReturnType<typeof openStore>>) => Promise<T>,
): Promise<T> {
  const opened = await openStore(around);
  try {
    return await use(opened);
  } finally {
    await opened.store.close();
  }
}

/** Who only asks makes no store: where there is none, `none` is the answer. */
async function inStoreOr<T>(
  none: T,
  around: Surroundings,
  use: (means: Awaited<ReturnType<typeof openStore>>) => Promise<T>,
): Promise<T> {
  const isThere = around.database !== null || fileStatus(around.home).format !== null;
  return isThere ? await inStore(around, use) : none;
}

export function workerRegistry(around: Surroundings): WorkerRegistry {
  return {
    enroll: () =>
      inStore(around, async (opened) => {
        const code = newCode();
        // By the clock of the store, which every server judges it by.
        const expiresAt = (opened.clock.now() + codeMs) as Instant;
        const digest = createHash('sha256').update(code).digest('hex');
        await planeWorkers(opened).addCode({ digest, expiresAt });
        return { code, expiresAt };
      }),
    list: () =>
      inStoreOr([], around, async (opened) => {
        const open = await opened.store.openExecutions();
        const workers = await planeWorkers(opened).list();
        return workers.map(({ publicKey: _key, ...worker }) => ({
          ...worker,
          state: standingOf(worker, open, opened.clock.now()),
          busy: slotsHeld(open, worker.id),
        }));
      }),
    revoke: (id) => inStoreOr(false, around, (opened) => planeWorkers(opened).revoke(id)),
  };
}

function newCode(): string {
  const letters = [...randomBytes(codeBytes)].map((byte) => alphabet.charAt(byte & 31)).join('');
  return (letters.match(/.{4}/g) ?? []).join('-');
}
