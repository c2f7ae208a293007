/**
 * A human's look as a signed receipt: who looked, through which channel, when and at which commit.
 * What the checks said of the same commit before stands in it too, so that one receipt tells all
 * that a run was let through by.
 */
import type { Commit, Digest } from '../domain/ids.ts';
import type { Attestation } from '../ports/checks.ts';
import { checkOf, checkSourceChanges } from './check-source.ts';
import type { CheckSettings } from './options.ts';
import { noEnvironment } from './place.ts';
import { protectedReport } from './protected-paths.ts';
import { type Predicate, statementSchema } from './receipt/predicate.ts';
import { recipeOf, verifierOf, writeReceipt } from './receipt/write.ts';
import { bounded, summaryMax } from './summary.ts';

const lineMax = 500;

/** @throws WorldError where git or the store of artifacts fails; then nothing was approved. */
export async function attest(settings: CheckSettings, asked: Attestation): Promise<Digest> {
  const before = await checkedBefore(settings, asked);
  const criteria = [...(before?.criteria ?? []), lookOf(settings, asked)];
  const whole = before ?? (await unchecked(settings, asked));
  return writeReceipt(settings, {
    ...whole,
    execution: asked.approval,
    at: new Date(settings.clock.now()).toISOString(),
    outcome: asked.outcome,
    summary: bounded(summaryOf(asked), summaryMax),
    criteria,
    notRun: whole.notRun.filter((index) => index !== asked.criterion),
  });
}

function summaryOf({ outcome, by, channel, note }: Attestation): string {
  const word = outcome === 'passed' ? 'approved' : 'rejected';
  return `${word} by ${by} (${channel})${note === '' ? '' : `: ${note}`}`;
}

function lookOf({ clock }: CheckSettings, asked: Attestation): Predicate['criteria'][number] {
  const { criterion: index, look, outcome, by, channel, approval, note } = asked;
  const at = new Date(clock.now()).toISOString();
  return {
    index,
    kind: 'manual',
    what: bounded(look, lineMax),
    line: bounded(`${look} · ${summaryOf({ ...asked, note: '' })}`, lineMax),
    definition: { ...(asked.definition.criteria[index] ?? { kind: 'manual', look }) },
    outcome,
    score: null,
    exit: null,
    counts: null,
    baseline: null,
    durationMs: 0,
    executions: 1,
    flaky: false,
    reasons: note === '' ? [] : [bounded(note, lineMax)],
    output: null,
    excerpt: '',
    containment: null,
    human: { actor: by, channel, at, approval },
  };
}

/** What was said of the very same commit; another commit's checks prove nothing about this one. */
async function checkedBefore(
  { artifacts }: CheckSettings,
  { previous, commit }: Attestation,
): Promise<Predicate | null> {
  const bytes = previous === null ? null : await artifacts.get(previous);
  if (bytes === null) return null;
  const { payload } = JSON.parse(Buffer.from(bytes).toString('utf8')) as { payload: string };
  const text = Buffer.from(payload, 'base64').toString('utf8');
  const read = statementSchema.safeParse(JSON.parse(text));
  if (!read.success) return null;
  const { predicate } = read.data;
  return (predicate.work?.commit ?? null) === commit && predicate.outcome === 'passed'
    ? predicate
    : null;
}

async function unchecked(settings: CheckSettings, asked: Attestation): Promise<Predicate> {
  const { definition, commit, run, approval } = asked;
  const { source, project } = definition;
  const trees = await comparedTrees(settings, asked);
  return {
    about: 'verification',
    run,
    execution: approval,
    at: '',
    project: { name: project.name, cwd: project.cwd },
    outcome: asked.outcome,
    summary: '',
    verifier: verifierOf('human', settings.signer),
    isolation: source.isolation,
    tree: commit === null ? 'shared' : 'none',
    ...trees,
    environment: {
      ...noEnvironment,
      tools: [],
      paths: [],
      putBack: [],
      rebuilt: [],
      baseKey: null,
    },
    emptySubmodules: [],
    baseline: 'not run',
    criteria: [],
    notRun: [],
    recipe: recipeOf(definition),
  };
}

type Compared = Pick<Predicate, 'base' | 'work' | 'sameTreeAsBase' | 'protected' | 'checkSource'>;

async function comparedTrees(
  { trees }: CheckSettings,
  { definition, commit }: Attestation,
): Promise<Compared> {
  const { root } = definition.project;
  const { base } = definition.source;
  const named = async (one: Commit | null) =>
    one === null ? null : { commit: one as string, tree: await trees.treeOf(root, one) };
  const [from, work] = [await named(base), await named(commit)];
  const sameTreeAsBase = from === null || work === null ? null : from.tree === work.tree;
  const sides = { base: from, work, sameTreeAsBase };
  if (base === null || commit === null) return { ...sides, protected: null, checkSource: [] };
  const where = { root, base, commit };
  const report = await protectedReport(trees, where, definition.protected);
  const patterns = [...definition.protected];
  return {
    ...sides,
    protected: { ...report, changed: [...report.changed], patterns, restored: [] },
    checkSource: [...(await checkSourceChanges(trees, where, checkOf(definition)))],
  };
}
