/** The schema of `env` of a definition file. */
import * as z from 'zod';
import { modelAddresses } from '../kernel/model-keys.ts';

/** Where an agent, or the models door in its place, asks: found out now, not in the first turn. */
function addressesRead(
  set: Readonly<Record<string, string>>,
  context: z.core.$RefinementCtx,
): void {
  for (const name of modelAddresses) {
    const value = set[name];
    if (value === undefined || isAddress(value)) continue;
    context.addIssue({ code: 'custom', path: [name], message: 'an address like https://…' });
  }
}

const isAddress = (value: string): boolean => /^https?:\/\//i.test(value) && URL.canParse(value);

export const environment = z
  .strictObject({
    allow: z
      .array(z.string().regex(/^\w+$/, 'the name of a variable'))
      .describe('Variables that reach the agent and the checks.')
      .optional(),
    set: z
      .record(z.string().regex(/^\w+$/, 'letters, digits and _'), z.string())
      .superRefine(addressesRead)
      .describe('Variables with these values.')
      .optional(),
  })
  .describe('The environment is built from an allow-list.');
