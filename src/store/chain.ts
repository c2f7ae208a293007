/**
 * The hash chain of a stream and the chain of all streams (design/store.md, "Hash chain").
 *
 * Invariants:
 *   H1. hash = sha256(prev, stream, version, type, format, at, dataHash, actor), as lines; the free
 *       text comes last, so two different events never give the same bytes.
 *   H2. dataHash = sha256(salt ‖ data): the data can be erased and the chain still closes.
 *   H3. The registry chains the names of the streams in the order of their creation, and each entry
 *       names the stream before it: a stream that was taken out is named by its neighbour.
 */
import { hash, randomBytes } from 'node:crypto';

/** Covers tables, state JSON, event types; read in every writing transaction. */
export const storeFormat = 2;

/** What the first event of a stream, and the first stream of a store, follow. */
export const genesis = '0'.repeat(64);

export interface ChainedEvent {
  readonly stream: string;
  readonly version: number;
  readonly type: string;
  readonly format: number;
  readonly at: number;
  readonly actor: string;
}

/** Hex of sha256(salt ‖ data); the salt keeps short data from being guessed once it is erased. */
export const hashData = (salt: string, data: string): string => hash('sha256', salt + data, 'hex');

export function hashEvent(prev: string, event: ChainedEvent, dataHash: string): string {
  const { stream, version, type, format, at, actor } = event;
  const text = `${prev}\n${stream}\n${version}\n${type}\n${format}\n${at}\n${dataHash}\n${actor}`;
  return hash('sha256', text, 'hex');
}

export const hashStream = (prev: string, seq: number, stream: string): string =>
  hash('sha256', `${prev}\n${seq}\n${stream}`, 'hex');

/** A text column ends at its first NUL for some bindings; an actor comes from outside. */
export const actorText = (actor: string): string =>
  actor.includes('\0') ? actor.replaceAll('\0', '\ufffd') : actor;

const saltBytes = 16;
const saltsAtOnce = 256;

/**
 * 16 random bytes in hex, drawn in blocks: a system call per event would cost more than its hash.
 */
export function randomSalts(): () => string {
  let pool = '';
  let used = 0;
  return () => {
    if (used === pool.length) {
      pool = randomBytes(saltBytes * saltsAtOnce).toString('hex');
      used = 0;
    }
    used += saltBytes * 2;
    return pool.slice(used - saltBytes * 2, used);
  };
}
