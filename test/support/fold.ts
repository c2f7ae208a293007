import { expect } from 'vitest';
import type { RunAggregate, StreamEvent } from '../../src/domain/run/aggregate.ts';
import type { Store } from '../../src/ports/store.ts';

const runsMax = 10_000;
const eventsAtOnce = 500;

/**
 * Asserts that folding every stream of the store gives exactly the stored projection: the state is
 * what the events say and nothing else. Every test that makes streams ends with it.
 *
 * `fold` is the engine's (`foldEvolve`), or that of the test's own decider.
 */
export async function expectFoldIsProjection(
  store: Store,
  fold: (aggregate: RunAggregate, event: StreamEvent) => RunAggregate,
): Promise<void> {
  for (const row of await store.runs({ limit: runsMax })) {
    let aggregate: RunAggregate = { run: { status: 'unborn' }, executions: [] };
    let version = 0;
    for (;;) {
      const events = await store.events(row.id, version, eventsAtOnce);
      for (const event of events) {
        expect(event.version, `events of ${row.id} without a gap`).toBe(version + 1);
        aggregate = fold(aggregate, event.event);
        version = event.version;
      }
      if (events.length < eventsAtOnce) break;
    }
    expect(version, `${row.id} ends where its row says`).toBe(row.version);
    // Through JSON, as it is stored: an absent and an undefined member are the same there.
    expect(row.aggregate, `fold = projection of ${row.id}`).toEqual(
      JSON.parse(JSON.stringify(aggregate)),
    );
  }
}
