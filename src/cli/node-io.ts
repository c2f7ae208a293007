/** The real terminal and pipes. Raw mode is restored at every end of the process that runs code. */
import { statSync } from 'node:fs';
import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { RequestError } from '../kernel/errors.ts';
import type { Io, Output } from './io.ts';

export function nodeIo(process: NodeJS.Process): Io {
  return {
    stdout: outputOf(() => process.stdout),
    stderr: outputOf(() => process.stderr),
    // Asked for when it matters: opening standard input costs at every start.
    get stdinIsTerminal() {
      return process.stdin.isTTY === true;
    },
    readInput: (bytesMax) => readAll(process.stdin, bytesMax),
    ask: (prompt) => askOn(process, prompt),
    readFile: textOf,
    isFolder: isFolderAt,
    writeFile: async (path, text) => {
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, text);
    },
    appendFile: async (path, text) => {
      await mkdir(dirname(path), { recursive: true });
      await appendFile(path, text);
    },
    onSignal: (signal, listener) => {
      process.on(signal, listener);
      return () => process.off(signal, listener);
    },
    onResize: (listener) => {
      process.stdout.on('resize', listener);
      return () => process.stdout.off('resize', listener);
    },
    onKey: (listener) => keysOf(process, listener),
    onExit: (listener) => {
      process.on('exit', listener);
      return () => process.off('exit', listener);
    },
    now: () => Date.now(),
    monotonicMs: () => performance.now(),
    sleep,
    local: (at) => {
      const date = new Date(at);
      return {
        year: date.getFullYear(),
        month: date.getMonth() + 1,
        day: date.getDate(),
        hour: date.getHours(),
        minute: date.getMinutes(),
        second: date.getSeconds(),
      };
    },
  };
}

/** The stream is opened when it is first asked for: Node takes 3 ms of CPU for one. */
function outputOf(open: () => NodeJS.WriteStream): Output {
  let isGone = false;
  let opened: NodeJS.WriteStream | null = null;
  const stream = (): NodeJS.WriteStream => {
    if (opened !== null) return opened;
    opened = open();
    // Without a listener a reader that has gone away would end the process with a stack trace.
    opened.on('error', () => {
      isGone = true;
    });
    return opened;
  };
  return {
    get isTerminal() {
      return stream().isTTY === true;
    },
    // A terminal that was never told its size says 0.
    columns: () => (stream().columns > 0 ? stream().columns : 80),
    rows: () => (stream().rows > 0 ? stream().rows : 24),
    write: (text) => {
      if (!isGone) stream().write(text);
      return !isGone;
    },
  };
}

/** Ctrl-C ends the question, not the process: the command says what was left undone. */
async function askOn(process: NodeJS.Process, prompt: string): Promise<string | null> {
  const { createInterface } = await import('node:readline');
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  return await new Promise((resolve) => {
    let line: string | null = null;
    lines.once('close', () => resolve(line));
    lines.once('SIGINT', () => lines.close());
    lines.question(prompt, (answer) => {
      line = answer;
      lines.close();
    });
  });
}

async function readAll(stdin: NodeJS.ReadStream, bytesMax: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stdin) {
    const bytes = Buffer.from(chunk as Uint8Array);
    chunks.push(bytes);
    size += bytes.length;
    if (size > bytesMax) throw new RequestError('bad_value', `stdin holds over ${bytesMax} bytes`);
  }
  return decoded(Buffer.concat(chunks), 'stdin');
}

function isFolderAt(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch (error: unknown) {
    // Not there, or not to be looked at: nothing that a command could work in.
    if (error instanceof Error && 'code' in error) return false;
    throw error;
  }
}

async function textOf(path: string): Promise<string | null> {
  try {
    return decoded(await readFile(path), path);
  } catch (error: unknown) {
    if (isMissing(error)) return null;
    const code = error instanceof Error && 'code' in error ? error.code : null;
    const why = unreadable.get(String(code));
    if (why === undefined) throw error;
    throw new RequestError('bad_value', `${path} ${why}`);
  }
}

/** What a user can name by mistake where a file is wanted. */
const unreadable: ReadonlyMap<string, string> = new Map([
  ['EISDIR', 'is a folder, not a file'],
  ['EACCES', 'may not be read by you'],
  ['EPERM', 'may not be read by you'],
  ['ELOOP', 'is a link that leads to itself'],
  ['ENAMETOOLONG', 'is too long for the name of a file'],
]);

function decoded(bytes: Uint8Array, what: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error: unknown) {
    if (!(error instanceof TypeError)) throw error;
    throw new RequestError('bad_value', `${what} is not text in UTF-8`);
  }
}

function isMissing(error: unknown): boolean {
  return (
    error instanceof Error &&
    'code' in error &&
    (error.code === 'ENOENT' || error.code === 'ENOTDIR')
  );
}

function keysOf(process: NodeJS.Process, listener: (key: string) => void): (() => void) | null {
  const { stdin } = process;
  if (stdin.isTTY !== true || typeof stdin.setRawMode !== 'function') return null;
  const restore = (): void => {
    stdin.setRawMode(false);
  };
  const read = (bytes: Buffer): void => {
    for (const key of bytes.toString('utf8')) listener(key);
  };
  stdin.setRawMode(true);
  process.on('exit', restore);
  stdin.on('data', read);
  stdin.resume();
  return () => {
    stdin.off('data', read);
    process.off('exit', restore);
    restore();
    stdin.pause();
  };
}

function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) {
      resolve();
      return;
    }
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener('abort', end, { once: true });
  });
}
