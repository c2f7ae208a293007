import type { Client } from '../ports/client.ts';
import type { Clock } from '../ports/clock.ts';
import type { OperatorTokens } from '../ports/operator-tokens.ts';
import type { Store } from '../ports/store.ts';
import type { Instant } from '../ports/words.ts';

/** What the operator endpoints are made over. */
export interface OperatorOptions {
  /** Its commands carry the principal that the token proves, whatever was sent. */
  readonly client: Client;
  /** Followers of all runs read by position, and hear of commits. */
  readonly store: Pick<Store, 'eventsAfter' | 'reaches' | 'hints'>;
  readonly clock: Pick<Clock, 'monotonicMs' | 'sleep'>;
  readonly tokens: Pick<OperatorTokens, 'check'>;
  readonly now: () => Instant;
  /** Whether this machine has a project at that absolute path. */
  readonly hasProject: (root: string) => Promise<boolean>;
  /** Names this process among others of the same store. */
  readonly instance: string;
  /** True: no new work is taken. */
  readonly isDraining: () => boolean;
  /** Asked to leave: hands over and ends. */
  readonly drain: () => void;
  /** Aborts when the server ends: streams end with it. */
  readonly signal: AbortSignal;
  /** A bug of ours in a stream, whose answer has begun: told to whoever runs the server. */
  readonly onBug: (error: unknown) => void;
  readonly streamsMax?: number;
}
