/**
 * A dry run goes the whole way of a run, from dispatch to verdict, with a scripted lane and a
 * verifier that runs nothing (XP-41). What it comes to proves nothing, so it has an end of its own:
 * it is never complete, whatever a verifier hands in and whatever a human says of it (R10).
 */
import { scriptedLane } from '../../kernel/scripted-lane.ts';
import { clipLine } from '../../kernel/text.ts';
import type { Definition } from '../definition/definition.ts';
import type { VerdictFacts } from '../execution/state.ts';
import { add, type Draft } from './draft.ts';
import type { RunTerms } from './state.ts';

export const onlyScripted = 'a dry run has the scripted lane, and nobody who judges';

/** Why this definition cannot be a dry run; null: it can, or is none. */
export function dryRunProblem({ dryRun, roles }: Definition): string | null {
  if (dryRun !== true) return null;
  const { agent, command } = roles.execute;
  const isScripted = agent === scriptedLane && command === null;
  return isScripted && roles.verify === null ? null : onlyScripted;
}

type Dry = Pick<RunTerms, 'steps' | 'allowNoChange' | 'git' | 'dryRun'>;

/** One verification of all criteria, over no work: nobody is asked and nothing is recorded. */
export function dryRunTerms({ dryRun, criteria }: Definition): Dry | Record<never, never> {
  if (dryRun !== true) return {};
  const steps = criteria.length === 0 ? [] : [{ kind: 'checks', from: 0, to: criteria.length - 1 }];
  return { dryRun, steps: steps as RunTerms['steps'], allowNoChange: true, git: false };
}

/** What counts of a verdict over a dry run: never a pass, and no receipt. */
export function dryFacts(facts: VerdictFacts): VerdictFacts {
  const outcome = facts.outcome === 'passed' ? 'missing_evidence' : facts.outcome;
  return { ...facts, outcome, receipt: null };
}

export function rehearsed(draft: Draft, { summary }: VerdictFacts): Draft {
  const { unproven } = draft.run;
  const ended = { type: 'run.cancelled', cause: 'dry_run', retriedAs: null, unproven } as const;
  return add(draft, { ...ended, note: clipLine(summary, 200) });
}
