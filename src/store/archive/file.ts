/**
 * The archive of one run: a line of JSON for what it was, one for each event with its hashes, one
 * for each refused callback, and last the signed head. Whoever has the file and the public key can
 * check all of it without a store.
 */
import type { RunAggregate } from '../../domain/run/aggregate.ts';
import { fieldsOf, parsedJson } from '../../kernel/json.ts';
import type { Head, HeadSeal } from '../../ports/heads.ts';
import type { EvidenceRow } from '../../ports/store.ts';
import type { ArchiveCheck } from '../../ports/store-admin.ts';
import { auditStream, type EventEntry, type Problem } from '../audit.ts';
import { living } from '../projection.ts';

const schema = 'pawl.archive/1';

export interface ArchiveContent {
  readonly stream: string;
  readonly aggregate: RunAggregate;
  readonly events: readonly EventEntry[];
  readonly evidence: readonly EvidenceRow[];
}

/** `statement` is the signed head. */
export function archiveText(content: ArchiveContent, statement: string): string {
  const { stream, aggregate, events, evidence } = content;
  const { name, project, status } = living(aggregate);
  const lines = [
    { schema, stream, name, project, status, events: events.length },
    ...events.map((event) => ({ event })),
    ...evidence.map((refused) => ({ refused })),
    { head: statement },
  ];
  return `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`;
}

export interface ArchiveFinding extends ArchiveCheck {
  /** Of the last event. */
  readonly hash: string | null;
}

const none = { stream: null, name: '', events: 0, at: null, hash: null };

/** Chain and head, of what is in the file alone. Never throws for what it finds there. */
export function checkArchive(text: string, seal: Pick<HeadSeal, 'open'>): ArchiveFinding {
  const lines = text.split('\n').filter((line) => line !== '');
  const records = lines.map((line) => fieldsOf(parsedJson(line)));
  const [first = {}] = records;
  const { stream, name } = first;
  if (first['schema'] !== schema || typeof stream !== 'string') {
    return { ...none, problems: [problem('*', 'this is no archive of a run')] };
  }
  const events = records.flatMap(({ event }) => (event === undefined ? [] : [entryOf(event)]));
  const known = events.flatMap((event) => (event === null ? [] : [event]));
  const said = records.at(-1)?.['head'];
  const head = typeof said === 'string' ? seal.open(said) : null;
  return {
    stream,
    name: typeof name === 'string' ? name : '',
    events: known.length,
    at: head?.at ?? null,
    hash: known.at(-1)?.hash ?? null,
    problems: [
      ...(known.length < events.length ? [problem(stream, 'an event is not readable')] : []),
      ...problemsOf(stream, known, head),
    ],
  };
}

function problemsOf(
  stream: string,
  events: readonly EventEntry[],
  head: Head | null,
): readonly Problem[] {
  if (head === null) return [problem(stream, 'its signed head is missing, or not by this key')];
  if (head.stream !== stream) return [problem(stream, `its signed head is that of ${head.stream}`)];
  return auditStream(stream, events, { version: head.version, hash: head.digest }).problems;
}

const problem = (stream: string, what: string): Problem => ({ stream, version: null, what });

type Shape = Readonly<Record<keyof EventEntry, readonly string[]>>;
const shape: Shape = {
  ...{ version: ['number'], format: ['number'], at: ['number'], type: ['string'] },
  ...{ actor: ['string'], salt: ['string', 'null'], data: ['string', 'null'] },
  ...{ dataHash: ['string'], hash: ['string'] },
};

/** Null for what is no event. */
function entryOf(value: unknown): EventEntry | null {
  const fields = fieldsOf(value);
  const isEntry = Object.entries(shape).every(([name, kinds]) =>
    kinds.includes(fields[name] === null ? 'null' : typeof fields[name]),
  );
  return isEntry ? (fields as unknown as EventEntry) : null;
}
