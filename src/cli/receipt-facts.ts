/**
 * What pages tell of a receipt beyond its verdict. Read by shape (an artifact is outside data):
 * what is not there is not told. `artifact verify` is what judges a receipt.
 */
import { fieldsOf, isFields, numberOf, parsedJson } from '../kernel/json.ts';
import { verdictOutcomes } from '../kernel/verdict-outcomes.ts';
import type { Client } from '../ports/client.ts';
import type { Digest } from '../ports/words.ts';
import { artifactText } from './artifacts.ts';
import type { ResultFacts } from './views/fact-shape.ts';

export interface ReceiptFacts {
  readonly results: readonly ReceiptResult[];
  /** Files under protection at the base commit. */
  readonly protectedFiles: number | null;
  /** The worker that verified; null: the machine of the store. */
  readonly worker: string | null;
}
export interface ReceiptResult extends ResultFacts {
  /** What the same check counted on the base commit. */
  readonly baseline: ResultFacts['counts'];
  /** Who looked, where a human judged: `ada (terminal)`. */
  readonly human: string | null;
}
/** Null when there is none, it was pruned, or it is no receipt. */
export async function receiptFacts(
  client: Client,
  digest: Digest | null,
): Promise<ReceiptFacts | null> {
  const text = await artifactText(client, digest);
  const predicate = fieldsOf(fieldsOf(statementOf(text))['predicate']);
  const criteria = predicate['criteria'];
  if (!Array.isArray(criteria)) return null;
  const files = fieldsOf(predicate['protected'])['files'];
  const { worker } = fieldsOf(predicate['verifier']);
  return {
    results: criteria.slice(0, 100).flatMap(resultOf),
    protectedFiles: typeof files === 'number' ? files : null,
    worker: typeof worker === 'string' ? worker : null,
  };
}

/** The statement in a signed envelope; null where the text is none. */
export function statementOf(text: string | null): unknown {
  const payload = text === null ? null : fieldsOf(parsedJson(text))['payload'];
  if (typeof payload !== 'string') return null;
  return parsedJson(Buffer.from(payload, 'base64').toString('utf8'));
}

function resultOf(value: unknown): ReceiptResult[] {
  const fields = fieldsOf(value);
  const { what } = fields;
  const outcome = verdictOutcomes.find((known) => known === fields['outcome']);
  if (typeof what !== 'string' || outcome === undefined) return [];
  const { reasons } = fields;
  return [
    {
      what,
      outcome,
      exit: numberOf(fields['exit']),
      counts: countsOf(fields['counts']),
      baseline: countsOf(fields['baseline']),
      human: humanOf(fields['human']),
      durationMs: numberOf(fields['durationMs']) ?? 0,
      reasons: Array.isArray(reasons) ? reasons.filter((one) => typeof one === 'string') : [],
    },
  ];
}

function humanOf(value: unknown): string | null {
  const human = fieldsOf(value);
  const [actor, channel] = [human['actor'], human['channel']];
  return typeof actor === 'string' && typeof channel === 'string' ? `${actor} (${channel})` : null;
}

function countsOf(value: unknown): ResultFacts['counts'] {
  if (!isFields(value)) return null;
  return {
    passed: numberOf(value['passed']),
    failed: numberOf(value['failed']),
    skipped: numberOf(value['skipped']),
  };
}
