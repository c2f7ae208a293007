/**
 * The part of a run that every living status has, and how it changes: copying it without what
 * belongs to one status, closing stretches of time, counting.
 */
import { activeMsAt } from '../budget/budget.ts';
import type { ExecutionId, Instant } from '../ids.ts';
import type { RunEvent } from './message.ts';
import type { Counters, LivingRun, RunFacts, Spent } from './state.ts';

type Started = Extract<RunEvent, { type: 'run.started' }>;

export const addedContextMax = 50;
export const attemptsKept = 100;
export const unprovenMax = 50;

const noCounters: Counters = {
  attempts: 0,
  executions: 0,
  resumed: 0,
  totalErrors: 0,
  unhealedErrors: 0,
  attemptErrors: 0,
  timeouts: 0,
  lastErrorAt: null,
  requeues: 0,
  transfers: 0,
  contextOverflows: 0,
  fence: 0,
  approvals: 0,
  timers: 0,
};

/** The recovery budgets of a job that is new, or that a human lets go on. */
export function noRecoveries({ backOffs, cleanExits }: Counters): Partial<Counters> {
  const waits = backOffs === undefined ? {} : { backOffs: 0 };
  const exits = cleanExits === undefined ? {} : { cleanExits: 0 };
  return { requeues: 0, transfers: 0, contextOverflows: 0, ...waits, ...exits };
}

const nothingSpent: Spent = {
  costUsd: 0,
  costKnown: true,
  selfReported: false,
  tokensIn: 0,
  tokensOut: 0,
  cacheRead: 0,
  cacheWrite: 0,
  activeMs: 0,
  waitedMs: 0,
};

export function newFacts(event: Started): RunFacts {
  const { brakes } = event.terms;
  return {
    id: event.run,
    name: event.name,
    project: event.project,
    definition: event.definition,
    terms: event.terms,
    startedAt: event.at,
    startedBy: event.startedBy,
    startedActor: event.actor,
    resumedFrom: event.resumedFrom,
    attempt: 1,
    counters: noCounters,
    granted: {
      attempts: brakes.attempts,
      costUsd: brakes.costUsd,
      tokens: brakes.tokens,
      steps: brakes.steps,
      timeMs: brakes.timeMs,
      waitTimeMs: brakes.waitTimeMs,
    },
    spent: nothingSpent,
    activeSince: null,
    attempts: [],
    best: null,
    baseline: null,
    head: event.from,
    addedContext: [],
    pauseAsked: false,
    sessionId: null,
    lastReceipt: null,
    answer: null,
    nextTree: 'same',
    resolvedApproval: null,
    refusedGates: 0,
    allowedPaths: [],
    unproven: [],
    landed: null,
  };
}

/** The common facts alone: nothing of the present status is carried into the next one. */
export function factsOf(run: LivingRun): RunFacts {
  return {
    id: run.id,
    name: run.name,
    project: run.project,
    definition: run.definition,
    terms: run.terms,
    startedAt: run.startedAt,
    startedBy: run.startedBy,
    startedActor: run.startedActor,
    resumedFrom: run.resumedFrom,
    attempt: run.attempt,
    counters: run.counters,
    granted: run.granted,
    spent: run.spent,
    activeSince: run.activeSince,
    attempts: run.attempts,
    best: run.best,
    baseline: run.baseline,
    head: run.head,
    addedContext: run.addedContext,
    pauseAsked: run.pauseAsked,
    sessionId: run.sessionId,
    lastReceipt: run.lastReceipt,
    answer: run.answer,
    nextTree: run.nextTree,
    resolvedApproval: run.resolvedApproval,
    refusedGates: run.refusedGates,
    allowedPaths: run.allowedPaths,
    unproven: run.unproven,
    landed: run.landed,
    ...(run.heldContext === undefined ? {} : { heldContext: run.heldContext }),
    ...(run.proposed === undefined ? {} : { proposed: run.proposed }),
    ...(run.adoptedIn === undefined ? {} : { adoptedIn: run.adoptedIn }),
    ...(run.attested === undefined ? {} : { attested: run.attested }),
    ...(run.refused === undefined ? {} : { refused: run.refused }),
    ...(run.notices === undefined ? {} : { notices: run.notices }),
    ...(run.permissions === undefined ? {} : { permissions: run.permissions }),
    ...(run.madeBy === undefined ? {} : { madeBy: run.madeBy }),
    ...(run.on === undefined ? {} : { on: run.on }),
    ...(run.leaving === undefined ? {} : { leaving: run.leaving }),
    ...(run.here === undefined ? {} : { here: run.here }),
  };
}

/** Facts of a run that stops working now: active time and a wait are closed, clocks stand. */
export function restingFacts(run: LivingRun, at: Instant): RunFacts {
  const facts = factsOf(run);
  return {
    ...facts,
    activeSince: null,
    spent: { ...spentWait(run, at), activeMs: activeMsAt(run, at) },
  };
}

/** Facts of a run that works from now: a wait is closed, a stretch of active time may begin. */
export function workingFacts(run: LivingRun, at: Instant): RunFacts {
  const facts = factsOf(run);
  const begins = run.activeSince === null;
  return {
    ...facts,
    spent: spentWait(run, at),
    activeSince: run.activeSince ?? at,
    counters: begins ? { ...facts.counters, timers: facts.counters.timers + 1 } : facts.counters,
  };
}

function spentWait(run: LivingRun, at: Instant): Spent {
  if (run.status !== 'active' || run.stage.phase !== 'waiting') return run.spent;
  const { spent, stage } = run;
  const ms = Math.max(0, at - stage.since);
  // A full group is no limit: the waiting time that is granted for limits stays whole.
  if (stage.reason === 'no_capacity') return { ...spent, queuedMs: (spent.queuedMs ?? 0) + ms };
  return { ...spent, waitedMs: spent.waitedMs + ms };
}

export function withUnproven(facts: RunFacts, executions: readonly ExecutionId[]): RunFacts {
  const unproven = [...new Set([...facts.unproven, ...executions])].slice(-unprovenMax);
  return { ...facts, unproven };
}

/** Whether the attempt now worked on has not ended by content. */
export function attemptIsOpen(run: RunFacts): boolean {
  return run.attempt > run.counters.attempts;
}

/** The run with some of its common facts changed, whatever its status. */
export function patch(run: LivingRun, facts: Partial<RunFacts>): LivingRun {
  return { ...run, ...facts };
}
