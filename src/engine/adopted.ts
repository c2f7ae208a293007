/**
 * Hosts that this driver did not start and that have not been heard since, looked at in every round
 * in place of every sweep: until they beat by themselves, or for as long as they live when they
 * never will, since a later program has migrated their store (design/store.md, "Format"). Those
 * are beaten for here, so that their leases last.
 */
import type { ExecutionId } from '../domain/ids.ts';
import type { CutBeat, LaneSighting } from '../ports/lanes.ts';
import type { HeartbeatAnswer, OpenExecution, Store } from '../ports/store.ts';

export interface Adopted {
  /** Keeps it in view, or lets it go; `isNew`: nobody has looked before. */
  saw(open: OpenExecution, sighting: LaneSighting, isNew: boolean): void;
  /** Of the open executions those in view. Cheap when there is none. */
  inView(): Promise<readonly OpenExecution[]>;
  /** Tells the store the host's own beat, each once; null: it was told, or is of no use. */
  beatFor(open: OpenExecution, cut: CutBeat): Promise<HeartbeatAnswer | null>;
}

export function adopted(store: Pick<Store, 'openExecutions' | 'heartbeat'>): Adopted {
  /** The beat of each in view; one that moves without us is the host's own. */
  const view = new Map<ExecutionId, number>();
  const beaten = new Map<ExecutionId, number>();
  const isWaited = ({ id, beat }: OpenExecution, isNew: boolean): boolean =>
    isNew || view.get(id) === beat;
  const letGo = (id: ExecutionId): void => {
    view.delete(id);
    beaten.delete(id);
  };
  return {
    saw: (open, sighting, isNew) => {
      const isCut = 'cut' in sighting && sighting.cut !== undefined;
      const isKept = isCut || (sighting.state === 'alive' && isWaited(open, isNew));
      if (isKept) view.set(open.id, open.beat);
      else letGo(open.id);
    },
    inView: async () => {
      if (view.size === 0) return [];
      const open = (await store.openExecutions()).filter(({ id }) => view.has(id));
      const ids = new Set(open.map(({ id }) => id));
      for (const id of [...view.keys()].filter((one) => !ids.has(one))) letGo(id);
      return open;
    },
    beatFor: async ({ id }, { grantId, beat, signals, usage }) => {
      if (beat <= (beaten.get(id) ?? 0)) return null;
      const answer = await store.heartbeat({ execution: id, grantId, beat, signals, usage });
      beaten.set(id, answer.ok ? beat : Number.POSITIVE_INFINITY);
      return answer;
    },
  };
}
