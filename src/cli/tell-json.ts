/** `run --json`: one `pawl.event/1` per line; the last line is the run. */
import type { Context } from './command.ts';
import { iso } from './format.ts';
import type { Teller } from './teller.ts';

export function jsonTeller(context: Context): Teller {
  return {
    begin: () => true,
    tell: async (events) => {
      let isOpen = true;
      for (const { at, version, event, run } of events) {
        const { type, ...data } = event;
        const line = { schema: 'pawl.event/1', at: iso(at), seq: version, type, run, data };
        isOpen = context.io.stdout.write(`${JSON.stringify(line)}\n`);
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
