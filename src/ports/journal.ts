/**
 * The journal of a lane: what it printed and what became of it, as lines of JSON in the spool while
 * it works (`<spool>/<execution>/journal/NNN.ndjson`) and in an artifact afterwards. Bounded: head
 * and tail are kept, a jump of `seq` shows what is missing. Text is redacted and valid UTF-8.
 */
export interface JournalLine {
  readonly seq: number;
  /** Monotonic milliseconds since the lane began; for order and spans. */
  readonly ms: number;
  /** Wall time; for people. */
  readonly at: number;
  readonly kind: JournalKind;
  readonly text: string;
}

/**
 * Some of what a program prints is not for people: `terminal`, the bytes of one that paints on a
 * terminal, and `protocol`, the messages of one that is spoken with. What there is to read of those
 * is kept beside them: `screen`, the rows that were painted, each once it stood; `said`, the words
 * of the agent; `tool`, what it used, a line each. `note`: a record of the host.
 */
const journalKinds = [
  ...(['stdout', 'stderr', 'terminal', 'screen', 'protocol', 'said', 'tool', 'note'] as const),
];
export type JournalKind = (typeof journalKinds)[number];

/** Lines that are whole; one that is cut or still being written is left out. */
export function parseJournal(ndjson: string): readonly JournalLine[] {
  return ndjson.split('\n').flatMap((line) => {
    const parsed = parseLine(line);
    return parsed === null ? [] : [parsed];
  });
}

function parseLine(line: string): JournalLine | null {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    // The last line of a journal that is being written, or that a crash cut.
    return null;
  }
  return isLine(value) ? value : null;
}

function isLine(value: unknown): value is JournalLine {
  if (typeof value !== 'object' || value === null) return false;
  const line = value as Readonly<Record<string, unknown>>;
  const numbers = [line['seq'], line['ms'], line['at']];
  return (
    numbers.every((number) => typeof number === 'number') &&
    journalKinds.includes(line['kind'] as JournalKind) &&
    typeof line['text'] === 'string'
  );
}
