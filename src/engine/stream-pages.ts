import type { RunId } from '../domain/ids.ts';
import type { Store, StoredEvent } from '../ports/store.ts';

const pageSize = 500;

/** Every event of a stream, a page at a time; bounded by its length, since each page moves on. */
export async function* streamOf(
  store: Pick<Store, 'events'>,
  run: RunId,
): AsyncGenerator<StoredEvent> {
  for (let after = 0, full = true; full; ) {
    const page = await store.events(run, after, pageSize);
    yield* page;
    full = page.length === pageSize;
    after = page.at(-1)?.version ?? after;
  }
}
