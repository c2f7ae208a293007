import type { NoticeKind } from '../definition/definition.ts';

/** What the operator was told of this run, and what did not reach him. */
export interface Notices {
  /** Version of the newest event that notices were planned for. */
  readonly seen: number;
  /** Planned, and no outcome known yet; at most 8. */
  readonly pending: readonly {
    readonly about: number;
    readonly kind: NoticeKind;
    readonly to: string;
  }[];
  /** By label of the target, at most 8. */
  readonly told: readonly {
    readonly to: string;
    readonly delivered: number;
    readonly notDelivered: number;
    /** Of the newest notice that was not delivered. */
    readonly detail: string;
  }[];
}
