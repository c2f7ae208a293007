/**
 * The archive of one run: a line of JSON for what it was, one for each event with its hashes, one
 * for each refused callback, and last the signed head with the digest of all lines before it.
 * Whoever has the file and the public key can check all of it without a store.
 */
import { hash } from 'node:crypto';
import type { Digest } from '../../domain/ids.ts';
import type { RunAggregate } from '../../domain/run/aggregate.ts';
import { evolve, initialRun } from '../../domain/run/evolve.ts';
import type { RunEvent } from '../../domain/run/message.ts';
import type { LivingRun, RunState } from '../../domain/run/state.ts';
import { type Fields, fieldsOf, parsedJson } from '../../kernel/json.ts';
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

/** `sign` is given the digest of what the lines before the head say. */
export function archiveText(content: ArchiveContent, sign: (content: Digest) => string): string {
  const { stream, aggregate, events, evidence } = content;
  const lines = [
    { schema, stream, ...factsOf(aggregate), events: events.length },
    ...events.map((event) => ({ event })),
    ...evidence.map((refused) => ({ refused })),
  ];
  const text = linesText(lines.map((line) => JSON.stringify(line)));
  return `${text}${JSON.stringify({ head: sign(digestOf(text)) })}\n`;
}

const linesText = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');
const digestOf = (text: string): Digest => `sha256:${hash('sha256', text, 'hex')}` as Digest;

export interface ArchiveFinding extends ArchiveCheck {
  /** Of the last event. */
  readonly hash: string | null;
}

const none = { stream: null, name: '', events: 0, at: null, hash: null, cannotProve: [] };

/** All that is in the file, by what is in the file alone. Never throws for what it finds there. */
export function checkArchive(text: string, seal: Pick<HeadSeal, 'open'>): ArchiveFinding {
  const lines = text.split('\n').filter((line) => line !== '');
  const [first = {}, ...records] = lines.map((line) => fieldsOf(parsedJson(line)));
  const { stream } = first;
  if (first['schema'] !== schema || typeof stream !== 'string') {
    return { ...none, problems: [problem('*', 'this is no archive of a run')] };
  }
  const said = records.at(-1)?.['head'];
  const head = typeof said === 'string' ? seal.open(said) : null;
  const known = records.flatMap(({ event }) => {
    const entry = entryOf(event);
    return entry === null ? [] : [entry];
  });
  const told = toldBy(known);
  return {
    stream,
    name: told?.name ?? '',
    events: known.length,
    at: head?.at ?? null,
    hash: known.at(-1)?.hash ?? null,
    problems: [
      ...lineProblems(stream, records),
      ...problemsOf(stream, known, head),
      ...headerProblems(stream, first, { ...told, events: known.length }),
      ...contentProblems(stream, head, linesText(lines.slice(0, -1))),
    ],
    cannotProve: [
      ...(told === null ? [headerUntold] : []),
      ...(head?.content === undefined ? [evidenceUnbound] : []),
    ],
  };
}

const headerUntold =
  'name, project and status in its first line: some events were erased, or are of another version of pawl';
const evidenceUnbound =
  'that no refused callback in it was changed, cut out or put in: an earlier pawl archived it, and signed the events alone';

/** Each line after the first is an event or a refused callback, the last one the head. */
function lineProblems(stream: string, records: readonly Fields[]): readonly Problem[] {
  return records.flatMap((record, at) => {
    const [kind, ...more] = Object.keys(record);
    const isLast = at === records.length - 1;
    const isKnown = isLast ? kind === 'head' : kind === 'event' || kind === 'refused';
    // Line 1 is the header.
    const line = `line ${at + 2}`;
    if (!isKnown || more.length > 0) {
      return isLast ? [] : [problem(stream, `${line} is nothing that an archive has`)];
    }
    if (kind === 'event' && entryOf(record['event']) === null) {
      return [problem(stream, `${line}: an event is not readable`)];
    }
    return [];
  });
}

type Told = Pick<LivingRun, 'name' | 'project' | 'status'>;

function factsOf(aggregate: RunAggregate): Told {
  const { name, project, status } = living(aggregate);
  return { name, project, status };
}

/** What the events say of the run; null where they cannot be read as such. */
function toldBy(events: readonly EventEntry[]): Told | null {
  try {
    const run = events.reduce<RunState>((state, { type, data }) => {
      if (type.startsWith('execution.')) return state;
      return evolve(state, JSON.parse(data ?? '') as RunEvent);
    }, initialRun);
    return factsOf({ run, executions: [] });
  } catch {
    // Erased, or of another version: who checks the file is told that nothing follows from them.
    return null;
  }
}

function headerProblems(
  stream: string,
  first: Fields,
  told: Partial<Told> & { readonly events: number },
): readonly Problem[] {
  return Object.entries(told).flatMap(([name, value]) =>
    first[name] === value
      ? []
      : [problem(stream, `its first line says another ${name} than the events: ${value}`)],
  );
}

function contentProblems(stream: string, head: Head | null, text: string): readonly Problem[] {
  if (head?.content === undefined || head.content === digestOf(text)) return [];
  return [problem(stream, 'its lines are not those that were signed: one was changed')];
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
  const kindsOf = Object.entries(shape);
  const isEntry = kindsOf.every(([name, kinds]) =>
    kinds.includes(fields[name] === null ? 'null' : typeof fields[name]),
  );
  return isEntry && Object.keys(fields).length === kindsOf.length
    ? (fields as unknown as EventEntry)
    : null;
}
