/**
 * Signed statements of where a stream stood when its run parked or ended (design/store.md, "Hash
 * chain"): whoever rewrites a chain without the key of the installation is found out by them.
 */
import type { Digest, Instant } from '../domain/ids.ts';

export interface Head {
  /** Name of the stream: the id of its run. */
  readonly stream: string;
  readonly version: number;
  /** Hash of the chain at that version, in hex. */
  readonly digest: string;
  /** When it was signed. */
  readonly at: Instant;
  /** The artifact that the whole stream was moved into; absent: it was not. */
  readonly archive?: Digest;
  /** Of the lines of an archive that stand before it; absent: it stands in none. */
  readonly content?: Digest;
}

export interface HeadSeal {
  /** One line of text. */
  sign(head: Head): string;
  /**
   * What the key of this installation signed, or that of another server of the same database; null
   * for anything else. Never throws.
   */
  open(statement: string): Head | null;
}
