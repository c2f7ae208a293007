/** The check of the whole database, on a connection and a snapshot of its own. */
import type { RunId } from '../../domain/ids.ts';
import type { ArchivedStream, AuditReport, KeptHead } from '../../ports/store.ts';
import { archivedStream, archiveKey } from '../archive/marks.ts';
import {
  auditRegistry,
  auditStream,
  type EventEntry,
  type Problem,
  type RegistryHead,
  registryKey,
} from '../audit.ts';
import { digestText, toHex } from '../bytes.ts';
import { versionOfHead } from '../heads.ts';
import { chainEntry } from '../rows.ts';
import { archiveMarks } from '../sql/archive.ts';
import { chainOfStream, headOfStream } from '../sql/events.ts';
import { getMeta } from '../sql/meta.ts';
import { countUnsigned, keptHeads } from '../sql/references.ts';
import { allStreams, strayStreams } from '../sql/streams.ts';
import type { Session } from './connect.ts';

const eventsAtOnce = 500;

export async function auditDatabase(session: Session): Promise<AuditReport> {
  await session.exec('begin isolation level repeatable read read only');
  const report = await auditSnapshot(session);
  await session.exec('commit');
  return report;
}

/** In the transaction of its caller. */
export async function auditSnapshot(session: Session): Promise<AuditReport> {
  const streams = await session.all(allStreams);
  const entries = streams.map((row) => ({ ...row, hash: toHex(row.hash) }));
  const [registry] = await session.all(getMeta, registryKey);
  const head = registry === undefined ? null : (JSON.parse(registry.value) as RegistryHead);
  const problems: Problem[] = [...auditRegistry(entries, head)];
  for (const { stream } of await session.all(strayStreams)) {
    problems.push({ stream, version: null, what: 'it is not in the registry of streams' });
  }
  let events = 0;
  let erased = 0;
  const rows = await session.all(archiveMarks);
  const marks = new Map(rows.map((row) => [row.key, archivedStream(row)]));
  const archived: ArchivedStream[] = [];
  for (const { seq, stream } of entries) {
    const [row] = await session.all(headOfStream, seq);
    const mark = marks.get(archiveKey(stream));
    // A mark beside rows that are there changes nothing: they are checked.
    if (mark !== undefined && row === undefined) {
      if ((await session.all(chainOfStream, seq, 0, 1)).length === 0) {
        archived.push(mark);
        continue;
      }
    }
    const end = row === undefined ? null : { version: row.version, hash: toHex(row.head) };
    const audit = auditStream(stream, await chainOf(session, seq), end);
    events += audit.events;
    erased += audit.erased;
    problems.push(...audit.problems);
  }
  const heads = (await session.all(keptHeads)).map(
    ({ run, name, digest, hash }): KeptHead => ({
      run: run as RunId | null,
      version: versionOfHead(name) ?? 0,
      hash: hash === null ? null : toHex(hash),
      statement: digestText(digest),
    }),
  );
  const unsigned = (await session.all(countUnsigned))[0]?.n ?? 0;
  return { streams: entries.length, events, erased, heads, unsigned, archived, problems };
}

/** One stream whole: a run is bounded by its brakes. */
async function chainOf(session: Session, seq: number): Promise<readonly EventEntry[]> {
  const chain: EventEntry[] = [];
  for (let after = 0; ; ) {
    const rows = await session.all(chainOfStream, seq, after, eventsAtOnce);
    chain.push(...rows.map(chainEntry));
    const last = rows.at(-1);
    if (last === undefined || rows.length < eventsAtOnce) return chain;
    after = last.version;
  }
}
