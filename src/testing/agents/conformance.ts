/**
 * Holds an agent to the clauses, in their order, and says what came of each. Never throws for what
 * the agent does.
 */
import type { Clause } from './clause.ts';
import { earlyClauses } from './early-clauses.ts';
import { failureClauses } from './failure-clauses.ts';
import type { AgentLanes } from './lanes.ts';
import type { AgentProfile, ClauseId, ClauseOutcome, ClauseResult } from './outcome.ts';
import { InfrastructureError, isOver } from './outcome.ts';
import { patienceClause, questionClause, resumeClause } from './session-clauses.ts';
import { goneClause, tracesClause } from './trace-clauses.ts';
import { type Trial, trialOf } from './trial.ts';
import {
  artifactClause,
  completedClause,
  heartbeatClause,
  toolsClause,
  usageClause,
} from './turn-clauses.ts';

/** In the order in which they are printed; a clause is tried after those that it needs. */
export const clauses: readonly Clause[] = [
  ...earlyClauses,
  toolsClause,
  heartbeatClause,
  questionClause,
  usageClause,
  artifactClause,
  completedClause,
  resumeClause,
  patienceClause,
  tracesClause,
  goneClause,
  ...failureClauses,
];

export interface ConformanceOptions {
  /** A folder of the suite's own that the caller removes. */
  readonly directory: string;
  /** These clauses and those that they need; absent: all. */
  readonly only?: readonly ClauseId[];
  /** Skips whose day is over fail from then on. */
  readonly today: Date;
  readonly onResult?: (result: ClauseResult) => void;
}

export async function conformance(
  profile: AgentProfile,
  lanes: AgentLanes,
  options: ConformanceOptions,
): Promise<readonly ClauseResult[]> {
  const trial = trialOf(profile, lanes, options);
  const outcomes = new Map<ClauseId, ClauseOutcome>();
  const settle = async (clause: Clause): Promise<ClauseOutcome> => {
    const known = outcomes.get(clause.id);
    if (known !== undefined) return known;
    for (const id of clause.needs) {
      const needed = clauses.find((one) => one.id === id);
      if (needed !== undefined) await settle(needed);
    }
    const outcome = await outcomeOf(clause, { trial, outcomes, today: options.today });
    outcomes.set(clause.id, outcome);
    options.onResult?.({ clause: clause.id, title: clause.title, outcome });
    return outcome;
  };
  for (const clause of clauses) {
    if (options.only === undefined || options.only.includes(clause.id)) await settle(clause);
  }
  return clauses.flatMap(({ id, title }) => {
    const outcome = outcomes.get(id);
    return outcome === undefined ? [] : [{ clause: id, title, outcome }];
  });
}

interface Standing {
  readonly trial: Trial;
  readonly outcomes: ReadonlyMap<ClauseId, ClauseOutcome>;
  readonly today: Date;
}

async function outcomeOf(clause: Clause, standing: Standing): Promise<ClauseOutcome> {
  const { trial, outcomes, today } = standing;
  const impossible = trial.profile.impossible[clause.id];
  if (impossible !== undefined) {
    const { reason, until } = impossible;
    if (isOver(impossible, today)) return broken(`the skip ended on ${until}: ${reason}`);
    return { result: 'skip', reason, until };
  }
  const after = clause.needs.find((id) => {
    const result = outcomes.get(id)?.result;
    return result === 'fail' || result === 'not_run';
  });
  if (after !== undefined) return { result: 'not_run', after };
  try {
    const problems = await clause.check(trial);
    return problems.length === 0 ? { result: 'pass' } : broken(problems.slice(0, 10).join('; '));
  } catch (error: unknown) {
    if (!(error instanceof InfrastructureError)) throw error;
    return { result: 'fail', kind: 'infrastructure', detail: error.message };
  }
}

function broken(detail: string): ClauseOutcome {
  return { result: 'fail', kind: 'contract', detail };
}
