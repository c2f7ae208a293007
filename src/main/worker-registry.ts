/** Who may take work of this store from elsewhere: rows of the store, the same for every server. */
import { createHash, randomBytes } from 'node:crypto';
import type { Instant } from '../domain/ids.ts';
import { slotsHeld } from '../engine/plane-offers.ts';
import { planeWorkers } from '../engine/plane-workers.ts';
import type { WorkerRegistry } from '../ports/worker-registry.ts';
import { openStore } from './open-store.ts';
import type { Surroundings } from './surroundings.ts';

/** Long enough to walk to the other machine. */
const codeMs = 15 * 60_000;
/** 80 bits of chance, in the alphabet that nobody misreads. */
const codeBytes = 16;
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

export function workerRegistry(around: Surroundings): WorkerRegistry {
  const withStore = async <T>(
    use: (means: Awaited<ReturnType<typeof openStore>>) => Promise<T>,
  ): Promise<T> => {
    const opened = await openStore(around);
    try {
      return await use(opened);
    } finally {
      await opened.store.close();
    }
  };
  return {
    enroll: (now) =>
      withStore(async (opened) => {
        const code = newCode();
        const expiresAt = (now + codeMs) as Instant;
        const digest = createHash('sha256').update(code).digest('hex');
        await planeWorkers(opened).addCode({ digest, expiresAt });
        return { code, expiresAt };
      }),
    list: () =>
      withStore(async (opened) => {
        const open = await opened.store.openExecutions();
        const workers = await planeWorkers(opened).list();
        return workers.map(({ publicKey: _key, ...worker }) => ({
          ...worker,
          busy: slotsHeld(open, worker.id),
        }));
      }),
    revoke: (id) => withStore((opened) => planeWorkers(opened).revoke(id)),
  };
}

function newCode(): string {
  const letters = [...randomBytes(codeBytes)].map((byte) => alphabet.charAt(byte & 31)).join('');
  return (letters.match(/.{4}/g) ?? []).join('-');
}
