/** Who may take work of this store from elsewhere: rows of the store, the same for every server. */
import { createHash, createPublicKey, randomBytes } from 'node:crypto';
import type { Instant } from '../domain/ids.ts';
import { slotsHeld } from '../engine/plane-offers.ts';
import { planeWorkers } from '../engine/plane-workers.ts';
import type { KnownWorker, WorkerRegistry } from '../ports/worker-registry.ts';
import { keyIdOf } from '../verify/signer.ts';
import { openStore } from './open-store.ts';
import type { Surroundings } from './surroundings.ts';

/** Long enough to walk to the other machine. */
const codeMs = 15 * 60_000;
/** 80 bits of chance, in the alphabet that nobody misreads. */
const codeBytes = 16;
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** The worker that signs with the key of that id, revoked ones too; null: none that is known. */
export async function workerOfKey(
  around: Surroundings,
  keyId: string,
): Promise<SigningWorker | null> {
  const workers = await inStore(around, (opened) => planeWorkers(opened).list());
  const signing = workers.map(({ publicKey, id, name, state }) => {
    const jwk = { kty: 'OKP', crv: 'Ed25519', x: publicKey };
    const key = createPublicKey({ key: jwk, format: 'jwk' });
    return { id, name, state, pem: key.export({ type: 'spki', format: 'pem' }).toString() };
  });
  return signing.find(({ pem }) => keyIdOf(pem) === keyId) ?? null;
}

export type SigningWorker = Pick<KnownWorker, 'id' | 'name' | 'state'> & { readonly pem: string };

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

export function workerRegistry(around: Surroundings): WorkerRegistry {
  return {
    enroll: (now) =>
      inStore(around, async (opened) => {
        const code = newCode();
        const expiresAt = (now + codeMs) as Instant;
        const digest = createHash('sha256').update(code).digest('hex');
        await planeWorkers(opened).addCode({ digest, expiresAt });
        return { code, expiresAt };
      }),
    list: () =>
      inStore(around, async (opened) => {
        const open = await opened.store.openExecutions();
        const workers = await planeWorkers(opened).list();
        return workers.map(({ publicKey: _key, ...worker }) => ({
          ...worker,
          busy: slotsHeld(open, worker.id),
        }));
      }),
    revoke: (id) => inStore(around, (opened) => planeWorkers(opened).revoke(id)),
  };
}

function newCode(): string {
  const letters = [...randomBytes(codeBytes)].map((byte) => alphabet.charAt(byte & 31)).join('');
  return (letters.match(/.{4}/g) ?? []).join('-');
}
