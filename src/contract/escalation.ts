/**
 * The escalation of a run as it is kept: an artifact `pawl.escalation/1`. Closed and bounded: a key
 * that is not known is refused, and another version is not read.
 */
import * as z from 'zod';
import { parsedJson } from '../kernel/json.ts';
import { refusalReasons } from '../kernel/refusals.ts';

const line = z.string().max(8_192);
const ms = z.number();

const signs = z.strictObject({
  state: line,
  reason: line.nullable(),
  delivery: line.nullable(),
  stalledMs: ms,
  outputAgeMs: ms.nullable(),
  fileAgeMs: ms.nullable(),
  cpuAgeMs: ms.nullable(),
});

const loss = z.strictObject({ execution: line, class: line, detail: line });

const recovery = z.strictObject({
  at: ms,
  attempt: z.int().nullable(),
  execution: line,
  class: line,
  detail: line,
  action: line,
  signs: signs.nullable(),
  outcome: z.enum(['went_on', 'failed', 'open', 'none']),
  failed: loss.nullable(),
});

const evidence = z.strictObject({
  ended: line.nullable(),
  lastLine: line.nullable(),
  printed: z.array(line).max(10),
  signs: signs.nullable(),
  refused: z
    .strictObject({
      count: z.int(),
      tool: line.nullable(),
      call: line,
      why: z.enum(refusalReasons),
    })
    .nullable(),
});

const escalation = z.strictObject({
  schema: z.literal('pawl.escalation/1'),
  run: line,
  since: ms,
  disposition: line,
  reason: line,
  detail: line,
  class: line,
  job: z.strictObject({ role: line, attempt: z.int(), execution: line.nullable() }),
  evidence,
  recoveries: z.array(recovery).max(100),
  nudges: z
    .array(
      z.strictObject({
        at: ms,
        execution: line,
        n: z.int(),
        detail: line,
        lost: loss.nullable(),
      }),
    )
    .max(50),
  text: z.string().max(16_384).nullable(),
  paths: z.array(line).max(20),
  options: z.array(z.strictObject({ command: z.string().max(65_536), effect: line })).max(50),
});

export type KeptEscalation = z.infer<typeof escalation>;

/** Null for what is none, or is of another version. */
export function escalationIn(text: string): KeptEscalation | null {
  const read = escalation.safeParse(parsedJson(text));
  return read.success ? read.data : null;
}
