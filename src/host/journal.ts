/**
 * The journal of one lane, written as it happens and straight to the disk's cache, so that a killed
 * host loses nothing that it took in (L-C12). Rotated; the first file and the newest two are kept.
 */
import { closeSync, fdatasyncSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDiskFull } from '../kernel/disk-full.ts';
import type { JournalLine } from '../ports/journal.ts';
import { type Redactor, redactor, redactText } from './redact.ts';

export interface JournalOptions {
  readonly directory: string;
  readonly secrets: Readonly<Record<string, string>>;
  readonly now: () => number;
  readonly monotonicMs: () => number;
  readonly fileBytesMax?: number;
}

export type OutputKind = Extract<
  JournalLine['kind'],
  'stdout' | 'stderr' | 'terminal' | 'protocol' | 'said'
>;

export interface Journal {
  /** Output as it came: redacted, decoded across chunk borders, written. */
  output(kind: OutputKind, bytes: Uint8Array): void;
  /** Rows that stood on its terminal. */
  screen(rows: readonly string[]): void;
  /** What an agent used, in a line. */
  tool(text: string): void;
  note(text: string): void;
  /** Durable up to here: at the ends of turns and before the seal. */
  sync(): void;
  /** Writes what was held back by redaction and decoding; no output comes after it. */
  end(): void;
  close(): void;
  readonly lastSeq: number;
}

const fileBytesMax = 16 * 1024 * 1024;
/** One line holds at most this much text, so that a reader's line buffer is bounded too (L-I2). */
const textMax = 64 * 1024;

export function openJournal(options: JournalOptions): Journal {
  mkdirSync(options.directory, { recursive: true, mode: 0o700 });
  const begun = options.monotonicMs();
  const bytesMax = options.fileBytesMax ?? fileBytesMax;
  let file = 0;
  let written = 0;
  let seq = 0;
  let fd = openFile(options.directory, file);
  let lost = 0;
  let isTorn = false;
  const rotate = () => {
    fdatasyncSync(fd);
    closeSync(fd);
    file += 1;
    written = 0;
    fd = openFile(options.directory, file);
    if (file >= 3) rmSync(pathOf(options.directory, file - 2), { force: true });
  };
  /** False when the disk had no room for all of it. */
  const put = (kind: JournalLine['kind'], text: string): boolean => {
    const ms = Math.round(options.monotonicMs() - begun);
    const fact = JSON.stringify({ seq: seq + 1, ms, at: options.now(), kind, text });
    const bytes = Buffer.from(`${isTorn ? '\n' : ''}${fact}\n`);
    const size = sizeWritten(() => {
      if (written > 0 && written + bytes.length > bytesMax) rotate();
      return writeSync(fd, bytes);
    });
    const isWhole = size === bytes.length;
    written += size;
    if (size > 0) isTorn = !isWhole;
    if (isWhole) seq += 1;
    return isWhole;
  };
  /** What a full disk swallows is counted and told as soon as there is room again. */
  const line = (kind: JournalLine['kind'], text: string) => {
    const gap = `${lost} lines are missing here: no space was left on the disk`;
    if (lost > 0 && put('note', gap)) lost = 0;
    if (lost > 0 || !put(kind, text)) lost += 1;
  };
  const streams = {
    stdout: textStream(options.secrets, (text) => line('stdout', text)),
    stderr: textStream(options.secrets, (text) => line('stderr', text)),
    terminal: textStream(options.secrets, (text) => line('terminal', text)),
    protocol: textStream(options.secrets, (text) => line('protocol', text)),
    said: textStream(options.secrets, (text) => line('said', text)),
  };
  return {
    output: (kind, bytes) => streams[kind].push(bytes),
    screen: (rows) => line('screen', redactText(rows.join('\n'), options.secrets)),
    tool: (text) => line('tool', redactText(text, options.secrets)),
    note: (text) => line('note', redactText(text, options.secrets)),
    sync: () => fdatasyncSync(fd),
    end() {
      for (const stream of Object.values(streams)) stream.end();
    },
    close: () => closeSync(fd),
    get lastSeq() {
      return seq;
    },
  };
}

/** A disk takes a part of a line, or nothing, when it is full. */
function sizeWritten(write: () => number): number {
  try {
    return write();
  } catch (error: unknown) {
    if (isDiskFull(error)) return 0;
    throw error;
  }
}

/**
 * The kept files as one text of at most `bytesMax`: whole lines of the head and of the tail; ''
 * while there is no journal. A file that is rotated away meanwhile is left out.
 */
export async function readJournal(directory: string, bytesMax: number): Promise<string> {
  const names = (await orMissing(readdir(directory))) ?? [];
  const numbers = names.map((name) => Number.parseInt(name, 10)).filter(Number.isInteger);
  const files: Buffer[] = [];
  for (const file of numbers.toSorted((a, b) => a - b)) {
    const bytes = await orMissing(readFile(pathOf(directory, file)));
    if (bytes !== null) files.push(bytes);
  }
  const all = Buffer.concat(files);
  if (all.length <= bytesMax) return all.toString('utf8');
  const head = all.subarray(0, bytesMax >> 2);
  const tail = all.subarray(all.length - (bytesMax >> 1));
  const whole = head.subarray(0, head.lastIndexOf(10) + 1);
  return whole.toString('utf8') + tail.subarray(tail.indexOf(10) + 1).toString('utf8');
}

function textStream(
  secrets: Readonly<Record<string, string>>,
  write: (text: string) => void,
): { push(bytes: Uint8Array): void; end(): void } {
  const redacted: Redactor = redactor(secrets);
  const decoder = new TextDecoder('utf-8');
  const put = (text: string) => {
    for (let from = 0; from < text.length; from += textMax) write(text.slice(from, from + textMax));
  };
  return {
    push: (bytes) => put(decoder.decode(redacted.push(bytes), { stream: true })),
    end: () => put(decoder.decode(redacted.flush())),
  };
}

function openFile(directory: string, file: number): number {
  return openSync(pathOf(directory, file), 'a', 0o600);
}

function pathOf(directory: string, file: number): string {
  return join(directory, `${String(file).padStart(3, '0')}.ndjson`);
}

async function orMissing<T>(reading: Promise<T>): Promise<T | null> {
  try {
    return await reading;
  } catch (error: unknown) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
