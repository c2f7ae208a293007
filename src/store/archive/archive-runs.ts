/**
 * Ended runs out of the store (design/store.md): each into one artifact, read again and checked
 * before anything of the run is deleted. Whoever is killed in between leaves the run, and at most a
 * file that nobody refers to.
 */
import { executionIds, type Instant, type RunId } from '../../domain/ids.ts';
import { WorldError } from '../../kernel/errors.ts';
import type { Artifacts } from '../../ports/artifacts.ts';
import type { Clock } from '../../ports/clock.ts';
import type { HeadSeal } from '../../ports/heads.ts';
import type { EndedRun, EvidenceRow, RawEvent, Store } from '../../ports/store.ts';
import type { ArchiveReport } from '../../ports/store-admin.ts';
import { living } from '../projection.ts';
import { archiveText, checkArchive } from './file.ts';

export interface ArchiveOptions {
  readonly store: Store;
  readonly artifacts: Artifacts;
  readonly clock: Clock;
  readonly seal: () => Promise<HeadSeal>;
  /** Ended before that. */
  readonly before: Instant;
  /** Says which would go, and writes nothing. */
  readonly dry: boolean;
  /** Why a run has to stay; null: it may go. */
  readonly keeps: (run: RunId) => Promise<string | null>;
}

/** In one go; what is left over is found by the next. */
const runsMax = 1_000;
const pageRuns = 50;
const eventsAtOnce = 500;

export async function archiveRuns(options: ArchiveOptions): Promise<ArchiveReport> {
  const archived: ArchiveReport['archived'][number][] = [];
  const kept: ArchiveReport['kept'][number][] = [];
  let after = 0;
  while (archived.length + kept.length < runsMax) {
    const page = await options.store.endedRuns(after, options.before, pageRuns);
    for (const ended of page) {
      const { name } = living(ended.aggregate);
      const why = await options.keeps(ended.run);
      const done = why === null ? await archiveRun(options, ended) : why;
      if (typeof done === 'string') kept.push({ run: ended.run, name, why: done });
      else archived.push({ run: ended.run, name, events: ended.version, ...done });
    }
    const last = page.at(-1);
    if (last === undefined || page.length < pageRuns) break;
    after = last.seq;
  }
  return { dry: options.dry, archived, kept };
}

type Done = Pick<ArchiveReport['archived'][number], 'archive' | 'bytes'>;

/** A text says why it stays. */
async function archiveRun(options: ArchiveOptions, ended: EndedRun): Promise<Done | string> {
  const { store, artifacts, clock } = options;
  const { run, version, hash } = ended;
  if (options.dry) return { archive: null, bytes: null };
  const seal = await options.seal();
  const head = { stream: run, version, digest: hash, at: clock.now() };
  const content = { stream: run, aggregate: ended.aggregate, events: await chainOf(store, run) };
  const evidence = await evidenceOf(store, ended);
  const text = archiveText({ ...content, evidence }, (said) =>
    seal.sign({ ...head, content: said }),
  );
  const archive = await artifacts.put(text, 'archive');
  const kept = await artifacts.get(archive);
  const finding = kept === null ? null : checkArchive(Buffer.from(kept).toString('utf8'), seal);
  if (finding === null) throw new WorldError('artifact_missing', `${archive} was not kept`);
  const [wrong] = finding.problems;
  if (wrong !== undefined || finding.hash !== hash) {
    return `its chain is not whole: ${wrong?.what ?? 'it ends elsewhere'}`;
  }
  const statement = seal.sign({ ...head, archive });
  const isDone = await store.archive({ run, version, hash, archive, statement, at: iso(head.at) });
  return isDone ? { archive, bytes: kept?.byteLength ?? 0 } : 'it has moved meanwhile';
}

const iso = (at: Instant): string => new Date(at).toISOString();

async function chainOf(store: Store, run: RunId): Promise<readonly RawEvent[]> {
  const chain: RawEvent[] = [];
  for (;;) {
    const page = await store.chain(run, chain.at(-1)?.version ?? 0, eventsAtOnce);
    chain.push(...page);
    if (page.length < eventsAtOnce) return chain;
  }
}

async function evidenceOf(store: Store, ended: EndedRun): Promise<readonly EvidenceRow[]> {
  const rows: EvidenceRow[] = [];
  for (const id of executionIds(ended.run, living(ended.aggregate).counters.executions)) {
    rows.push(...(await store.evidence(id)));
  }
  return rows;
}
