import type { ArtifactStore } from '../../ports/artifacts.ts';
import type { Clock } from '../../ports/clock.ts';
import type { AuditReport, SeatRow, Store } from '../../ports/store.ts';
import type { CopyProgress } from '../../ports/store-admin.ts';

export interface CopyOptions {
  /** Of the file. */
  readonly directory: string;
  readonly url: string;
  readonly clock: Clock;
  /** Where the bytes are that the rows of the file refer to. */
  readonly artifacts: Pick<ArtifactStore, 'parts'>;
  readonly lives: (seat: SeatRow) => boolean;
  /** What is wrong with the projections, read inside the transaction. */
  readonly judge: (read: Pick<Store, 'runs' | 'events' | 'unreferenced'>) => Promise<Problems>;
  readonly progress: (progress: CopyProgress) => void;
}

type Problems = AuditReport['problems'];
