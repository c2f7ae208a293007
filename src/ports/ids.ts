import type { GrantId, RunId } from '../domain/ids.ts';

/** The only source of chance in the engine; seeded in the simulation. */
export interface Ids {
  run(): RunId;
  grant(): GrantId;
  /** 16 random bytes in hex. */
  nonce(): string;
  /** Uniform in [0, 1): jitter. */
  fraction(): number;
}
