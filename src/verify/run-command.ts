import type { Digest } from '../domain/ids.ts';
import type { Proof } from '../ports/processes.ts';

/** One command that ran to its end, its deadline or a cancel. */
export interface CommandRun {
  readonly command: string;
  readonly ended: 'exit' | 'deadline' | 'cancelled';
  readonly exit: number | null;
  readonly signal: string | null;
  readonly durationMs: number;
  /** Head and tail of what it printed, both streams as they came, redacted. */
  readonly text: string;
  readonly output: Digest;
  readonly proof: Proof;
}
