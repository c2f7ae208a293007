/**
 * The bytes of every artifact that a row refers to, read and held against their digest, wherever
 * they are kept. Archives and signed heads are judged where what they say is.
 */
import type { Digest } from '../domain/ids.ts';
import type { Artifacts, Referred } from '../ports/artifacts.ts';
import type { AuditReport, Store } from '../ports/store.ts';
import { conditionOf } from './artifact-text.ts';

const atOnce = 200;
const namedMax = 100;

/** Nothing of ours removes what a row refers to, so what is not there is a problem as well. */
export async function auditArtifacts(
  store: Pick<Store, 'referred'>,
  artifacts: Pick<Artifacts, 'get'>,
): Promise<AuditReport['problems']> {
  const problems: AuditReport['problems'][number][] = [];
  let count = 0;
  for await (const { digest, run, name } of referredIn(store)) {
    const condition = await conditionOf(() => artifacts.get(digest));
    if (condition === 'whole') continue;
    count += 1;
    const what = `the bytes of ${nameOf(name, digest)} ${ends[condition]}`;
    if (count <= namedMax) problems.push({ stream: run ?? '*', version: null, what });
  }
  const more = count - problems.length;
  const rest = { stream: '*', version: null, what: `${more} more artifacts were changed or lost` };
  return more > 0 ? [...problems, rest] : problems;
}

const ends = { damaged: 'were changed', missing: 'are gone' } as const;

/** The name of a reference carries its digest, which is said once: `receipt, sha256:…`. */
const nameOf = (name: string, digest: Digest): string =>
  `${name.endsWith(`.${digest}`) ? name.slice(0, -digest.length - 1) : name}, ${digest},`;

async function* referredIn(store: Pick<Store, 'referred'>): AsyncGenerator<Referred> {
  let after: Digest | null = null;
  for (;;) {
    const page: readonly Referred[] = await store.referred(after, atOnce);
    for (const one of page) if (!isJudgedElsewhere(one.name)) yield one;
    after = page.at(-1)?.digest ?? null;
    if (page.length < atOnce) return;
  }
}

const isJudgedElsewhere = (name: string): boolean => name === 'archive' || name.startsWith('head/');
