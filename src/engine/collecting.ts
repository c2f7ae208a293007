/**
 * Which artifacts may go (docs/adr/0012). A row keeps an artifact; what has none is an orphan once
 * nobody has put it for a day. Rows are written with the event that names an artifact; what an
 * older program left out is added here, once for each length of a stream, before anything goes.
 */
import type { Digest, Instant } from '../domain/ids.ts';
import { digestsIn, type Reference } from '../domain/references.ts';
import type { CancelSignal } from '../kernel/cancel-signal.ts';
import type { ArtifactCollector, Collected } from '../ports/collector.ts';
import type { UnlistedStream } from '../ports/store.ts';
import { parsed, textOf } from './artifact-text.ts';
import type { Engine } from './engine.ts';
import { streamOf } from './stream-pages.ts';

/** Between the put of an artifact and the commit that refers to it lies less than this. */
const untouchedMs = 24 * 3_600_000;
/** A disk or a database may date an artifact a little before the clock of the run. */
const skewMs = 15 * 60_000;
const runsMax = 10_000;
const streamsPerPage = 200;
/** Of one collection; while there are more, everything is kept, and the next one goes on. */
const streamsMax = 20_000;

export type Collecting = Pick<Engine, 'store' | 'artifacts' | 'clock'>;

export interface CollectWish {
  readonly signal: CancelSignal;
  readonly dry?: boolean;
}

/**
 * Null: not every stream could be listed within the bounds, so nothing was taken.
 * @throws what the store, the artifacts and the disk throw; nothing is half-done by that.
 */
export async function collectOrphans(
  engine: Collecting,
  collector: ArtifactCollector,
  { signal, dry = false }: CollectWish,
): Promise<Collected | null> {
  // First: what is put from here on is younger, whatever becomes of its run meanwhile.
  const before = await orphansBefore(engine);
  const keep = new Set<Digest>();
  const missing = async (stream: UnlistedStream, references: readonly Reference[]) => {
    for (const { digest } of references) keep.add(digest);
    if (!dry) await engine.store.keepListed(stream, references);
  };
  if (!(await listAll(engine, signal, missing))) return null;
  return collector.collect({ before, signal, dry, keep });
}

/**
 * A seal can lie in a spool for as long as a machine is off, so that what was put since a run began
 * stays as long as it is worked on.
 */
async function orphansBefore({ store, clock }: Collecting): Promise<Instant> {
  const worked = await store.runs({
    status: ['active', 'waiting_human', 'cancelling'],
    limit: runsMax,
  });
  const begun = worked.map(({ createdAt }) => createdAt - skewMs);
  return Math.min(clock.now() - untouchedMs, ...begun) as Instant;
}

type Missing = (stream: UnlistedStream, references: readonly Reference[]) => Promise<void>;

async function listAll(
  engine: Collecting,
  signal: CancelSignal,
  missing: Missing,
): Promise<boolean> {
  let after = 0;
  for (let count = 0; count < streamsMax; count += streamsPerPage) {
    const page = await engine.store.unlisted(after, streamsPerPage);
    for (const stream of page) {
      if (signal.aborted) return false;
      await missing(stream, await unreferencedIn(engine, stream));
      after = stream.seq;
    }
    if (page.length < streamsPerPage) return true;
  }
  return false;
}

async function unreferencedIn(
  { store, artifacts }: Collecting,
  { run }: UnlistedStream,
): Promise<readonly Reference[]> {
  const named: Reference[] = [];
  for await (const { event } of streamOf(store, run)) named.push(...digestsIn(event));
  for (const digest of new Set(named.filter(isList).map((one) => one.digest))) {
    named.push(...digestsIn(parsed(await textOf(artifacts, digest))));
  }
  const lost = new Set(await store.unreferenced(named.map(({ digest }) => digest)));
  return named.filter(({ digest }) => lost.has(digest));
}

/** Verdicts, of work and of the base: they name what each criterion printed. */
const isList = ({ name }: Reference): boolean => /^(verdict|detail)\./.test(name);
