/** A terminal or pipe of a test: what was written is kept, time goes on only by sleeping. */
import type { Io, LocalTime, Output } from '../../src/cli/io.ts';

export interface ScriptedIo extends Io {
  written(): string;
  errors(): string;
  /** Delivers a signal to whoever watches it. */
  signal(name: 'SIGINT' | 'SIGTERM' | 'SIGHUP'): void;
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
  readonly files?: Readonly<Record<string, string>>;
  readonly input?: string;
  /** What the user types to each question; after the last one the input ends. */
  readonly answers?: readonly string[];
  readonly now?: number;
}

export function scriptedIo(options: ScriptedIoOptions = {}): ScriptedIo {
  const { isTerminal = false, columns = 100, files = {}, input = '' } = options;
  let out = '';
  let err = '';
  let now = options.now ?? Date.UTC(2026, 2, 4, 22, 10, 4);
  let isGone = false;
  let sleeps = 0;
  let act: (sleeps: number) => void = () => undefined;
  const answers = [...(options.answers ?? [])];
  const saved = new Map<string, string>();
  const listeners = new Map<string, Set<() => void>>();
  const output = (put: (text: string) => void, canGo: boolean): Output => ({
    isTerminal,
    columns: () => columns,
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
    onSignal: (name, listener) => {
      const known = listeners.get(name) ?? new Set();
      listeners.set(name, known.add(listener));
      return () => known.delete(listener);
    },
    onResize: () => () => undefined,
    onKey: () => null,
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
    signal: (name) => {
      for (const listener of [...(listeners.get(name) ?? [])]) listener();
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
