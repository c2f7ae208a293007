/**
 * What a definition means for the decider: steps of verification in order, who makes and who
 * checks, what brakes. Maker and checker differ (EV-32, ruling 4), and a run has a finite brake.
 */

import { attemptsMost } from '../../kernel/brake-bounds.ts';
import { council } from '../../kernel/profiles.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import type { Brakes, Criterion, Definition, Role } from '../definition/definition.ts';
import { dryRunProblem, dryRunTerms, onlyScripted } from './dry-run.ts';
import type { RunRejection } from './message.ts';
import type { RunTerms, VerificationStep } from './state.ts';

export const sameAgent = 'executeAgent and verifyAgent must be different agents';
export const endless = 'a run needs a finite brake: attempts, cost or time';

export const timeMsMost = 7 * 24 * 3_600_000;

export function runTerms(
  definition: Definition,
  { detached }: { readonly detached: boolean },
): Result<RunTerms, Extract<RunRejection, { code: 'terms.invalid' }>> {
  const problem = roleProblem(definition) ?? dryRunProblem(definition);
  if (problem !== null) return err({ code: 'terms.invalid', detail: problem });
  const { roles, criteria, source, approvals } = definition;
  const { brakes, baseline, allowNoChange, onProtected, onLimit, recovery } = definition;
  const terms: RunTerms = {
    steps: verificationSteps(criteria),
    brakes,
    baseline,
    allowNoChange,
    onProtected,
    onLimit,
    approvalsExpireMs: approvals.expireMs,
    recovery,
    maker: identityOf(roles.execute),
    checker: roles.verify === null ? null : identityOf(roles.verify),
    checkTimeMs: checkTimeMs(definition),
    detached,
    git: source.base !== null && source.isolation === 'worktree',
    ...placementTerms(definition),
    ...dryRunTerms(definition),
  };
  const invalid = termsProblem(terms);
  return invalid === null ? ok(terms) : err({ code: 'terms.invalid', detail: invalid });
}

function placementTerms({ labels, roles, verifyOn }: Definition): Pick<RunTerms, 'placement'> {
  const placement = {
    ...(labels === undefined ? {} : { labels }),
    ...(roles.execute.labels === undefined ? {} : { execute: roles.execute.labels }),
    ...(roles.verify?.labels === undefined ? {} : { judge: roles.verify.labels }),
    ...(verifyOn === undefined ? {} : { verifyOn }),
  };
  return Object.keys(placement).length === 0 ? {} : { placement };
}

/** Criteria keep their order; neighbouring ones that the runtime runs itself are one step. */
export function verificationSteps(criteria: readonly Criterion[]): readonly VerificationStep[] {
  const steps: VerificationStep[] = [];
  for (const [index, criterion] of criteria.entries()) {
    const step = stepOf(criterion, index);
    const last = steps.at(-1);
    if (step.kind === 'checks' && last?.kind === 'checks') {
      steps[steps.length - 1] = { ...last, to: index };
    } else steps.push(step);
  }
  return steps;
}

function stepOf(criterion: Criterion, index: number): VerificationStep {
  switch (criterion.kind) {
    case 'manual':
      return { kind: 'manual', criterion: index, look: criterion.look };
    case 'oracle':
    case 'observer':
      return { kind: 'judge', criterion: index };
    default:
      return { kind: 'checks', from: index, to: index };
  }
}

/** `<profile>@<agent>[:model]`. */
export function identityOf({ profile, agent, model }: Role): string {
  return `${profile}@${agent}${model === null ? '' : `:${model}`}`;
}

export const noCouncil = 'a council takes no part in a run';

/**
 * A role is told by its profile: one program may be fixer and oracle, in two executions (ruling 4).
 * A council is neither (EV-7).
 */
function roleProblem({ roles }: Definition): string | null {
  const { execute, verify } = roles;
  if ([execute.profile, verify?.profile].includes(council)) return noCouncil;
  return verify !== null && verify.profile === execute.profile ? sameAgent : null;
}

/** Why no run can have these terms; null when one can. */
export function termsProblem(terms: RunTerms): string | null {
  const { steps, maker, checker, brakes } = terms;
  if (steps.length === 0) return 'a run needs a criterion';
  if (checker === maker) return sameAgent;
  const [first, ...more] = steps;
  const isOneLook = first?.kind === 'checks' && more.length === 0;
  if (terms.dryRun === true && !isOneLook) return onlyScripted;
  if (checker === null && steps.some(({ kind }) => kind === 'judge')) {
    return 'an oracle or observer criterion needs roles.verify';
  }
  return brakesProblem(brakes);
}

/**
 * Every figure that is set is finite and positive, and at least one of the three great ones is set.
 */
export function brakesProblem(brakes: Brakes): string | null {
  const { attempts, costUsd, timeMs } = brakes;
  if (attempts === null && costUsd === null && timeMs === null) return endless;
  const broken = brakeRules.find(({ holds }) => !holds(brakes));
  return broken?.says ?? null;
}

interface BrakeRule {
  readonly says: string;
  readonly holds: (brakes: Brakes) => boolean;
}

const brakeRules: readonly BrakeRule[] = [
  {
    says: `attempts is 1–${attemptsMost}`,
    holds: ({ attempts }) => attempts === null || isCount(attempts, attemptsMost),
  },
  {
    says: 'time is above 0 and at most 7d',
    holds: ({ timeMs }) => timeMs === null || isFigure(timeMs, timeMsMost),
  },
  { says: 'cost is above 0', holds: ({ costUsd }) => costUsd === null || isFigure(costUsd) },
  { says: 'tokens is above 0', holds: ({ tokens }) => tokens === null || isFigure(tokens) },
  { says: 'steps is above 0', holds: ({ steps }) => steps === null || isFigure(steps) },
  {
    says: 'attemptTime is above 0 and at most 7d',
    holds: ({ attemptTimeMs }) => isFigure(attemptTimeMs, timeMsMost),
  },
  {
    says: 'waitTime is 0 or above',
    holds: ({ waitTimeMs }) => waitTimeMs === 0 || isFigure(waitTimeMs),
  },
  {
    says: 'errorSignals is a whole number from 1',
    holds: ({ errorSignals }) => isCount(errorSignals),
  },
];

const isFigure = (figure: number, most = Number.MAX_SAFE_INTEGER): boolean =>
  Number.isFinite(figure) && figure > 0 && figure <= most;

const isCount = (figure: number, most = Number.MAX_SAFE_INTEGER): boolean =>
  Number.isInteger(figure) && isFigure(figure, most);

/**
 * Setup and every criterion, twice (a check that fails may be run again to see whether it is
 * flaky).
 */
function checkTimeMs({ criteria, workspace }: Definition): number {
  const setupMs = workspace.setup?.timeoutMs ?? 0;
  const criteriaMs = criteria.reduce((sum, { timeoutMs }) => sum + timeoutMs, 0);
  return 2 * (setupMs + criteriaMs);
}
