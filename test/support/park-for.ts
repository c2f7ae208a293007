/** Parks a run for a given reason, whatever leads to it elsewhere: by the decider's own hand. */
import type { RunId } from '../../src/domain/ids.ts';
import { draftOf } from '../../src/domain/run/draft.ts';
import { park } from '../../src/domain/run/park.ts';
import { react } from '../../src/domain/run/react.ts';
import type { ParkReason } from '../../src/domain/run/state.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { foldEvolve } from '../../src/engine/fold.ts';
import { rowsOf } from '../../src/engine/rows.ts';
import { ok } from '../../src/kernel/result.ts';

export async function parkFor(
  { store, clock }: Pick<Engine, 'store' | 'clock'>,
  run: RunId,
  reason: ParkReason,
): Promise<void> {
  const at = clock.now();
  const [settled] = await store.transact([{ run, at, actor: 'driver' }], (aggregate) => {
    const { run: before } = aggregate;
    if (before.status === 'unborn') throw new Error('no run');
    const then = { job: 'execute', session: 'fresh', tree: 'same', commit: null } as const;
    const paths = reason === 'drift_detected' || reason === 'protected_changed' ? ['ci.yml'] : [];
    const { events } = park(draftOf(before, at), reason, { detail: 'why', then, paths });
    const next = events.reduce(foldEvolve, aggregate);
    const works = events.flatMap((event) => react(next.run, event));
    const rows = rowsOf(run, { aggregate: next, works, touched: new Map() }, at);
    return ok({ events, next, rows });
  });
  if (settled?.kind !== 'committed') throw new Error(`not parked: ${settled?.kind}`);
}
