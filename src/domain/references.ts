/**
 * Which artifacts something names. A reference is a row beside the event that names it
 * (design/store.md, "Artifact GC"); what has no row is collected, whatever an event says.
 */
import type { Digest } from './ids.ts';

export interface Reference {
  readonly name: string;
  readonly digest: Digest;
}

/** The name carries the digest, so that the same reference again is the same row. */
export const refer = (kind: string, digest: Digest | null): readonly Reference[] =>
  digest === null ? [] : [{ name: `${kind}.${digest}`, digest }];

const digestForm = /^sha256:[0-9a-f]{64}$/;

/** Of a message: it is compared, and nothing is stored under it. */
const noArtifact = 'seal';

/** Deeper than any record of ours is nested. */
const depthMax = 20;

/**
 * Every digest in a record, under the name of its field: what an older program stored without rows
 * is found by it, and tests hold the rows of today against it.
 */
export function digestsIn(value: unknown): readonly Reference[] {
  const found = new Map<string, Reference>();
  collect(found, { field: '', value, depth: 0 });
  return [...found.values()];
}

interface Look {
  readonly field: string;
  readonly value: unknown;
  readonly depth: number;
}

function collect(found: Map<string, Reference>, { field, value, depth }: Look): void {
  if (typeof value === 'string') {
    if (field === noArtifact || !digestForm.test(value)) return;
    for (const one of refer(field, value as Digest)) found.set(one.name, one);
    return;
  }
  if (typeof value !== 'object' || value === null || depth > depthMax) return;
  for (const [key, inner] of Object.entries(value)) {
    const name = Array.isArray(value) ? field : key;
    collect(found, { field: name, value: inner, depth: depth + 1 });
  }
}
