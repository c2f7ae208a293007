/**
 * The check of the chains, shared by all stores: what they kept comes in as rows, problems go out.
 *
 * It proves that no event was changed, put in or taken out under an unchanged head, that each head
 * belongs to its stream, and that no stream is missing from the registry. It cannot prove that
 * nobody wrote a whole new chain with new heads: that is what the signed heads of receipts are for.
 */
import type { AuditReport, RawEvent } from '../ports/store.ts';
import { genesis, hashData, hashEvent, hashStream } from './chain.ts';

export type Problem = AuditReport['problems'][number];

/** An entry of the registry of streams, in the order of creation, from 1. */
export interface StreamEntry {
  readonly seq: number;
  readonly stream: string;
  /** The stream created just before this one. */
  readonly previous: string | null;
  readonly hash: string;
}

/** What the registry ends with. */
export interface RegistryHead {
  readonly count: number;
  readonly last: string | null;
  readonly hash: string;
}

/** Under which `meta` keeps it. */
export const registryKey = 'streams';
export const emptyRegistry: RegistryHead = { count: 0, last: null, hash: genesis };

export type EventEntry = RawEvent;

/** What the projection of the stream says of its end. */
export interface StreamHead {
  readonly version: number;
  readonly hash: string;
}

export function auditRegistry(
  entries: readonly StreamEntry[],
  head: RegistryHead | null,
): readonly Problem[] {
  const problems: Problem[] = [];
  let prev: Pick<StreamEntry, 'seq' | 'hash'> & { readonly stream: string | null } = {
    seq: 0,
    hash: genesis,
    stream: null,
  };
  for (const entry of entries) {
    if (entry.seq !== prev.seq + 1) problems.push(...removed(prev.seq, entry.seq, entry.previous));
    else if (entry.previous !== prev.stream || !follows(prev.hash, entry)) {
      problems.push(at(entry.stream, null, 'its entry in the registry of streams was changed'));
    }
    prev = entry;
  }
  problems.push(...endOfRegistry(prev, head));
  return problems;
}

function endOfRegistry(
  last: Pick<StreamEntry, 'seq' | 'hash'> & { readonly stream: string | null },
  head: RegistryHead | null,
): readonly Problem[] {
  if (head === null) {
    return last.seq === 0 ? [] : [at('*', null, 'the head of the registry of streams is missing')];
  }
  if (head.count > last.seq) return removed(last.seq, head.count + 1, head.last);
  const ends = head.hash === last.hash && head.count === last.seq && head.last === last.stream;
  return ends
    ? []
    : [at(last.stream ?? '*', null, 'the registry of streams does not end where its head says')];
}

const follows = (prev: string, entry: StreamEntry): boolean =>
  entry.hash === hashStream(prev, entry.seq, entry.stream);

/** Entries between two that are there; the later one knows the name of the last that is not. */
function removed(after: number, before: number, name: string | null): readonly Problem[] {
  const problems: Problem[] = [];
  if (name !== null) problems.push(at(name, null, 'the stream was removed'));
  const nameless = before - after - 1 - problems.length;
  if (nameless > 0) {
    problems.push(at('*', null, `${nameless} more removed beside it, names unknown`));
  }
  return problems;
}

export interface StreamAudit {
  readonly events: number;
  readonly erased: number;
  readonly problems: readonly Problem[];
}

/**
 * One stream, its events by version. Reports the first break only: all after it would repeat it.
 */
export function auditStream(
  stream: string,
  events: Iterable<EventEntry>,
  head: StreamHead | null,
): StreamAudit {
  let prev: StreamHead = { version: 0, hash: genesis };
  let erased = 0;
  let recorded = 0;
  for (const event of events) {
    const broken = breakOf(stream, event, prev);
    if (broken !== null) {
      return { events: prev.version, erased, problems: [at(stream, event.version, broken)] };
    }
    if (event.data === null) erased += 1;
    if (event.type === 'event.erased') recorded += 1;
    prev = event;
  }
  const problems: Problem[] = [];
  if (erased > recorded) {
    const more = erased - recorded;
    problems.push(
      at(stream, null, `data of ${more} events is gone without a record of an erasure`),
    );
  }
  const end = endOf(prev, head);
  if (end !== null) problems.push(at(stream, prev.version, end));
  return { events: prev.version, erased, problems };
}

function breakOf(stream: string, event: EventEntry, prev: StreamHead): string | null {
  if (event.version !== prev.version + 1) {
    return `an event is missing: version ${prev.version + 1} is not there`;
  }
  if (event.data !== null) {
    if (event.salt === null || hashData(event.salt, event.data) !== event.dataHash) {
      return `the data of the event ${event.type} was changed`;
    }
  }
  if (hashEvent(prev.hash, { ...event, stream }, event.dataHash) !== event.hash) {
    return `the event ${event.type} was changed, or does not follow the one before it`;
  }
  return null;
}

function endOf(last: StreamHead, head: StreamHead | null): string | null {
  if (head === null) return 'the row of the run is missing';
  if (last.version < head.version) {
    return `the tail was cut: events end at ${last.version}, the run is at ${head.version}`;
  }
  if (last.version > head.version) {
    return `events go on to ${last.version}, the run is at ${head.version}`;
  }
  return last.hash === head.hash ? null : 'the last event is not the one that the run ends with';
}

const at = (stream: string, version: number | null, what: string): Problem => ({
  stream,
  version,
  what,
});
