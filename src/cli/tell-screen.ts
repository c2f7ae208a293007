/** A run on a terminal: the header, finished lines that stay, and a small block that is redrawn. */
import type { Context } from './command.ts';
import type { Standing } from './ending.ts';
import { clock } from './format.ts';
import { openScreen } from './screen.ts';
import type { Teller, ViewOptions } from './teller.ts';
import { blockLines } from './views/block.ts';
import { factOf } from './views/fact.ts';
import { headerLines } from './views/header.ts';
import { finishedLines } from './views/lines.ts';

const laneLookMs = 500;
const lanePageMax = 200;
const keysShown = 'd detach · p pause';

export function screenTeller(context: Context, options: ViewOptions): Teller {
  const { io } = context;
  const screen = openScreen(io, context.style);
  const lane = laneTail(context, options);
  const at = (instant: number): string => clock(io, instant);
  const undoResize = io.onResize(() => screen.block([], true));
  return {
    begin: ({ view, definition }) => {
      screen.finish(
        context.isQuiet ? [] : headerLines(view, definition, options.notes, screen.columns()),
      );
      return true;
    },
    tell: async (events, standing) => {
      const columns = screen.columns();
      for (const stored of events) {
        const line = factOf(stored, { ...standing, at })?.line ?? null;
        if (line !== null) screen.finish(finishedLines(line, columns));
      }
      const laneLines = await lane(standing);
      const scene = { ...standing, now: io.now(), at, laneLines, keys: keysShown, columns };
      screen.block(blockLines(scene), events.length > 0);
      return true;
    },
    say: (line) => screen.finish([line]),
    close: () => {
      undoResize();
      screen.close();
    },
  };
}

/** The newest lines of the lane that works now, looked at twice a second. */
function laneTail(
  context: Context,
  { client }: ViewOptions,
): (standing: Standing) => Promise<readonly string[]> {
  let execution: string | null = null;
  let after = 0;
  let lines: readonly string[] = [];
  let lookedAt = Number.NEGATIVE_INFINITY;
  return async ({ view }) => {
    const now = context.io.monotonicMs();
    const current = view.phase === 'executing' ? view.execution : null;
    if (current === null) return [];
    if (current.id !== execution) {
      execution = current.id;
      after = 0;
      lines = [];
    } else if (now - lookedAt < laneLookMs) return lines;
    lookedAt = now;
    const page = await client.log(current.id, after, lanePageMax);
    after = page.lines.at(-1)?.seq ?? after;
    const said = page.lines
      .flatMap(({ text }) => text.split('\n'))
      .filter((line) => line.trim() !== '');
    lines = [...lines, ...said].slice(-3);
    return lines;
  };
}
