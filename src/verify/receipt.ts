/**
 * Checks a receipt as a stranger would: with the file, the public key and, if he has it, the
 * repository. With `rerun` the checks themselves run again, in trees of their own, and must say the
 * same. Nothing in the receipt is believed before its signature holds.
 */
import type { Definition } from '../domain/definition/definition.ts';
import type { Commit, ExecutionId, RunId } from '../domain/ids.ts';
import type { CancelSignal } from '../kernel/cancel-signal.ts';
import type { Checks } from '../ports/checks.ts';
import type { CheckTrees } from '../ports/workspace.ts';
import { protectedReport } from './protected-paths.ts';
import { openEnvelope, readPublicKey } from './receipt/dsse.ts';
import {
  envelopeSchema,
  type Predicate,
  payloadType,
  type Statement,
  statementSchema,
} from './receipt/predicate.ts';

export interface ReceiptQuestion {
  /** Null: only what the file itself can show is checked. */
  readonly repository: {
    readonly root: string;
    readonly trees: Pick<CheckTrees, 'treeOf' | 'list' | 'show'>;
  } | null;
  /** Null: the checks are not run again. They must belong to a home of their own. */
  readonly rerun: {
    readonly checks: Checks;
    readonly signal: CancelSignal;
    readonly progress: (line: string) => void;
  } | null;
}

export interface ReceiptFinding {
  readonly check: 'form' | 'signature' | 'verdict' | 'commit' | 'tree' | 'protected' | 'rerun';
  /** `unchecked`: it could not be looked at, which is neither good nor bad. */
  readonly result: 'ok' | 'bad' | 'unchecked';
  readonly detail: string;
}

export interface ReceiptReport {
  /** No finding is bad, the signature holds, and what was asked for was done. */
  readonly ok: boolean;
  readonly findings: readonly ReceiptFinding[];
  /** Null when the signature does not hold. */
  readonly predicate: Predicate | null;
}

/** Never throws for what the file holds. */
export async function verifyReceipt(
  envelopeJson: string,
  publicKeyPem: string,
  question: ReceiptQuestion,
): Promise<ReceiptReport> {
  const opened = open(envelopeJson, publicKeyPem);
  if (opened.statement === null) return report(opened.findings, null);
  const { predicate, subject } = opened.statement;
  const findings = [...opened.findings, ...consistency(predicate, subject[0])];
  findings.push(...(await againstRepository(predicate, question.repository)));
  findings.push(await repeated(predicate, question));
  return report(findings, predicate, question.rerun !== null);
}

function report(
  findings: readonly ReceiptFinding[],
  predicate: Predicate | null,
  wantsRerun = false,
): ReceiptReport {
  const isDone = ({ check, result }: ReceiptFinding) =>
    result === 'ok' || (result === 'unchecked' && !(wantsRerun && check === 'rerun'));
  return {
    ok: predicate !== null && findings.every(isDone),
    findings,
    predicate,
  };
}

function open(
  envelopeJson: string,
  publicKeyPem: string,
): { readonly findings: readonly ReceiptFinding[]; readonly statement: Statement | null } {
  const envelope = envelopeSchema.safeParse(parsed(envelopeJson));
  if (!envelope.success) return refused('form', 'the file is not a DSSE envelope');
  const key = readPublicKey(publicKeyPem);
  if (key === null) return refused('signature', 'the key is not an Ed25519 public key in PEM');
  if (envelope.data.payloadType !== payloadType) {
    return refused('form', `the payload is of type ${envelope.data.payloadType}`);
  }
  const payload = openEnvelope(envelope.data, publicKeyPem);
  if (payload === null) {
    const ids = envelope.data.signatures.map((one) => one.keyid);
    const why = ids.includes(key.keyId)
      ? `by ${key.keyId}, which did not sign this text: it was changed since`
      : `by ${ids.join(', ')}, and not by ${key.keyId}`;
    return refused('signature', why);
  }
  const statement = statementSchema.safeParse(parsed(payload));
  if (!statement.success) return refused('form', 'the signed text is not a receipt of this format');
  const findings = [finding('signature', 'ok', `signed by ${key.keyId}`)];
  return { findings, statement: statement.data };
}

/** What the receipt says must hang together in itself. */
function consistency(
  predicate: Predicate,
  subject: Statement['subject'][number] | undefined,
): readonly ReceiptFinding[] {
  const { work, outcome, criteria } = predicate;
  const names = subject?.digest['gitCommit'] === work?.commit;
  const trees = subject?.digest['gitTree'] === work?.tree;
  if (work !== null && !(names && trees)) {
    return [finding('commit', 'bad', 'the subject is another commit than the judged one')];
  }
  const bad = criteria.find((one) => one.outcome !== 'passed');
  const isWhole = criteria.length > 0 && bad === undefined && predicate.notRun.length === 0;
  if (outcome === 'passed' && !isWhole) {
    return [finding('verdict', 'bad', `says passed, although ${bad?.what ?? 'not all'} is not`)];
  }
  return [finding('verdict', 'ok', `${outcome}: ${predicate.summary}`)];
}

async function againstRepository(
  predicate: Predicate,
  repository: ReceiptQuestion['repository'],
): Promise<readonly ReceiptFinding[]> {
  if (repository === null) return [finding('commit', 'unchecked', 'no repository was given')];
  const named = [predicate.work, predicate.base].filter((one) => one !== null);
  if (named.length === 0) return [finding('commit', 'unchecked', 'the receipt names no commit')];
  const findings: ReceiptFinding[] = [];
  for (const { commit, tree } of named) {
    const found = await treeOrNull(repository, commit);
    const short = commit.slice(0, 12);
    if (found === null)
      findings.push(finding('commit', 'bad', `${short} is not in the repository`));
    else if (found !== tree)
      findings.push(finding('tree', 'bad', `${short} has the tree ${found}`));
    else findings.push(finding('tree', 'ok', `${short} has the tree ${tree.slice(0, 12)}`));
  }
  const isKnown = findings.every((one) => one.result === 'ok');
  if (isKnown) findings.push(...(await protectedAgain(predicate, repository)));
  return findings;
}

