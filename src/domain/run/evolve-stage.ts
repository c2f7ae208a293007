/** What a run does at present: a job with an open execution, or a stored timer (R4). */
import { addedContextMax, noRecoveries, restingFacts, workingFacts } from './facts.ts';
import type { RunEvent } from './message.ts';
import type { LivingRun, RunFacts, Stage, Stop } from './state.ts';

type Dispatched = Extract<RunEvent, { type: 'job.dispatched' }>;
type Waiting = Extract<RunEvent, { type: 'run.waiting' }>;

export function dispatched(run: LivingRun, event: Dispatched): LivingRun {
  const facts = workingFacts(run, event.at);
  const isNewJob = event.why === 'first' || event.why === 'next';
  const spentRecovery = isNewJob ? noRecoveries(facts.counters) : {};
  const attemptErrors = event.attempt === run.attempt ? run.counters.attemptErrors : 0;
  const counters = {
    ...facts.counters,
    ...spentRecovery,
    attemptErrors,
    executions: event.n,
  };
  // Only a turn that ended has been in the new tree: a host may die before it made one.
  const isNew = event.point.job === 'execute' && event.point.tree === 'new';
  const nextTree = isNew ? 'new' : facts.nextTree;
  const { attempt } = event;
  const next: RunFacts = { ...facts, counters, nextTree, attempt, ...delivered(facts, attempt) };
  return { ...next, status: 'active', stage: stageOf(event) };
}

/** Hints that were held for this attempt, or for one that never came to work. */
function delivered(run: RunFacts, attempt: number): Partial<RunFacts> {
  const { heldContext = [] } = run;
  const due = heldContext.filter((held) => held.attempt <= attempt).map(({ text }) => text);
  if (due.length === 0) return {};
  return {
    addedContext: [...run.addedContext, ...due].slice(-addedContextMax),
    heldContext: heldContext.filter((held) => held.attempt > attempt),
  };
}

function stageOf(event: Dispatched): Stage {
  const { execution, point, tries, parseRetries } = event;
  switch (point.job) {
    case 'prepare':
      return { phase: 'preparing', execution, stop: null };
    case 'execute':
      return { phase: 'executing', execution, stop: null, point };
    case 'verify': {
      const { commit, step } = point;
      const at = { commit, step, tries, parseRetries };
      return { phase: 'verifying', execution, stop: null, point, ...at };
    }
  }
}

export function waiting(run: LivingRun, event: Waiting): LivingRun {
  const facts = restingFacts(run, event.at);
  const { reason, until, generation, then, tries, parseRetries, detail, slot, placed } = event;
  const times = { since: event.at, until, generation };
  const told = {
    ...(detail === '' ? {} : { detail }),
    ...(slot === undefined ? {} : { slot }),
    ...(placed === undefined ? {} : { placed }),
  };
  const stage = { phase: 'waiting', reason, ...times, then, tries, parseRetries, ...told } as const;
  const counters = { ...facts.counters, timers: generation };
  return { ...facts, counters, status: 'active', stage };
}

export function stopAsked(run: LivingRun, stop: Stop): LivingRun {
  if (run.status !== 'active' || run.stage.phase === 'waiting') return run;
  return { ...run, stage: { ...run.stage, stop } };
}
