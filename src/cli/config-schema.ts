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
    const jsonSchema = definitionJsonSchema();
    // Without --json it is the file that an editor is pointed to, as it is.
    if (context.isJson) context.json({ schema: 'pawl.config-schema/1', jsonSchema });
    else context.io.stdout.write(`${JSON.stringify(jsonSchema, null, 2)}\n`);
    return exits.done;
  },
};
