/**
 * Removes artifacts of the database that no row refers to and nobody has put since: first they
 * become `deleting`, in a transaction that waits for whoever refers to them and that he who refers
 * later waits for; then their bytes go, and their rows. Killed anywhere, the next one goes on.
 */
import type { Digest } from '../../domain/ids.ts';
import type { ArtifactCollector, Collected, CollectRequest } from '../../ports/collector.ts';
import { digestText } from '../bytes.ts';
import {
  lockOrphans,
  markDeleting,
  orphans,
  removeContent,
  staleUploads,
} from './sql/artifacts.ts';
import { together } from './together.ts';
import type { Ways } from './writes.ts';

type Way = Ways['repeatable'];

const atOnce = 200;
/** Of one call; the next one goes on. */
const rowsMax = 20_000;

/** The collector of what `postgresArtifacts` puts. */
export const postgresCollector = (way: Way): ArtifactCollector => ({
  path: 'artifacts of the database',
  collect: async (request) => {
    const total = await eachPage(way, request);
    if (!request.dry) await sweep(way, request);
    return total;
  },
});

async function eachPage(way: Way, request: CollectRequest): Promise<Collected> {
  const { before, dry, keep, signal } = request;
  const total = { files: 0, bytes: 0 };
  let after: Uint8Array = new Uint8Array();
  for (let seen = 0; seen < rowsMax && !signal.aborted; seen += atOnce) {
    const page = await way((session) => session.all(orphans, before, after, atOnce));
    const last = page.at(-1);
    if (last === undefined) break;
    after = last.digest;
    const free = page.filter(({ digest }) => !keep.has(digestText(digest)));
    const gone = dry
      ? free
      : await marked(
          way,
          request,
          free.map(({ digest }) => digestText(digest)),
        );
    total.files += gone.length;
    total.bytes += gone.reduce((sum, { size }) => sum + size, 0);
    if (page.length < atOnce) break;
  }
  return total;
}

function marked(way: Way, { before }: CollectRequest, digests: readonly Digest[]) {
  const wanted = digests.map((one) => one.slice('sha256:'.length));
  return way((session) =>
    together(session, async () => {
      const held = (await session.all(lockOrphans, before, wanted)).map(({ hex }) => hex);
      return session.all(markDeleting, held);
    }),
  );
}

/** Bytes that no artifact names any more, or that nobody goes on with. */
async function sweep(way: Way, { before, signal }: CollectRequest): Promise<void> {
  let after = 0;
  for (let seen = 0; seen < rowsMax && !signal.aborted; seen += atOnce) {
    const page = await way((session) => session.all(staleUploads, before, after, atOnce));
    for (const { content } of page) {
      if (signal.aborted) return;
      await way((session) => session.all(removeContent, before, content));
      after = content;
    }
    if (page.length < atOnce) return;
  }
}
