/**
 * A command that is sent twice with one key is done once: who lost the answer may ask again. The
 * memory is that of this process, so a key that was given to another one is refused, not guessed.
 */
import { createHash } from 'node:crypto';
import { ProductError, RequestError } from '../kernel/errors.ts';

export interface Keyed {
  /** `idempotency-key` of the request; undefined: each is a command of its own. */
  readonly key: string | undefined;
  /** Who sent it, and what: a key is good for the same command only. */
  readonly caller: string;
  readonly body: unknown;
  /** `pawl-instance` of the request: only who asks again names it. */
  readonly instance: string | undefined;
}

export interface DoneOnce {
  /** @throws RequestError `outcome_unknown` where another process was asked first. */
  run<T>(keyed: Keyed, command: () => Promise<T>): Promise<T>;
}

interface Kept {
  readonly digest: string;
  /** When it was done; null: it is being done, for hours maybe, and is not forgotten. */
  at: number | null;
  readonly outcome: Promise<unknown>;
}

const keptMax = 2_000;
const keptMs = 15 * 60_000;

export function doneOnce(options: {
  readonly instance: string;
  readonly now: () => number;
}): DoneOnce {
  const kept = new Map<string, Kept>();
  const forgetOld = (now: number): void => {
    for (const [name, { at }] of kept) {
      if (at !== null && (now - at >= keptMs || kept.size >= keptMax)) kept.delete(name);
    }
  };
  const keep = async <T>(name: string, digest: string, outcome: Promise<T>): Promise<T> => {
    const entry: Kept = { digest, at: null, outcome };
    kept.set(name, entry);
    try {
      return await outcome;
    } catch (error: unknown) {
      // What may succeed later must be possible with the same key.
      if (error instanceof ProductError && error.retryable) kept.delete(name);
      throw error;
    } finally {
      entry.at = options.now();
    }
  };
  return {
    run: async <T>(keyed: Keyed, command: () => Promise<T>): Promise<T> => {
      if (keyed.key === undefined) return command();
      const name = `${keyed.caller}\n${checkedKey(keyed.key)}`;
      const digest = createHash('sha256').update(JSON.stringify(keyed.body)).digest('hex');
      const before = kept.get(name);
      if (before !== undefined) {
        if (before.digest === digest) return (await before.outcome) as T;
        throw new RequestError('bad_value', 'this key was given to another request', {
          where: 'idempotency-key',
          next: 'give each command a key of its own',
        });
      }
      if (keyed.instance !== undefined && keyed.instance !== options.instance) {
        throw new RequestError('outcome_unknown', 'the server that was asked first is gone');
      }
      forgetOld(options.now());
      return keep(name, digest, command());
    },
  };
}

function checkedKey(key: string): string {
  if (/^[\w-]{8,100}$/.test(key)) return key;
  throw new RequestError('bad_value', 'the key is no word of 8 to 100 letters and digits', {
    where: 'idempotency-key',
    found: key.slice(0, 100),
    next: 'send a fresh UUID with each command',
  });
}
