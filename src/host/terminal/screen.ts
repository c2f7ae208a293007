/**
 * The screen of a program that runs in a terminal, kept by an emulator. It answers what terminals
 * are asked (what they are, where the cursor stands, which colours they have), since programs wait
 * for that before they draw. Bytes may come in any pieces: the rows are the same.
 */
import type { IBufferLine, Terminal } from '@xterm/headless';
import type { TerminalSize } from '../../ports/agent.ts';

/** Only what scrolls off between two samples has to be held (research/liveness.md §7). */
const scrollback = 200;
/** A flood that the emulator has not come to read; more of it is not shown. */
const unreadBytesMax = 8 * 1024 * 1024;

export interface ScreenRow {
  /** As wide as the terminal. */
  readonly text: string;
  /** The terminal broke the row above, so this is its rest. */
  readonly isWrapped: boolean;
}

export interface TerminalScreen {
  push(bytes: Uint8Array): void;
  /** Resolves when what was pushed until now is on the screen. */
  painted(): Promise<void>;
  /** What stands on the screen now, from its top. */
  rows(): readonly ScreenRow[];
  /** The same, below the rows that have scrolled off since `from`; as many as are still held. */
  since(from: number): readonly ScreenRow[];
  /** How many rows have scrolled off so far. */
  readonly scrolled: number;
  /** Whether it asked for pastes to be marked. */
  readonly takesPastes: boolean;
  close(): void;
}

/** `answer` is given what the terminal replies to the program. */
export async function terminalScreen(
  { columns, rows }: TerminalSize,
  answer: (text: string) => void,
): Promise<TerminalScreen> {
  const { default: xterm } = await import('@xterm/headless');
  const terminal = new xterm.Terminal({
    ...{ cols: columns, rows, scrollback, allowProposedApi: true },
    // Its size in characters may be asked for.
    windowOptions: { getWinSizeChars: true },
  });
  let scrolled = 0;
  let unread = 0;
  terminal.onScroll(() => {
    scrolled += 1;
  });
  terminal.onData(answer);
  answerMore(terminal, answer);
  const between = (first: number, end: number): readonly ScreenRow[] => {
    const { active } = terminal.buffer;
    return Array.from({ length: end - first }, (_, n) => rowOf(active.getLine(first + n)));
  };
  return {
    push(bytes) {
      if (unread + bytes.length > unreadBytesMax) return;
      unread += bytes.length;
      terminal.write(bytes, () => {
        unread -= bytes.length;
      });
    },
    painted: () => new Promise((resolve) => terminal.write('', resolve)),
    rows: () => between(terminal.buffer.active.baseY, terminal.buffer.active.baseY + rows),
    since(from) {
      const { baseY } = terminal.buffer.active;
      return between(baseY - Math.min(scrolled - from, baseY), baseY + rows);
    },
    get scrolled() {
      return scrolled;
    },
    get takesPastes() {
      return terminal.modes.bracketedPasteMode;
    },
    close: () => terminal.dispose(),
  };
}

function rowOf(line: IBufferLine | undefined): ScreenRow {
  return { text: line?.translateToString() ?? '', isWrapped: line?.isWrapped === true };
}

/** White on black, as OSC 10, 11 and 12 ask for it. */
const colours = [
  [10, 'ffff/ffff/ffff'],
  [11, '0000/0000/0000'],
  [12, 'ffff/ffff/ffff'],
] as const;

/** What programs were seen to ask and the emulator leaves open (research/agent-clis.md §3). */
function answerMore({ parser }: Terminal, answer: (text: string) => void): void {
  for (const [code, colour] of colours) {
    parser.registerOscHandler(code, (asked) => {
      if (asked !== '?') return false;
      answer(`\u001b]${code};rgb:${colour}\u001b\\`);
      return true;
    });
  }
  // The keyboard protocol of kitty: none of its modes is on.
  parser.registerCsiHandler({ prefix: '?', final: 'u' }, () => {
    answer('\u001b[?0u');
    return true;
  });
}
