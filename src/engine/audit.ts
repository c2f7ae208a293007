/**
 * The audit of a store: its chains, its chains against the heads that were signed, what runs are
 * shown as against what their events say, and the bytes of what they refer to. A chain that
 * somebody rewrote from end to end closes; only a signed head tells that it is another one.
 */
import { WorldError } from '../kernel/errors.ts';
import type { Audit } from '../ports/client.ts';
import type { Head, HeadSeal } from '../ports/heads.ts';
import type { ArchivedStream, AuditReport, KeptHead } from '../ports/store.ts';
import { auditArtifacts } from './audit-artifacts.ts';
import { auditProjections } from './audit-projection.ts';
import type { Engine } from './engine.ts';
import { utf8 } from './utf8.ts';

type Problem = AuditReport['problems'][number];

export async function auditStore(
  { store, artifacts }: Pick<Engine, 'store' | 'artifacts'>,
  seal: () => Promise<HeadSeal>,
): Promise<Audit> {
  const { heads: kept, unsigned, archived, ...chains } = await store.audit();
  const opener = kept.length + archived.length === 0 ? null : await seal();
  const heads = await judgedHeads(artifacts, kept, opener);
  const moved = await judgedArchives(artifacts, archived, opener);
  const folded = await auditProjections(store);
  const bytes = await auditArtifacts(store, artifacts);
  const problems = [
    ...[...chains.problems, ...heads.problems, ...moved.problems, ...folded.problems],
    ...bytes,
  ];
  const counts = { streams: chains.streams, unsigned, missing: heads.missing };
  const cannotProve = [...folded.cannotProve, ...unprovable({ ...counts, moved: moved.missing })];
  return { ...chains, archived: archived.length, problems, heads: heads.heads, cannotProve };
}

type Bytes = Pick<Engine['artifacts'], 'get'>;

async function judgedHeads(artifacts: Bytes, kept: readonly KeptHead[], opener: HeadSeal | null) {
  const problems: Problem[] = [];
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
  return { problems, heads, missing };
}

async function judgedArchives(
  artifacts: Bytes,
  archived: readonly ArchivedStream[],
  opener: HeadSeal | null,
) {
  const problems: Problem[] = [];
  let missing = 0;
  for (const one of archived) {
    problems.push(...judgedArchive(one, opener?.open(one.statement) ?? null));
    const file = await statementOf(artifacts, { statement: one.archive });
    if (file === 'damaged') problems.push(of(one, 'its archive was changed'));
    if (file === null) missing += 1;
  }
  return { problems, missing };
}

async function statementOf(
  artifacts: Bytes,
  { statement }: Pick<KeptHead, 'statement'>,
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

/** Anybody who may write there can delete a run and say so; only the key says that it was us. */
function judgedArchive(one: ArchivedStream, head: Head | null): readonly Problem[] {
  const { run, version, hash, archive } = one;
  const isOurs =
    head?.stream === run &&
    head.version === version &&
    head.digest === hash &&
    head.archive === archive;
  if (isOurs) return [];
  return [of(one, 'the stream was removed: its record of an archive is not signed by this key')];
}

const of = ({ run, version }: Pick<KeptHead, 'run' | 'version'>, what: string): Problem => ({
  stream: run ?? '*',
  version,
  what,
});

function unprovable(counts: {
  readonly streams: number;
  readonly unsigned: number;
  readonly missing: number;
  readonly moved: number;
}): readonly string[] {
  const { streams, unsigned, missing, moved } = counts;
  return [
    ...(unsigned === 0
      ? []
      : [
          `the end of ${unsigned} of ${streams} streams is not signed (a head is signed when its run parks or ends): a rewrite of what came after the last signed head would not show`,
        ]),
    ...(missing === 0
      ? []
      : [`${missing} signed heads are not among the artifacts: nothing can be held against them`]),
    ...(moved === 0
      ? []
      : [
          `${moved} archives are not among the artifacts: audit verify <file> checks one where it is`,
        ]),
    'who can read the signing key, or removes signed heads too, can write a new chain that passes: heads that were kept elsewhere (--json prints them) would tell',
  ];
}
