/**
 * A real terminal for a test: a PTY, with a screen that is kept by the emulator of `xterm.js`. The
 * program runs below a shell, which afterwards tells in which mode the terminal was left.
 */
import { spawn } from '@lydell/node-pty';
import xterm from '@xterm/headless';
import { until } from './processes.ts';

export interface Left {
  readonly exit: number;
  /** Local echo and line editing are on, as a shell needs them. */
  readonly isCooked: boolean;
  readonly isCursorShown: boolean;
  /** On the main screen: nothing was left in the alternate one. */
  readonly isMainScreen: boolean;
}

export interface TestTerminal {
  /** Everything that stands on the screen and above it, without trailing blanks. */
  text(): string;
  /** @throws when it never comes. */
  seen(pattern: RegExp, timeoutMs?: number): Promise<void>;
  type(keys: string): void;
  resize(columns: number, rows: number): void;
  /** Settles when the program has ended. */
  left(timeoutMs?: number): Promise<Left>;
  close(): void;
}

export interface TerminalOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly columns?: number;
  readonly rows?: number;
}

const mark = 'left-with=';
/**
 * The shell stays until it is told that its last line was read: what stands unread in a PTY whose
 * last process has ended may be lost.
 */
const seenWord = 'seen';
const untilSeen = `while read -r line; do case "$line" in *${seenWord}) break;; esac; done`;
const shellLine = `"$@"; code=$?; stty -a; echo "${mark}$code"; ${untilSeen}`;
const timeoutMsUsual = 60_000;

export function openTerminal(argv: readonly string[], options: TerminalOptions): TestTerminal {
  const { columns = 100, rows = 40, cwd, env } = options;
  const emulator = new xterm.Terminal({
    cols: columns,
    rows,
    scrollback: 5_000,
    allowProposedApi: true,
  });
  const pty = spawn('/bin/sh', ['-c', shellLine, 'sh', ...argv], {
    cols: columns,
    rows,
    cwd,
    env: { ...env, TERM: 'xterm-256color' },
  });
  let raw = '';
  let pending = 0;
  let hasEnded = false;
  pty.onData((data) => {
    raw += data;
    pending += 1;
    emulator.write(data, () => {
      pending -= 1;
    });
  });
  pty.onExit(() => {
    hasEnded = true;
  });
  const text = (): string => textOf(emulator.buffer.active);
  const wait = async (isThere: () => boolean, what: string, timeoutMs: number): Promise<void> => {
    const isSeen = await until(() => pending === 0 && (isThere() || hasEnded), timeoutMs);
    if (!isSeen || !isThere()) throw new Error(`never seen: ${what}\n${text()}`);
  };
  return {
    text: () => text().split('\nspeed ')[0] ?? '',
    seen: (pattern, timeoutMs = timeoutMsUsual) =>
      wait(() => pattern.test(text()), String(pattern), timeoutMs),
    type: (keys) => pty.write(keys),
    resize: (nextColumns, nextRows) => {
      emulator.resize(nextColumns, nextRows);
      pty.resize(nextColumns, nextRows);
    },
    left: async (timeoutMs = timeoutMsUsual) => {
      await wait(() => raw.includes(mark), 'the end of the program', timeoutMs);
      pty.write(`${seenWord}\n`);
      await until(() => hasEnded, timeoutMs);
      return {
        exit: Number(/left-with=(\d+)/.exec(raw)?.[1]),
        isCooked: ['icanon', 'echo', 'isig'].every((mode) => isSet(raw, mode)),
        isCursorShown: raw.lastIndexOf('\u001b[?25h') >= raw.lastIndexOf('\u001b[?25l'),
        isMainScreen: emulator.buffer.active.type === 'normal',
      };
    },
    close: () => {
      if (!hasEnded) pty.kill('SIGKILL');
      emulator.dispose();
    },
  };
}

/** As `stty -a` prints it; `-echo` would be off. */
const isSet = (printed: string, mode: string): boolean => new RegExp(`\\s${mode}\\s`).test(printed);

type Lines = typeof xterm.Terminal.prototype.buffer.active;

/** A line that the terminal wrapped is one line. */
function textOf(buffer: Lines): string {
  const lines: string[] = [];
  for (let row = 0; row < buffer.length; row += 1) {
    const line = buffer.getLine(row);
    const shown = line?.translateToString(true) ?? '';
    if (line?.isWrapped === true) lines.push((lines.pop() ?? '') + shown);
    else lines.push(shown);
  }
  return lines.join('\n').trimEnd();
}
