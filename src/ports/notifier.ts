/** Telling a person outside of the terminal (UX 4.2, faults L-H9). */
import type { NoticeKind, NoticeTarget } from '../domain/definition/definition.ts';
import type { Instant, RunId } from '../domain/ids.ts';
import type { CancelSignal } from '../kernel/cancel-signal.ts';
import type { Position } from './store.ts';

/** Bounded facts; texts that a lane may have written are cut and one line each. */
export interface Notice {
  /** `<run>.<version of the event>`: the same notice has the same id. `test` for a trial. */
  readonly id: string;
  readonly kind: NoticeKind | 'test';
  readonly at: Instant;
  /** Null for a trial. */
  readonly run: {
    readonly id: RunId;
    readonly short: string;
    readonly name: string;
    readonly project: string;
    readonly status: string;
    readonly reason: string | null;
  } | null;
  /** `needs operator: attempts spent`. */
  readonly title: string;
  readonly text: string;
  /** When the limit ends that is waited for; null: none is. */
  readonly until: Instant | null;
  /** What to type. */
  readonly command: string;
  /** Folder in which a command is run. */
  readonly directory: string;
}

export interface Delivery {
  readonly state: 'delivered' | 'not_delivered';
  /** One line, without secrets: `HTTP 204`, `no display`. */
  readonly detail: string;
}

export interface Notifier {
  /** How a target is called in records and on pages; never tells a secret. */
  label(target: NoticeTarget): string;
  /** Never rejects, and answers within a minute: what did not arrive is told as that. */
  deliver(notice: Notice, target: NoticeTarget, signal: CancelSignal): Promise<Delivery>;
}

/** Up to which position of the store's events notices were looked for; durable, and may be old. */
export interface NoticeCursor {
  /** Null when nothing was kept. */
  read(): Promise<Position | null>;
  write(position: Position): Promise<void>;
}
