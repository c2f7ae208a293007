/**
 * The bytes of every artifact that a row refers to, read and held against their digest, wherever
 * they are kept. Archives and signed heads are judged where what they say is.
 */
import type { Digest } from '../domain/ids.ts';
import { WorldError } from '../kernel/errors.ts';
import type { Artifacts, Referred } from '../ports/artifacts.ts';
import type { AuditReport, Store } from '../ports/store.ts';

export interface ArtifactsAudit {
  readonly problems: AuditReport['problems'];
  readonly cannotProve: readonly string[];
}

const atOnce = 200;
const namedMax = 100;

export async function auditArtifacts(
  store: Pick<Store, 'referred'>,
  artifacts: Pick<Artifacts, 'get'>,
): Promise<ArtifactsAudit> {
  const problems: AuditReport['problems'][number][] = [];
  let [missing, damaged] = [0, 0];
  for await (const { digest, run, name } of referredIn(store)) {
    const found = await lookAt(artifacts, digest);
    if (found === 'missing') missing += 1;
    if (found !== 'damaged') continue;
    damaged += 1;
    const what = `the bytes of ${name}, ${digest}, were changed`;
    if (damaged <= namedMax) problems.push({ stream: run ?? '*', version: null, what });
  }
  const more = damaged - problems.length;
  const rest = { stream: '*', version: null, what: `${more} more artifacts were changed` };
  return {
    problems: more > 0 ? [...problems, rest] : problems,
    cannotProve:
      missing === 0 ? [] : [`${missing} artifacts that runs refer to are not there to be read`],
  };
}

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

async function lookAt(
  artifacts: Pick<Artifacts, 'get'>,
  digest: Digest,
): Promise<'whole' | 'missing' | 'damaged'> {
  try {
    return (await artifacts.get(digest)) === null ? 'missing' : 'whole';
  } catch (error: unknown) {
    if (error instanceof WorldError && error.code === 'artifact_damaged') return 'damaged';
    throw error;
  }
}
