import type { Digest, Instant } from '../domain/ids.ts';
import type { CancelSignal } from '../kernel/cancel-signal.ts';

/** Takes away artifacts that no row refers to (design/store.md, "Artifact GC"). */
export interface ArtifactCollector {
  /** Where they lie, as it is shown. */
  readonly path: string;
  /**
   * Only what nobody has put since `before`; safe while others put and refer. What it leaves, for
   * its own bound or because the signal came, the next call finds.
   * @throws what the store throws, and errors of the disk.
   */
  collect(request: CollectRequest): Promise<Collected>;
}

export interface CollectRequest {
  readonly before: Instant;
  readonly signal: CancelSignal;
  /** Counts only. */
  readonly dry: boolean;
  /** Stay, although no row refers to them yet. */
  readonly keep: ReadonlySet<Digest>;
}

export interface Collected {
  readonly files: number;
  readonly bytes: number;
}
