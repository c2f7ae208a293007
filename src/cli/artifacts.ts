/** Artifacts as the pages need them: text, and verdicts read by shape (outside data). */
import { parsedJson } from '../kernel/json.ts';
import type { Client } from '../ports/client.ts';
import type { Digest, Verdict } from '../ports/words.ts';

/** Null when it was pruned. */
export async function artifactText(client: Client, digest: Digest | null): Promise<string | null> {
  if (digest === null) return null;
  const bytes = await client.artifact(digest);
  return bytes === null ? null : new TextDecoder().decode(bytes);
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
