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
  let out = '';
  let err = '';
  let now = options.now ?? Date.UTC(2026, 2, 4, 22, 10, 4);
  let isGone = false;
  let sleeps = 0;
  let act: (sleeps: number) => void = () => undefined;
  const answers = [...(options.answers ?? [])];
  const saved = new Map<string, string>();
  let columns = options.columns ?? 100;
  const { keys, exits, resized, signals } = allHeard();
  const output = (put: (text: string) => void, canGo: boolean): Output => ({
    isTerminal,
    columns: () => columns,
    rows: () => rows,
    write: (text) => {
      if (canGo && isGone) return false;
      put(text);
      return true;
    },
  });
  return {
    stdout: output((text) => {
      out += text;
    }, true),
    stderr: output((text) => {
      err += text;
    }, false),
    stdinIsTerminal: isTerminal,
    readInput: async () => input,
    ask: async (prompt) => {
      const answer = answers.shift() ?? null;
      out += `${prompt}${answer ?? ''}\n`;
      return answer;
    },
    readFile: async (path) => saved.get(path) ?? files[path] ?? null,
    writeFile: async (path, text) => {
      saved.set(path, text);
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
    written: () => out,
    errors: () => err,
    signal: (name) => signals[name].tell(),
    press: keys.tell,
    exit: exits.tell,
    resize: (next) => {
      columns = next;
      resized.tell();
    },
    closeStdout: () => {
      isGone = true;
    },
    onSleep: (next) => {
      act = next;
    },
    advance: (ms) => {
      now += ms;
    },
  };
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
