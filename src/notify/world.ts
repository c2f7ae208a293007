/** What the ways of telling somebody are given of the world. */
import type { Clock } from '../ports/clock.ts';
import type { Execute } from './execute.ts';

export interface World {
  readonly clock: Clock;
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The value of a CredentialRef. @throws an error that tells no value. */
  readonly resolve: (reference: string) => Promise<string>;
  /** Whether a program of that name would be found. */
  readonly finds: (program: string) => boolean;
  readonly execute: Execute;
  /** Uniform in [0, 1): jitter of the back-off. */
  readonly fraction: () => number;
}
