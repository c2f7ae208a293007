import type { Digest } from '../domain/ids.ts';

/** Content-addressed bytes (sha256). */
export interface Artifacts {
  /** Durable before it answers: file and folder are synced. The same bytes give the same digest. */
  put(bytes: Uint8Array | string, kind: ArtifactKind): Promise<Digest>;
  /** Verified against the digest on the way out; null when it is not here (pruned, never put). */
  get(digest: Digest): Promise<Uint8Array | null>;
}

export type ArtifactKind =
  | 'definition'
  | 'hint'
  | 'answer'
  | 'question'
  | 'note'
  | 'verdict'
  | 'receipt'
  | 'attestation'
  | 'output'
  | 'journal'
  | 'history'
  | 'escalation'
  | 'prompt'
  | 'checkpoint'
  | 'bundle';