async function protectedAgain(
  predicate: Predicate,
  repository: NonNullable<ReceiptQuestion['repository']>,
): Promise<readonly ReceiptFinding[]> {
  const { work, base } = predicate;
  if (predicate.protected === null || work === null || base === null) return [];
  const where = {
    root: repository.root,
    base: base.commit as Commit,
    commit: work.commit as Commit,
  };
  const again = await protectedReport(repository.trees, where, predicate.protected.patterns);
  if (again.digest !== predicate.protected.digest) {
    return [finding('protected', 'bad', 'the digest of the protected files is another one')];
  }
  const changed = again.changed.length + again.changedMore;
  const detail = changed === 0 ? 'unchanged' : `${changed} changed, as the receipt says`;
  return [finding('protected', 'ok', `${again.files} protected files: ${detail}`)];
}

async function repeated(predicate: Predicate, question: ReceiptQuestion): Promise<ReceiptFinding> {
  const { rerun, repository } = question;
  if (rerun === null) return finding('rerun', 'unchecked', 'the checks were not run again');
  if (repository === null || predicate.work === null) {
    const without = repository === null ? 'no repository was given' : 'the receipt names no commit';
    return finding('rerun', 'unchecked', `not run again: ${without}`);
  }
  if (predicate.about === 'judgement') {
    return finding('rerun', 'unchecked', 'an agent judged; a repetition would prove nothing');
  }
  const repeatable = predicate.criteria.filter((one) => one.human === undefined);
  if (repeatable.length === 0) {
    return finding('rerun', 'unchecked', 'a human looked; a repetition would prove nothing');
  }
  const verdict = await rerun.checks.verify({
    run: predicate.run as RunId,
    execution: `${predicate.execution}-again` as ExecutionId,
    definition: definitionOf({ ...predicate, criteria: repeatable }, repository.root),
    commit: predicate.work.commit as Commit,
    directory: null,
    signal: rerun.signal,
    progress: rerun.progress,
    restoreProtected: (predicate.protected?.restored.length ?? 0) > 0,
    criteria: repeatable.map((_, position) => position),
  });
  const bad = repeatable.find((one) => one.outcome !== 'passed');
  const isLook = repeatable.length < predicate.criteria.length;
  const before = isLook ? (bad?.outcome ?? 'passed') : predicate.outcome;
  const same = verdict.outcome === before;
  return finding('rerun', same ? 'ok' : 'bad', `now ${verdict.outcome}: ${verdict.summary}`);
}

/** As much of the definition as running the checks needs; the rest is at rest. */
function definitionOf(predicate: Predicate, root: string): Definition {
  const { recipe, project } = predicate;
  return {
    version: 1,
    intent: { originalIntent: '', inferredGoal: null, addedContext: [], verificationPlan: '' },
    name: 'rerun',
    project: { root, name: project.name, kind: 'user', cwd: project.cwd },
    source: {
      isolation: 'worktree',
      base: (predicate.base?.commit ?? null) as Commit | null,
      baseBranch: null,
      includeChanges: false,
    },
    strategy: 'attempts',
    roles: { execute: { ...nobody, profile: 'none' }, verify: null },
    // Written by ourselves and signed: the registry still refuses a kind that it does not know.
    criteria: predicate.criteria.map(
      (one) => one.definition as unknown as Definition['criteria'][0],
    ),
    baseline: 'skip',
    // A baseline receipt is about the base itself.
    allowNoChange: recipe.allowNoChange || predicate.about === 'baseline',
    protected: recipe.protected,
    onProtected: 'park',
    fileScope: [],
    brakes: noBrakes,
    workspace: { setup: recipe.setup, copy: recipe.copy, submodules: recipe.submodules },
    verifyTree: 'clean',
    permissions: 'workspace',
    onLimit: 'stop',
    env: { allow: recipe.envAllow, set: recipe.envSet },
    secrets: {},
    context: [],
    approvals: { expireMs: null },
    recovery: { requeues: 0, transfers: 0 },
    concurrency: { group: 'rerun', max: 1 },
    land: { method: 'squash', reverify: true },
    nestedRuns: 0,
    keepAwake: false,
  };
}

const nobody = { agent: 'none', command: null, model: null, args: [] } as const;
const noBrakes: Definition['brakes'] = {
  attempts: 1,
  costUsd: null,
  tokens: null,
  steps: null,
  timeMs: null,
  attemptTimeMs: 0,
  waitTimeMs: 0,
  errorSignals: 1,
};

async function treeOrNull(
  repository: NonNullable<ReceiptQuestion['repository']>,
  commit: string,
): Promise<string | null> {
  try {
    return await repository.trees.treeOf(repository.root, commit as Commit);
  } catch (error: unknown) {
    if (error instanceof Error) return null;
    throw error;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The schema refuses undefined with the words for it.
    return undefined;
  }
}

function refused(check: ReceiptFinding['check'], detail: string) {
  return { findings: [finding(check, 'bad', detail)], statement: null };
}

function finding(
  check: ReceiptFinding['check'],
  result: ReceiptFinding['result'],
  detail: string,
): ReceiptFinding {
  return { check, result, detail };
}
