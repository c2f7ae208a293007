/**
 * When a run parks or ends, the head of its stream is signed (design/store.md, "Hash chain"). It is
 * found by its row, so a driver that was killed in between signs at its next start.
 */
import type { HeadSeal } from '../ports/heads.ts';
import type { Engine } from './engine.ts';

/** Heads in one go; what is more is signed at the next one. */
const headsMax = 200;

/** Signs what rests unsigned; `seal` is made when the first head is there to sign. */
export function headSigner(
  { store, artifacts, clock }: Pick<Engine, 'store' | 'artifacts' | 'clock'>,
  seal: () => Promise<HeadSeal>,
): { readonly signRested: () => Promise<void> } {
  return {
    signRested: async () => {
      for (const { run, version, hash } of await store.unsignedHeads(headsMax)) {
        const head = { stream: run, version, digest: hash, at: clock.now() };
        const statement = await artifacts.put((await seal()).sign(head), 'receipt');
        await store.keepHead({ run, version }, statement);
      }
    },
  };
}
