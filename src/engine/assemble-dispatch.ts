/** Everything that a host needs for one execution (XP-6), put together from rows and artifacts. */

import { tokensOf } from '../domain/budget/budget.ts';
import type { Criterion, Definition } from '../domain/definition/definition.ts';
import type { Execution } from '../domain/execution/state.ts';
import { compactHistory } from '../domain/history/history.ts';
import type { Digest, Instant } from '../domain/ids.ts';
import type { RunAggregate } from '../domain/run/aggregate.ts';
import type { AttemptSummary, LivingRun } from '../domain/run/state.ts';
import { opinionMs } from '../domain/run/timing.ts';
import { formatForPrompt } from '../domain/signals/signals.ts';
import { invariant } from '../kernel/invariant.ts';
import { refusalWords } from '../kernel/refusals.ts';
import type { Artifacts } from '../ports/artifacts.ts';
import type { Clock } from '../ports/clock.ts';
import type { Dispatch } from '../ports/plane.ts';
import type { Store } from '../ports/store.ts';
import { definitionOf, legibleOf } from './artifact-text.ts';
import { parkedFacts } from './consult-facts.ts';
import { consultPrompt } from './consult-prompt.ts';
import { identityOf } from './dispatch-identity.ts';
import { clip, executePrompt, type TurnFacts } from './prompt.ts';
import { recentOf } from './recent.ts';

const hintsMax = 20;
const hintMax = 16_384;
/** What runtime checks may take beside the sum of their own time limits: trees, start, teardown. */
const checkMarginMs = 120_000;

export interface DispatchSources {
  readonly store: Pick<Store, 'events' | 'loadRun'>;
  readonly artifacts: Artifacts;
  readonly clock: Pick<Clock, 'now'>;
  /** Of this program, whose adapters do the work. */
  readonly version?: string | undefined;
}

/** @throws WorldError `definition_missing`; what else is missing is left out of the prompt. */
export async function assembleDispatch(
  sources: DispatchSources,
  aggregate: RunAggregate,
  execution: Execution,
): Promise<Dispatch> {
  const { run } = aggregate;
  invariant(run.status !== 'unborn', 'an execution belongs to a run that was started');
  const { job } = execution;
  const definition = await definitionOf(sources.artifacts, run.definition);
  const hints = await hintsOf(sources.artifacts, run.addedContext);
  const criteria = criteriaOf(run, job.step);
  const facts = {
    definition,
    run,
    hints,
    attempt: job.attempt,
    warning: formatForPrompt(run.counters),
  };
  const judged = criteria.flatMap((index) => definition.criteria[index] ?? []);
  // A judge is asked by the verifier, with what it is to look at (ports/judge.ts).
  const prompt = await promptOf(sources, job, facts);
  const identity = { execution, definition, hints, prompt, version: sources.version ?? null };
  return {
    ...(await identityOf(sources.artifacts, identity)),
    run: run.id,
    runName: run.name,
    execution: execution.id,
    n: execution.n,
    job,
    definition,
    definitionDigest: run.definition,
    history: historyOf(run),
    prompt,
    hints,
    sessionId: job.session === 'resume' ? run.sessionId : null,
    deadlineMs: deadlineOf(definition, run, { role: job.role, judged, now: sources.clock.now() }),
    // A human asked for it: a budget that is spent is no reason to hear nobody.
    budget: job.role === 'consult' ? { costUsd: null, tokens: null } : leftOf(run),
    allowedPaths: run.allowedPaths,
    restore: job.restore === true || run.terms.onProtected === 'restore',
    criteria,
    ...(job.role === 'judge' && run.attested !== undefined ? { attested: run.attested } : {}),
    dispatchedAt: execution.dispatchedAt,
  };
}

async function promptOf(
  sources: DispatchSources,
  { role, profile }: Execution['job'],
  facts: Omit<TurnFacts, 'recent'>,
): Promise<string> {
  if (role === 'execute') {
    return executePrompt({ ...facts, recent: await recentOf(sources, facts.run) });
  }
  if (role !== 'consult' || profile === undefined) return '';
  const { definition, run } = facts;
  const history = historyOf(run);
  return consultPrompt({ definition, run, profile, history, ...(await parkedFacts(sources, run)) });
}

const historyOf = (run: LivingRun): string => compactHistory(run.attempts.map(historyEntry));

const historyEntry = ({ n, outcome, summary, commit, receipt, refused }: AttemptSummary) => ({
  n,
  passed: outcome !== 'failed',
  reason: refused === undefined ? summary : `${summary}; ${refusalWords(refused)}`,
  artifacts: [
    ...(commit === null ? [] : [`commit ${commit}`]),
    ...(receipt === null ? [] : [receipt]),
  ],
});

/** The newest ones, each bounded; one whose text was pruned is left out. */
async function hintsOf(
  artifacts: Artifacts,
  digests: readonly Digest[],
): Promise<readonly string[]> {
  const texts = await Promise.all(
    digests.slice(-hintsMax).map((digest) => legibleOf(artifacts, digest)),
  );
  return texts.flatMap((text) => (text === null ? [] : [clip(text, hintMax)]));
}

function criteriaOf(run: LivingRun, step: number | null): readonly number[] {
  const verification = step === null ? undefined : run.terms.steps[step];
  if (verification === undefined) return [];
  if (verification.kind !== 'checks') return [verification.criterion];
  const { from, to } = verification;
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, offset) => from + offset);
}

/** What is left for this execution; the grant of a resumed run is the wider one. */
export function leftOf({ granted, spent }: LivingRun): NonNullable<Dispatch['budget']> {
  const left = (limit: number | null, so: number) => (limit === null ? null : limit - so);
  return {
    costUsd: left(granted.costUsd, spent.costUsd),
    tokens: left(granted.tokens, tokensOf(spent)),
  };
}

function deadlineOf(
  definition: Definition,
  run: LivingRun,
  job: { readonly role: string; readonly judged: readonly Criterion[]; readonly now: Instant },
): number {
  const { role, judged, now } = job;
  if (role === 'consult') return opinionMs;
  if (role === 'execute') {
    const activeMs = run.spent.activeMs + (run.activeSince === null ? 0 : now - run.activeSince);
    const left = run.granted.timeMs === null ? Number.POSITIVE_INFINITY : run.granted.timeMs;
    return Math.max(1, Math.min(definition.brakes.attemptTimeMs, left - activeMs));
  }
  const asked = role === 'prepare' ? definition.criteria : judged;
  const setupMs = role === 'judge' ? 0 : (definition.workspace.setup?.timeoutMs ?? 0);
  return asked.reduce((sum, { timeoutMs }) => sum + timeoutMs, setupMs) + checkMarginMs;
}
