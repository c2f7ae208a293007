/** The workers that may take work of this store from elsewhere, and how one becomes known. */
import type { Instant } from '../domain/ids.ts';

export interface WorkerRegistry {
  /** A code that makes one worker known, once, before it expires; it is shown once. */
  enroll(): Promise<{ readonly code: string; readonly expiresAt: Instant }>;
  /** Those that were enrolled, revoked ones too. */
  list(): Promise<readonly KnownWorker[]>;
  /** Its tokens are not renewed from now on; false: there is none of that id. */
  revoke(id: string): Promise<boolean>;
}

export interface KnownWorker {
  readonly id: string;
  readonly name: string;
  readonly labels: readonly string[];
  readonly slots: number;
  /** Executions that it holds, or cannot be proven not to hold. */
  readonly busy: number;
  readonly enrolledAt: Instant;
  readonly seenAt: Instant;
  /** As it told them last; absent: it never asked for work. */
  readonly capabilities?: readonly string[];
  /** `gone`: not seen for longer than a worker that lives can be. */
  readonly state: 'enrolled' | 'gone' | 'revoked';
}
