/** The schema of one role of a definition file. */
import * as z from 'zod';

const text = (description: string) => z.string().min(1).describe(description);
const promptMax = 3_000;

/** The form of `pawl worker --label`. */
export const labels = (description: string) =>
  z
    .array(
      z.string().regex(/^[\w.:@/+-]{1,120}$/, 'letters, digits and . : @ / + - _, at most 120'),
    )
    .max(32)
    .describe(description);

/** `whose`: what the role is for, in a sentence. */
export const role = (whose: string) =>
  z
    .strictObject({
      agent: text(`Name of the agent, known or from \`agents\`. ${whose}`).optional(),
      model: text('Model, handed to the agent as {model}.').optional(),
      profile: text(
        'What the role is told of its part: fixer, designer, explorer, librarian; oracle, observer, test.',
      ).optional(),
      login: z
        .enum(['user', 'key'])
        .describe(
          "user: the agent's own login, where it lies. key: the models door puts in a key of secrets.",
        )
        .optional(),
      labels: labels('Labels that a worker must have besides to do this.').optional(),
      args: z.array(z.string()).describe('Further arguments for the agent.').optional(),
      prompt: z
        .string()
        .min(1)
        .max(promptMax)
        .describe('What this role is told beside what its profile is told; text, no file.')
        .optional(),
    })
    .describe(whose);
