/** A run in a pipe or in CI: one line per fact, no redraw, no colour, and a heartbeat (UX 3.4). */
import type { Context } from './command.ts';
import { factDetail } from './fact-detail.ts';
import { clock, clockSeconds } from './format.ts';
import { greenNews } from './green-news.ts';
import { paint } from './style.ts';
import type { Teller, ViewOptions } from './teller.ts';
import { factOf } from './views/fact.ts';
import { beatFact, pipeLine } from './views/lines.ts';

export function pipeTeller(context: Context, options: ViewOptions): Teller {
  const { io, style } = context;
  const look = { context, client: options.client, files: false };
  let toldAt = io.monotonicMs();
  const write = (line: string): boolean => {
    toldAt = io.monotonicMs();
    return context.isQuiet || io.stdout.write(`${paint(line, style)}\n`);
  };
  return {
    begin: () => {
      context.note(options.notes.map((line) => `note: ${line}`));
      return true;
    },
    tell: async (events, standing) => {
      const scene = { ...standing, at: (instant: number) => clock(io, instant) };
      let isOpen = true;
      for (const stored of events) {
        const detail = await factDetail(look, stored, standing);
        const fact = factOf(stored, { ...scene, detail });
        if (fact !== null)
          isOpen = write(pipeLine(clockSeconds(io, stored.at), standing.view.short, fact));
        context.note(greenNews(stored, standing));
      }
      if (options.heartbeatMs !== null && io.monotonicMs() - toldAt >= options.heartbeatMs) {
        const beat = beatFact(standing.view, io.now());
        isOpen = write(pipeLine(clockSeconds(io, io.now()), standing.view.short, beat));
      }
      return isOpen;
    },
    say: (line) => {
      io.stderr.write(`${line}\n`);
    },
    key: () => undefined,
    close: () => undefined,
  };
}
