import { randomBytes, randomInt } from 'node:crypto';
import type { GrantId, RunId } from '../domain/ids.ts';
import type { Ids } from '../ports/ids.ts';

/** RFC 4648 in lower case: no 0, 1, 8 or 9, which are read as letters. */
const alphabet = 'abcdefghijklmnopqrstuvwxyz234567';
const runIdLength = 12;

/** Chance from the operating system. */
export function nodeIds(): Ids {
  return {
    run: () =>
      [...randomBytes(runIdLength)].map((byte) => alphabet.charAt(byte & 31)).join('') as RunId,
    grant: () => randomBytes(16).toString('hex') as GrantId,
    nonce: () => randomBytes(16).toString('hex'),
    fraction: () => randomInt(2 ** 32) / 2 ** 32,
  };
}
