/** The check of the whole file, on a connection and a snapshot of its own. */
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
  type StreamEntry,
} from '../audit.ts';
import { digestText, toHex } from '../bytes.ts';
import { versionOfHead } from '../heads.ts';
import { chainEntry } from '../rows.ts';
import { archiveMarks } from '../sql/archive.ts';
import { chainOfStream, headOfStream } from '../sql/events.ts';
import { getMeta } from '../sql/meta.ts';
import { countUnsigned, keptHeads } from '../sql/references.ts';
import { allStreams, strayStreams } from '../sql/streams.ts';
import type { Connection } from './connection.ts';

/** One snapshot for all of it. */
export async function auditFile(connection: Connection): Promise<AuditReport> {
  connection.exec('begin');
  const report = await auditSnapshot(connection);
  connection.exec('commit');
  return report;
}

/** In the transaction of its caller; lets other work of the process in between two streams. */
export async function auditSnapshot(connection: Connection): Promise<AuditReport> {
  const entries = connection.all(allStreams).map((row) => ({ ...row, hash: toHex(row.hash) }));
  const problems: Problem[] = [...auditRegistry(entries, registryHead(connection))];
  for (const { stream } of connection.all(strayStreams)) {
    problems.push({ stream, version: null, what: 'it is not in the registry of streams' });
  }
  let events = 0;
  let erased = 0;
  const marks = new Map(connection.all(archiveMarks).map((row) => [row.key, archivedStream(row)]));
  const archived: ArchivedStream[] = [];
  for (const entry of entries) {
    const mark = marks.get(archiveKey(entry.stream));
    if (mark !== undefined && isGone(connection, entry)) {
      archived.push(mark);
      continue;
    }
    const audit = auditStream(
      entry.stream,
      entriesOf(connection, entry),
      headOf(connection, entry),
    );
    events += audit.events;
    erased += audit.erased;
    problems.push(...audit.problems);
    await new Promise(setImmediate);
  }
  const heads = keptHeadsOf(connection);
  const unsigned = connection.get(countUnsigned)?.n ?? 0;
  return { streams: entries.length, events, erased, heads, unsigned, archived, problems };
}

/** A mark beside rows that are there changes nothing: they are checked. */
const isGone = (connection: Connection, { seq }: StreamEntry): boolean =>
  connection.get(headOfStream, seq) === undefined &&
  connection.get(chainOfStream, seq, 0, 1) === undefined;

const keptHeadsOf = (connection: Connection): readonly KeptHead[] =>
  connection.all(keptHeads).map(({ run, name, digest, hash }) => ({
    run: run as RunId | null,
    version: versionOfHead(name) ?? 0,
    hash: hash === null ? null : toHex(hash),
    statement: digestText(digest),
  }));

function registryHead(connection: Connection): RegistryHead | null {
  const row = connection.get(getMeta, registryKey);
  return row === undefined ? null : (JSON.parse(row.value) as RegistryHead);
}

function headOf(connection: Connection, { seq }: StreamEntry) {
  const row = connection.get(headOfStream, seq);
  return row === undefined ? null : { version: row.version, hash: toHex(row.head) };
}

const eventsAtOnce = 500;

/** In pages, each read to its end. */
function* entriesOf(connection: Connection, { seq }: StreamEntry): Iterable<EventEntry> {
  for (let after = 0; ; ) {
    const rows = connection.all(chainOfStream, seq, after, eventsAtOnce);
    for (const row of rows) yield chainEntry(row);
    const last = rows.at(-1);
    if (last === undefined || rows.length < eventsAtOnce) return;
    after = last.version;
  }
}
