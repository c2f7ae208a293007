/** Signed statements of seals: who handed in which result of which execution (DESIGN §6). */
import type { Granted } from './plane.ts';
import type { Digest, JobResult } from './words.ts';

export type SealedMessage = Granted & { readonly seal: Digest; readonly result: JobResult };

export interface SealAttestor {
  /** An in-toto statement of exactly this message in a DSSE envelope, as text. */
  attest(message: SealedMessage): string;
}

export interface SealJudge {
  /**
   * Whether this worker's own key signed a statement of exactly this message. `publicKey`: 32 raw
   * bytes, base64url, as it was enrolled. Never throws for what the envelope holds.
   */
  isOf(
    envelope: string,
    signer: { readonly worker: string; readonly publicKey: string },
    message: SealedMessage,
  ): boolean;
}
