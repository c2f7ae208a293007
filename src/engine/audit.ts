/**
 * The audit of a store: its chains, its chains against the heads that were signed, and what runs
 * are shown as against what their events say. A chain that
 * somebody rewrote from end to end closes; only a signed head tells that it is another one.
 */
import { WorldError } from '../kernel/errors.ts';
import type { Audit } from '../ports/client.ts';
import type { Head, HeadSeal } from '../ports/heads.ts';
import type { AuditReport, KeptHead } from '../ports/store.ts';
import { auditProjections } from './audit-projection.ts';
import type { Engine } from './engine.ts';
import { utf8 } from './utf8.ts';

type Problem = AuditReport['problems'][number];

export async function auditStore(
  { store, artifacts }: Pick<Engine, 'store' | 'artifacts'>,
  seal: () => Promise<HeadSeal>,
): Promise<Audit> {
  const { heads: kept, unsigned, ...chains } = await store.audit();
  const opener = kept.length === 0 ? null : await seal();
  const problems: Problem[] = [...chains.problems];
  const heads: Audit['heads'][number][] = [];
  let missing = 0;
  for (const one of kept) {
    const statement = await statementOf(artifacts, one);
    if (statement === null || opener === null) missing += 1;
    else if (statement === 'damaged') problems.push(of(one, 'its signed head was changed'));
    else {
      const head = opener.open(statement);
      problems.push(...judged(one, head));
      if (head !== null) heads.push({ ...head, statement });
    }
  }
  const folded = await auditProjections(store);
  problems.push(...folded.problems);
  const cannotProve = [
    ...folded.cannotProve,
    ...unprovable({ streams: chains.streams, unsigned, missing }),
  ];
  return { ...chains, problems, heads, cannotProve };
}

async function statementOf(
  artifacts: Pick<Engine['artifacts'], 'get'>,
  { statement }: KeptHead,
): Promise<string | 'damaged' | null> {
  try {
    const bytes = await artifacts.get(statement);
    return bytes === null ? null : utf8(bytes);
  } catch (error: unknown) {
    if (error instanceof WorldError && error.code === 'artifact_damaged') return 'damaged';
    throw error;
  }
}

function judged(kept: KeptHead, head: Head | null): readonly Problem[] {
  const { run, version, hash } = kept;
  if (head === null) return [of(kept, 'its signed head is not by the key of this installation')];
  if ((run !== null && head.stream !== run) || head.version !== version) {
    const what = `its signed head is that of ${head.stream} version ${head.version}`;
    return [of(kept, what)];
  }
  const named = { stream: head.stream, version };
  if (hash === null) {
    const what = 'its head was signed and is not there: the stream was cut or removed';
    return [{ ...named, what }];
  }
  if (hash === head.digest) return [];
  const what = 'the chain was rewritten: it is not the one whose head was signed';
  return [{ ...named, what }];
}

const of = ({ run, version }: KeptHead, what: string): Problem => ({
  stream: run ?? '*',
  version,
  what,
});

function unprovable(counts: {
  readonly streams: number;
  readonly unsigned: number;
  readonly missing: number;
}): readonly string[] {
  const { streams, unsigned, missing } = counts;
  return [
    ...(unsigned === 0
      ? []
      : [
          `the end of ${unsigned} of ${streams} streams is not signed (a head is signed when its run parks or ends): a rewrite of what came after the last signed head would not show`,
        ]),
    ...(missing === 0
      ? []
      : [`${missing} signed heads are not among the artifacts: nothing can be held against them`]),
    'who can read the signing key, or removes signed heads too, can write a new chain that passes: heads that were kept elsewhere (--json prints them) would tell',
  ];
}
