/** What `pawl doctor` asks this machine (UX 5.4). What nobody can tell is `unknown`, never `ok`. */
import type { ExecutionId } from '../domain/ids.ts';
import type { Notifier } from './notifier.ts';

export type HealthState = 'ok' | 'warn' | 'fail' | 'unknown';

export interface HealthCheck {
  /** `machine.git`: stable, for programs. */
  readonly id: string;
  readonly state: HealthState;
  /** One line. */
  readonly detail: string;
  /** What to type, or to do; null where there is nothing to be done. */
  readonly next: string | null;
  /** For programs: what the line was made of. */
  readonly facts?: Readonly<Record<string, unknown>>;
  /** Only what can be taken back. */
  readonly fix?: { readonly says: string; readonly run: () => Promise<void> };
}

export interface Health {
  /** node, git, disk, what keeps the machine awake. */
  machine(): Promise<readonly HealthCheck[]>;
  /** Where the store lies, who may read it, whether commits reach the disk. */
  store(): Promise<readonly HealthCheck[]>;
  /** Living processes that carry the marker of an execution; null where no platform tells. */
  marked(): Promise<readonly { readonly pid: number; readonly execution: ExecutionId }[] | null>;
  notifier(): Notifier;
}
