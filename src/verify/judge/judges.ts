/** Judging lanes: the prompt they get, and the typed, signed verdict made of what they say. */
import type { CriterionResult, Verdict } from '../../domain/verdict/verdict.ts';
import type { Artifacts } from '../../ports/artifacts.ts';
import type { Clock } from '../../ports/clock.ts';
import type { JudgeAnswer, JudgeRequest, Judges } from '../../ports/judge.ts';
import type { CheckTrees } from '../../ports/workspace.ts';
import { questionOf } from '../criteria/question.ts';
import { protectedReport } from '../protected-paths.ts';
import type { Predicate } from '../receipt/predicate.ts';
import { recipeOf, verifierOf, writeReceipt } from '../receipt/write.ts';
import type { Signer } from '../signer.ts';
import { bounded, summaryMax } from '../summary.ts';
import { judgePrompt, opinionPrompt } from './prompt.ts';
import { type JudgeReading, readVerdict } from './verdict.ts';

export interface RuntimeJudgesOptions {
  readonly artifacts: Artifacts;
  readonly trees: Pick<CheckTrees, 'treeOf' | 'list' | 'show'>;
  readonly signer: Signer;
  readonly clock: Clock;
}

export function runtimeJudges(options: RuntimeJudgesOptions): Judges {
  return {
    prompt: judgePrompt,
    verdict: (request, answer) => verdict(options, request, answer),
    opinion: opinionPrompt,
  };
}

async function verdict(
  options: RuntimeJudgesOptions,
  request: JudgeRequest,
  answer: JudgeAnswer,
): Promise<Verdict> {
  // Who said nothing at all has said nothing unclear either: its maker spends no attempt for it.
  const reading = answer.ended && answer.text !== null ? readVerdict(answer.text) : null;
  const output = await options.artifacts.put(answer.text ?? '', 'output');
  const result = resultOf(request, reading, answer, output);
  const summary = bounded(`${bounded(result.what, 80)} · ${sentence(result, reading)}`, summaryMax);
  const predicate = await predicateOf(options, request, { result, summary });
  return {
    outcome: result.outcome,
    commit: request.commit,
    verifier: request.execution,
    verifierIdentity: identityOf(request),
    criteria: [result],
    receipt: await writeReceipt(options, predicate),
    summary,
  };
}

/** From the definition's role and the execution; an answer cannot name its own author. */
function identityOf(request: JudgeRequest): string {
  const role = request.definition.roles.verify;
  if (role === null) return `lane ${request.execution}`;
  return `${role.profile}@${role.agent}${role.model === null ? '' : `:${role.model}`}`;
}

function resultOf(
  request: JudgeRequest,
  reading: JudgeReading | null,
  answer: JudgeAnswer,
  output: CriterionResult['output'],
): CriterionResult {
  const criterion = request.definition.criteria[request.criterion];
  const clear = reading?.outcome === 'passed' || reading?.outcome === 'failed' ? reading : null;
  return {
    index: request.criterion,
    kind: criterion?.kind ?? 'unknown',
    what: criterion === undefined ? 'unknown' : questionOf(criterion),
    outcome: reading?.outcome ?? 'verifier_unavailable',
    score: clear?.score ?? null,
    reasons: clear === null ? [sentenceOf(reading, answer)] : clear.reasons,
    suggestedFix: clear?.suggestedFix ?? null,
    exit: null,
    counts: null,
    durationMs: answer.durationMs,
    executions: 1,
    flaky: false,
    output,
  };
}

function sentenceOf(reading: JudgeReading | null, answer: JudgeAnswer): string {
  const { ended, exit } = answer;
  if (reading === null) {
    const how = exit.signal ?? `exit ${exit.exit ?? 'unknown'}`;
    return `the judge ${ended ? 'gave no answer' : 'did not come to an end'} (${how})`;
  }
  return reading.outcome === 'unparseable' ? reading.problem : reading.outcome;
}

function sentence(result: CriterionResult, reading: JudgeReading | null): string {
  const flagged = reading !== null && reading.outcome !== 'unparseable' && reading.scoreFlagged;
  const score = flagged ? ' (no usable score, shown as 0.5)' : '';
  const reason = result.reasons[0] === undefined ? '' : `: ${result.reasons[0]}`;
  return `${result.outcome.replaceAll('_', ' ')}${score}${reason}`;
}

async function predicateOf(
  options: RuntimeJudgesOptions,
  request: JudgeRequest,
  what: { readonly result: CriterionResult; readonly summary: string },
): Promise<Predicate> {
  const { definition, commit } = request;
  const { result } = what;
  const { root, name, cwd } = definition.project;
  const { base, isolation } = definition.source;
  const tree = (one: NonNullable<typeof commit>) => options.trees.treeOf(root, one);
  const [from, work] = [
    base === null ? null : { commit: base, tree: await tree(base) },
    commit === null ? null : { commit, tree: await tree(commit) },
  ];
  const report =
    base === null || commit === null
      ? null
      : await protectedReport(options.trees, { root, base, commit }, definition.protected);
  return {
    about: 'judgement',
    run: request.run,
    execution: request.execution,
    at: new Date(options.clock.now()).toISOString(),
    project: { name, cwd },
    outcome: result.outcome,
    summary: what.summary,
    verifier: verifierOf(identityOf(request), options.signer),
    isolation,
    tree: 'none',
    base: from,
    work,
    sameTreeAsBase: from === null || work === null ? null : from.tree === work.tree,
    environment: { ...noTools, setup: null, key: null, baseKey: null, how: 'none' },
    protected:
      report === null
        ? null
        : {
            ...report,
            changed: [...report.changed],
            patterns: [...definition.protected],
            restored: [],
          },
    checkSource: [],
    baseline: 'not run',
    criteria: [
      {
        ...result,
        line: what.summary,
        definition: { ...definition.criteria[request.criterion] },
        baseline: null,
        reasons: [...result.reasons],
        excerpt: '',
        containment: null,
      },
    ],
    notRun: [],
    recipe: recipeOf(definition),
  };
}

const noTools = { tools: [], paths: [], rebuilt: [] };
