/**
 * The verifier of a dry run: it is asked like any other and runs nothing, neither setup nor checks
 * nor judges. What it says is that nothing was verified; it signs no receipt (XP-41).
 */
import type { Criterion } from '../domain/definition/definition.ts';
import type { CriterionResult, Verdict } from '../domain/verdict/verdict.ts';
import type { CheckRequest, Checks } from '../ports/checks.ts';
import { criterionKinds, kindOf } from './criteria/registry.ts';

export const dryVerifier = 'dry verifier';

type Dry = Pick<Checks, 'baseline' | 'verify' | 'furnish'>;

export const isDry = ({ definition }: Pick<CheckRequest, 'definition'>): boolean =>
  definition.dryRun === true;

export const dryChecks: Dry = {
  baseline: async () => ({
    kind: 'prepared',
    baseline: 'skipped',
    setup: 'none',
    summary: 'not run: this is a dry run',
    receipt: null,
    detail: null,
  }),
  verify: async ({ definition, execution, criteria }): Promise<Verdict> => ({
    outcome: 'missing_evidence',
    commit: null,
    verifier: execution,
    verifierIdentity: dryVerifier,
    criteria: criteria.flatMap((index) => {
      const criterion = definition.criteria[index];
      return criterion === undefined ? [] : [notRun(criterion, index)];
    }),
    receipt: null,
    summary: 'nothing was verified: this was a dry run',
  }),
  furnish: async () => ({ how: 'none', ok: true, detail: '' }),
};

function notRun(criterion: Criterion, index: number): CriterionResult {
  return {
    index,
    kind: criterion.kind,
    what: whatOf(criterion),
    outcome: 'missing_evidence',
    score: null,
    reasons: ['not run: this is a dry run'],
    suggestedFix: null,
    exit: null,
    counts: null,
    durationMs: 0,
    executions: 0,
    flaky: false,
    output: null,
  };
}

const whatOf = (criterion: Criterion): string =>
  kindOf(criterionKinds, criterion.kind)?.what(criterion) ?? criterion.kind;
