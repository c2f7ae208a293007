/** A terminal or pipe of a test: what was written is kept, time goes on only by sleeping. */
import type { Io, LocalTime, Output } from '../../src/cli/io.ts';

export interface ScriptedIo extends Io {
  written(): string;
  errors(): string;
  /** Delivers a signal to whoever watches it. */
  signal(name: 'SIGINT' | 'SIGTERM' | 'SIGHUP'): void;
  /** Types one key, where somebody reads keys. */
  press(key: string): void;
  /** What an end of the process would call, whatever ended it. */
  exit(): void;
  resize(columns: number): void;
  /** From now on the reader of stdout is gone. */
  closeStdout(): void;
  /** Called before each sleep: where a script changes the world. */
  onSleep(act: (sleeps: number) => void): void;
  advance(ms: number): void;
  /** What was written to files, by path. */
  readonly saved: ReadonlyMap<string, string>;
  /** What lay there before. */
  readonly files: Readonly<Record<string, string>>;
}

export interface ScriptedIoOptions {
  readonly isTerminal?: boolean;
  readonly columns?: number;
  readonly rows?: number;
  readonly files?: Readonly<Record<string, string>>;
  readonly input?: string;
  /** What the user types to each question; after the last one the input ends. */
  readonly answers?: readonly string[];
  readonly now?: number;
}

export function scriptedIo(options: ScriptedIoOptions = {}): ScriptedIo {
  const { isTerminal = false, rows = 24, files = {}, input = '' } = options;
  let now = options.now ?? Date.UTC(2026, 2, 4, 22, 10, 4);
  let sleeps = 0;
  let act: (sleeps: number) => void = () => undefined;
  const answers = [...(options.answers ?? [])];
  const saved = new Map<string, string>();
  const size = { columns: options.columns ?? 100, rows };
  const out = scriptedOutput(isTerminal, size);
  const err = scriptedOutput(isTerminal, size);
  const { keys, exits, resized, signals } = allHeard();
  return {
    stdout: out.output,
    stderr: err.output,
    stdinIsTerminal: isTerminal,
    readInput: async () => input,
    ask: async (prompt) => {
      const answer = answers.shift() ?? null;
      out.output.write(`${prompt}${answer ?? ''}\n`);
      return answer;
    },
    isFolder: (path) => path !== '/nonexist',
    readFile: async (path) => saved.get(path) ?? files[path] ?? null,
    writeFile: async (path, text) => {
      saved.set(path, text);
    },
    appendFile: async (path, text) => {
      saved.set(path, (saved.get(path) ?? '') + text);
    },
    saved,
    files,
    onSignal: (name, listener) => signals[name].on(listener),
    onResize: resized.on,
    onKey: (listener) => (isTerminal ? keys.on(listener) : null),
    onExit: exits.on,
    now: () => now,
    monotonicMs: () => now,
    sleep: async (ms) => {
      now += ms;
      sleeps += 1;
      act(sleeps);
    },
    local: utcOf,
    written: out.written,
    errors: err.written,
    signal: (name) => signals[name].tell(),
    press: keys.tell,
    exit: exits.tell,
    resize: (next) => {
      size.columns = next;
      resized.tell();
    },
    closeStdout: out.close,
    onSleep: (next) => {
      act = next;
    },
    advance: (ms) => {
      now += ms;
    },
  };
}

function scriptedOutput(
  isTerminal: boolean,
  size: { readonly columns: number; readonly rows: number },
) {
  let text = '';
  let isGone = false;
  const output: Output = {
    isTerminal,
    columns: () => size.columns,
    rows: () => size.rows,
    write: (more) => {
      if (!isGone) text += more;
      return !isGone;
    },
  };
  const close = (): void => {
    isGone = true;
  };
  return { output, written: () => text, close };
}

function allHeard() {
  const signals = { SIGINT: heard<void>(), SIGTERM: heard<void>(), SIGHUP: heard<void>() };
  return { keys: heard<string>(), exits: heard<void>(), resized: heard<void>(), signals };
}

function heard<T>() {
  const listeners = new Set<(what: T) => void>();
  return {
    on: (listener: (what: T) => void) => {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
    tell: (what: T) => {
      for (const listener of [...listeners]) listener(what);
    },
  };
}

function utcOf(at: number): LocalTime {
  const date = new Date(at);
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    hour: date.getUTCHours(),
    minute: date.getUTCMinutes(),
    second: date.getUTCSeconds(),
  };
}
