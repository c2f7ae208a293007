/**
 * Everything of a terminal, a pipe and a clock that the commands may touch, so that each of them
 * runs in a test without a process of its own. `node-io.ts` is the real one.
 */
export interface Output {
  readonly isTerminal: boolean;
  /** Columns now; 80 where nobody knows. */
  columns(): number;
  /** Rows now; 24 where nobody knows. */
  rows(): number;
  /** False once the reader has gone (`| head`): nothing more is written, and nothing throws. */
  write(text: string): boolean;
}

export interface Io {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly stdinIsTerminal: boolean;
  /** The whole of stdin as UTF-8; at most `bytesMax` bytes are kept. */
  readInput(bytesMax: number): Promise<string>;
  /**
   * Shows the prompt on the terminal and reads one line, without its end; null when the user ends
   * the input (Ctrl-C, Ctrl-D) instead of answering. Only where `canAsk` says so.
   */
  ask(prompt: string): Promise<string | null>;
  readFile(path: string): Promise<string | null>;
  /** False for what is not there, too. */
  isFolder(path: string): boolean;
  /** Makes the folders above it. */
  writeFile(path: string, text: string): Promise<void>;
  /** The same, after what is there. */
  appendFile(path: string, text: string): Promise<void>;
  /**
   * Calls back until the returned function is called; a signal that nobody watches has its default
   * effect.
   */
  onSignal(signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP', listener: () => void): () => void;
  onResize(listener: () => void): () => void;
  /**
   * Single keys of a terminal in raw mode, restored by the returned function and at every exit;
   * null without a raw-capable terminal.
   */
  onKey(listener: (key: string) => void): (() => void) | null;
  /**
   * Called at any end of the process that still runs code, an uncaught error too; synchronous, and
   * not once the returned function was called.
   */
  onExit(listener: () => void): () => void;
  now(): number;
  monotonicMs(): number;
  /** Resolves after `ms` or when the signal aborts; never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Local time of day and date of an instant. */
  local(at: number): LocalTime;
}

export interface LocalTime {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}
