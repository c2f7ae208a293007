/**
 * What the models door tells, as the rule of liveness wants to hear it. Only bytes of good answers
 * are work: those of a refusal are none, however well they arrived.
 */
import type { Observation } from '../domain/liveness/watch.ts';
import type { DoorSignal, DoorState } from '../ports/models-door.ts';

/** An observation that has no time yet. */
export type Unseen = Observation extends infer One
  ? One extends unknown
    ? Omit<One, 'atMs'>
    : never
  : never;

export interface DoorEars {
  heard(signal: DoorSignal): void;
  /** Bytes come in their thousands; a look says whether there were any since the last one. */
  look(): void;
}

export function doorEars(
  state: () => Pick<DoorState, 'inFlight'> | null,
  see: (seen: Unseen) => void,
): DoorEars {
  /** Open calls that were answered with an error. */
  const refused = new Set<number>();
  /** Open calls whose answer has begun. */
  const answered = new Set<number>();
  let newestMs = Number.NEGATIVE_INFINITY;
  /**
   * A lane that hangs up on an answer says nothing against the service; one that had none gave up
   * waiting, and will ask again: some programs do so each minute.
   */
  const ended = ({ call, how }: Extract<DoorSignal, { kind: 'ended' }>) => {
    const isRefused = refused.delete(call);
    const isAnswered = answered.delete(call);
    if (how === 'done' && !isRefused) see({ kind: 'bytes' });
    const isOk = !isRefused && (how === 'done' || (how === 'left' && isAnswered));
    see({ kind: 'response', call, isOk });
  };
  return {
    heard(signal) {
      switch (signal.kind) {
        case 'requested':
          return see({ kind: 'request', call: signal.call });
        case 'headers':
          answered.add(signal.call);
          if (signal.status >= 400) refused.add(signal.call);
          return;
        case 'first_byte':
          if (!refused.has(signal.call)) see({ kind: 'bytes' });
          return;
        case 'ended':
          return ended(signal);
        default:
      }
    },
    look() {
      const good = (state()?.inFlight ?? []).filter(({ call }) => !refused.has(call));
      const newest = Math.max(...good.map((one) => one.lastByteMs ?? Number.NEGATIVE_INFINITY));
      if (newest > newestMs) see({ kind: 'bytes' });
      newestMs = Math.max(newestMs, newest);
    },
  };
}
