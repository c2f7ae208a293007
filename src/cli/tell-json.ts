/** `run --json`: one `pawl.event/1` per line, warnings beside them; the last line is the run. */
import type { Context } from './command.ts';
import { iso } from './format.ts';
import { greenJson } from './green-news.ts';
import type { Teller } from './teller.ts';

export function jsonTeller(context: Context): Teller {
  const write = (line: Readonly<Record<string, unknown>>): boolean =>
    context.io.stdout.write(`${JSON.stringify(line)}\n`);
  return {
    begin: () => true,
    tell: async (events, standing) => {
      let isOpen = true;
      for (const stored of events) {
        const { at, version, event, run } = stored;
        const { type, ...data } = event;
        isOpen = write({ schema: 'pawl.event/1', at: iso(at), seq: version, type, run, data });
        const warning = greenJson(stored, standing);
        if (warning !== null) isOpen = write(warning);
      }
      return isOpen;
    },
    say: (line) => {
      context.io.stderr.write(`${line}\n`);
    },
    key: () => undefined,
    close: () => undefined,
  };
}
