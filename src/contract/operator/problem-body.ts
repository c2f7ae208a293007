/** How a refusal or a failure is told over HTTP: the same words as on a terminal (UX 4.4). */
import * as z from 'zod';

const one = {
  code: z.string().describe('Stable; each has its section in docs/errors.md.'),
  message: z.string(),
  field: z.string().optional().describe('What of the request is meant: `body.definition.name`.'),
  so: z.string().optional(),
  found: z.string().optional(),
  allowed: z.string().optional(),
  next: z.string().describe('What to do or to type next.'),
  facts: z.record(z.string(), z.unknown()).optional(),
};

const problemWords = z.object(one);
export type ProblemWords = z.infer<typeof problemWords>;

/** Keys that a newer server adds are left out. */
export const problemBody = z.object({
  ...one,
  kind: z
    .enum(['request', 'passing', 'world'])
    .describe('Who can change it: the caller, time (the same call may succeed later), a person.'),
  others: z.array(problemWords).optional().describe('Further problems of the same request.'),
});
export type ProblemBody = z.infer<typeof problemBody>;
