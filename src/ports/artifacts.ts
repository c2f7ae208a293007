import type { Digest, RunId } from '../domain/ids.ts';

/** Content-addressed bytes (sha256). */
export interface Artifacts {
  /** Durable before it answers: file and folder are synced. The same bytes give the same digest. */
  put(bytes: Uint8Array | string, kind: ArtifactKind): Promise<Digest>;
  /** Verified against the digest on the way out; null when it is not here (pruned, never put). */
  get(digest: Digest): Promise<Uint8Array | null>;
}

/** At most so many bytes are kept under one digest. */
export const artifactBytesMax = 256 * 1024 * 1024;

/**
 * Where artifacts are kept, on a disk or in a database. One suite holds for each: an artifact is
 * seen when it is whole and verified, and not before; what was cut off anywhere leaves nothing that
 * is seen; `put` counts the age of what is there anew before it answers. More than
 * {@link artifactBytesMax} is refused as WorldError `artifact_too_large`.
 */
export interface ArtifactStore extends Artifacts {
  /** As {@link put}, holding a bounded part at a time; whatever `parts` throws is thrown. */
  putParts(parts: AsyncIterable<Uint8Array>, kind: ArtifactKind): Promise<Digest>;
  /**
   * As {@link get}, a bounded part at a time. The last part comes only when all of them were
   * verified, so that whoever has read to the end has what the digest names.
   */
  parts(digest: Digest): Promise<ArtifactParts | null>;
}

export interface ArtifactParts {
  readonly size: number;
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** What a row of a store refers to. */
export interface Referred {
  readonly digest: Digest;
  /** Of one that refers to it; null: its stream is gone. */
  readonly run: RunId | null;
  readonly name: string;
}

export type ArtifactKind =
  | 'definition'
  | 'hint'
  | 'answer'
  | 'question'
  | 'opinion'
  | 'note'
  | 'verdict'
  | 'receipt'
  | 'attestation'
  | 'output'
  | 'archive'
  | 'journal'
  | 'history'
  | 'escalation'
  | 'prompt'
  | 'checkpoint'
  | 'bundle';
