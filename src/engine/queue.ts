/** Who waits for a free slot, in the order in which they get one: whoever was started first. */
import type { Definition } from '../domain/definition/definition.ts';
import type { RunId } from '../domain/ids.ts';
import type { RunRow, Store } from '../ports/store.ts';
import type { Engine } from './engine.ts';

export interface Queued {
  readonly row: RunRow;
  readonly run: RunId;
  /** Of the timer that ends the wait. */
  readonly generation: number;
}

const runsMax = 10_000;

export async function queuedRuns(store: Store): Promise<readonly Queued[]> {
  const rows = await store.runs({ open: true, status: ['active'], limit: runsMax });
  return rows
    .filter(({ phase }) => phase === 'waiting')
    .flatMap(queued)
    .sort(byStart);
}

function queued(row: RunRow): Queued[] {
  const { run } = row.aggregate;
  if (run.status !== 'active' || run.stage.phase !== 'waiting') return [];
  const { reason, generation, placed } = run.stage;
  // Who waits for a worker takes no place of those who wait for a slot.
  const isQueued = reason === 'no_capacity' && placed === undefined;
  return isQueued ? [{ row, run: row.id, generation }] : [];
}

const byStart = (a: Queued, b: Queued): number => order(a.row, b.row);

type Started = Pick<RunRow, 'id' | 'createdAt'>;

/** Negative when `a` was started before `b`. */
export function order(a: Started, b: Started): number {
  return a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1);
}

/** `group web: 3 of 3 busy, 2 before it`. */
export function slotsWords({ group, max }: Definition['concurrency'], before: number): string {
  return `group ${group}: ${max} of ${max} busy, ${before} before it`;
}

const rememberedMs = 250;

/** Where a run stands in its queue now; null for one that waits in none. */
export function queuePlaces(
  { store, clock }: Pick<Engine, 'store' | 'clock'>,
  definition: (row: RunRow) => Promise<Definition | null>,
): (row: RunRow) => Promise<string | null> {
  let looked: { readonly atMs: number; readonly queue: readonly Queued[] } | null = null;
  const queue = async (): Promise<readonly Queued[]> => {
    const nowMs = clock.monotonicMs();
    if (looked === null || nowMs - looked.atMs >= rememberedMs) {
      looked = { atMs: nowMs, queue: await queuedRuns(store) };
    }
    return looked.queue;
  };
  const groupOf = async (row: RunRow) => (await definition(row))?.concurrency ?? null;
  return async (row) => {
    const own = waitsForSlot(row) ? await groupOf(row) : null;
    if (own === null) return null;
    const ahead = (await queue()).filter((other) => order(other.row, row) < 0);
    const groups = await Promise.all(ahead.map((other) => groupOf(other.row)));
    return slotsWords(own, groups.filter((other) => other?.group === own.group).length);
  };
}

/** Not one that waits because its budgets could not be read. */
function waitsForSlot(row: RunRow): boolean {
  const { run } = row.aggregate;
  const isWaiting = run.status === 'active' && run.stage.phase === 'waiting';
  return isWaiting && run.stage.slot === true;
}
