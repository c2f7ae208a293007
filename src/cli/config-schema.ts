import { definitionJsonSchema } from '../contract/json-schema.ts';
import type { Command } from './command.ts';
import { exits } from './exit.ts';

export const command: Command = {
  name: 'config schema',
  summary: 'Print the JSON Schema (2020-12) of pawl.yaml.',
  arguments: { usage: '', min: 0, max: 0 },
  flags: [],
  examples: ['pawl config schema > .pawl/pawl.schema.json'],
  run: async (context) => {
    // The schema itself in both cases: it is an object of its own kind already.
    context.io.stdout.write(`${JSON.stringify(definitionJsonSchema(), null, 2)}\n`);
    return exits.done;
  },
};
