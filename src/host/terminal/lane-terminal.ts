/**
 * The terminal of a lane, from the host's side: a program of ours inside the containment opens the
 * pseudo terminal and copies bytes; here they become a screen. The bytes are the record; rows that
 * stood are kept beside them for people, the sign of life is never-seen rows, and the driver looks
 * at the screen while it types.
 */
import type { TerminalSize } from '../../ports/agent.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ContainedProcess } from '../../ports/processes.ts';
import type { LaneSignals } from '../lane-signals.ts';
import type { LaneTalk } from '../lane-talk.ts';
import { type ScreenRow, type TerminalScreen, terminalScreen } from './screen.ts';
import { noRows, settled } from './settled-rows.ts';

export interface LaneTerminal {
  push(bytes: Uint8Array): void;
  /** What the terminal replies goes there, and the driver looks on until the end. */
  follow(to: Pick<ContainedProcess, 'write'>): void;
  /** Nothing more comes; what still stands is told. */
  end(): Promise<void>;
}

export interface TerminalMeans {
  readonly clock: Clock;
  readonly signals: Pick<LaneSignals, 'paints' | 'typed'>;
  readonly talk: Pick<LaneTalk, 'look'>;
  readonly redact: (text: string) => string;
  /** Rows that stand, each once, in order. */
  readonly tell: (rows: readonly string[]) => void;
}

/** As often as the screens of the study were sampled (research/liveness.md). */
const lookEveryMs = 250;
/** A row has stood when it is the same in two samples so far apart. */
const settleEveryMs = 1_000;

export async function laneTerminal(
  size: TerminalSize,
  means: TerminalMeans,
): Promise<LaneTerminal> {
  const { clock, talk, signals, redact } = means;
  const over = new AbortController();
  let to: Pick<ContainedProcess, 'write'> | null = null;
  const screen = await terminalScreen(size, (text) => to?.write(text));
  const rows = tellingRows(screen, means.tell);
  let hasNew = false;
  let lastSettledMs = clock.monotonicMs();
  signals.paints(livenessRows(screen));
  const look = () => {
    const atMs = clock.monotonicMs();
    const shown = redact(screen.rows().map(textOf).join('\n')).split('\n');
    if (talk.look({ atMs, rows: shown, takesPastes: screen.takesPastes })) signals.typed();
    if (!hasNew || atMs - lastSettledMs < settleEveryMs) return;
    lastSettledMs = atMs;
    hasNew = rows.sample();
  };
  const watch = async () => {
    while (!over.signal.aborted) {
      look();
      await clock.sleep(lookEveryMs, over.signal);
    }
  };
  let watching: Promise<void> = Promise.resolve();
  return {
    push(bytes) {
      hasNew = true;
      screen.push(bytes);
    },
    follow(process) {
      to = process;
      watching = watch();
    },
    async end() {
      over.abort();
      to = null;
      await watching;
      await screen.painted();
      rows.sample();
      rows.rest();
      screen.close();
    },
  };
}

const textOf = ({ text }: ScreenRow): string => text.trimEnd();

/** Of a sample: the rows on the screen, and those that have scrolled off since the last one. */
function livenessRows(screen: TerminalScreen) {
  let from = 0;
  return () => {
    const rows = screen.since(from).map(textOf);
    from = screen.scrolled;
    return rows;
  };
}

function tellingRows(screen: TerminalScreen, tell: (rows: readonly string[]) => void) {
  let from = 0;
  let state = noRows;
  const take = (rows: readonly string[]): boolean => {
    const { after, stands } = settled(state, rows);
    const isSame = rows.length === state.rows.length && rows.every((r, i) => r === state.rows[i]);
    state = after;
    if (stands.length > 0) tell(stands);
    return !isSame;
  };
  return {
    /** Whether anything has changed since the last one. */
    sample(): boolean {
      const rows = unwrapped(screen.since(from));
      from = screen.scrolled;
      return take(rows);
    },
    rest: () => void take([]),
  };
}

/** A row that the terminal broke is one row again: a secret in it is found, too. */
export function unwrapped(rows: readonly ScreenRow[]): readonly string[] {
  const whole: string[] = [];
  for (const { text, isWrapped } of rows) {
    if (isWrapped && whole.length > 0) whole.push(`${whole.pop()}${text}`);
    else whole.push(text);
  }
  return whole.map((row) => row.trimEnd());
}
