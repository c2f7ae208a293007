/** Artifacts as the pages need them: text, and verdicts read by shape (outside data). */

import type { KeptEscalation } from '../contract/escalation.ts';
import { ProductError } from '../kernel/errors.ts';
import { parsedJson } from '../kernel/json.ts';
import type { Client } from '../ports/client.ts';
import type { Digest, Verdict } from '../ports/words.ts';

/** Null when it was pruned, or its bytes are not what they were: one of them hides no page. */
export async function artifactText(client: Client, digest: Digest | null): Promise<string | null> {
  try {
    return await wholeText(client, digest);
  } catch (error: unknown) {
    if (isDamaged(error)) return null;
    throw error;
  }
}

/** Null when it was pruned. @throws WorldError `artifact_damaged`. */
export async function wholeText(client: Client, digest: Digest | null): Promise<string | null> {
  if (digest === null) return null;
  const bytes = await client.artifact(digest);
  return bytes === null ? null : new TextDecoder().decode(bytes);
}

/** What a page says of a receipt that is not whole any more; null: it is, or there is none. */
export async function receiptDamage(client: Client, digest: Digest | null): Promise<string | null> {
  try {
    if (digest === null || (await wholeText(client, digest)) !== null) return null;
    return `missing: the bytes of ${digest} are not in the store`;
  } catch (error: unknown) {
    if (isDamaged(error)) return `damaged: the stored bytes are not those of ${digest}`;
    throw error;
  }
}

/** A server says it by the same code. */
const isDamaged = (error: unknown): boolean =>
  error instanceof ProductError && error.code === 'artifact_damaged';

/** Null where no driver has kept it, or it is not there any more. */
export async function escalationKept(
  client: Client,
  digest: Digest | null,
): Promise<KeptEscalation | null> {
  const text = await artifactText(client, digest);
  if (text === null) return null;
  const { escalationIn } = await import('../contract/escalation.ts');
  return escalationIn(text);
}

export async function verdictOf(client: Client, digest: Digest | null): Promise<Verdict | null> {
  const text = await artifactText(client, digest);
  if (text === null) return null;
  const value = parsedJson(text);
  return isVerdict(value) ? value : null;
}

function isVerdict(value: unknown): value is Verdict {
  if (typeof value !== 'object' || value === null) return false;
  const { outcome, criteria, verifierIdentity } = value as Readonly<Record<string, unknown>>;
  return (
    typeof outcome === 'string' && Array.isArray(criteria) && typeof verifierIdentity === 'string'
  );
}
