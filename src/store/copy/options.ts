import type { Artifacts } from '../../ports/artifacts.ts';
import type { Clock } from '../../ports/clock.ts';
import type { AuditReport, SeatRow, Store } from '../../ports/store.ts';
import type { CopyProgress } from '../../ports/store-admin.ts';

export interface CopyOptions {
  /** Of the file. */
  readonly directory: string;
  readonly url: string;
  readonly clock: Clock;
  readonly artifacts: {
    readonly from: Artifacts;
    /** Null: the bytes stay where they are. */
    readonly to: Artifacts | null;
  };
  readonly lives: (seat: SeatRow) => boolean;
  /** What is wrong with the projections, read inside the transaction. */
  readonly judge: (read: Pick<Store, 'runs' | 'events' | 'unreferenced'>) => Promise<Problems>;
  readonly progress: (progress: CopyProgress) => void;
}

type Problems = AuditReport['problems'];
