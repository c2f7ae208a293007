/** A run as every surface shows it: its row, put beside its definition and its execution. Pure. */
import { activeMsAt } from '../domain/budget/budget.ts';
import type { Definition } from '../domain/definition/definition.ts';
import { missingIn, optionsFor } from '../domain/escalation/options.ts';
import { advisedAgent } from '../domain/escalation/other-agent.ts';
import type { Execution } from '../domain/execution/state.ts';
import type { Instant } from '../domain/ids.ts';
import { placementOf, roleAt } from '../domain/placement/placement.ts';
import { restored } from '../domain/run/resume.ts';
import { retriedAs } from '../domain/run/retried.ts';
import type { LivingRun, Stage } from '../domain/run/state.ts';
import { invariant } from '../kernel/invariant.ts';
import type { RunView } from '../ports/client.ts';
import { notCarried } from '../ports/source.ts';
import type { RunRow, SeatRow } from '../ports/store.ts';
import { workBranch } from '../ports/tree-name.ts';
import { hasEnded } from './fold.ts';

export interface ViewFacts {
  readonly now: Instant;
  readonly short: string;
  /** Null when it was pruned. */
  readonly definition: Definition | null;
  readonly lease: {
    readonly signals: string | null;
    readonly beatAgeMs: number | null;
    readonly holderGone?: true;
  } | null;
  /** The driver that lives; null: none does. */
  readonly driver: SeatRow | null;
  readonly ancestryUnknown: readonly string[];
  /** Where it stands in its queue now; null: in none. */
  readonly place: string | null;
  /** Why nothing will move it by itself; null: something will, or a human has to. */
  readonly noWork: NonNullable<RunView['noWork']> | null;
  /** One that a parked run could be sent to; null: none is enrolled, or it is not parked. */
  readonly worker?: string | null;
  /** Agents known by name that are there where its lanes would run. */
  readonly agents?: readonly string[];
  /** The one on whose machine its work tree lies; absent: none. */
  readonly treeOn?: { readonly id: string; readonly name: string };
  /** The receipt of what could be landed is not whole any more; absent: it is, or there is none. */
  readonly receiptDamaged?: true;
}

export function runView(row: RunRow, facts: ViewFacts): RunView {
  const { run } = row.aggregate;
  invariant(run.status !== 'unborn', 'a row belongs to a run that was started');
  const { short, definition, lease } = facts;
  const execution = presentExecution(row.aggregate.executions);
  return {
    id: run.id,
    short,
    name: run.name,
    project: run.project,
    goal: definition?.intent.originalIntent ?? '',
    definition: run.definition,
    maker: run.terms.maker,
    status: run.status,
    ...(run.terms.dryRun === undefined ? {} : { dryRun: run.terms.dryRun }),
    ...standing(run, facts.place),
    ...(isPausing(run) ? { pausing: true } : {}),
    ...(facts.noWork === null ? {} : { noWork: facts.noWork }),
    attempt: { n: run.attempt, max: run.granted.attempts },
    attempts: run.attempts,
    best: run.best,
    counters: run.counters,
    granted: run.granted,
    spent: { ...run.spent, activeMs: activeMsAt(run, facts.now) },
    base: definition?.source.base ?? null,
    baseBranch: definition?.source.baseBranch ?? null,
    branch: branchOf(run, definition),
    head: run.head,
    baseline: run.baseline,
    ...outcome(run),
    ...(facts.receiptDamaged === undefined ? {} : { receiptDamaged: true }),
    landed: run.landed,
    ...(run.proposed === undefined ? {} : { proposed: run.proposed }),
    execution:
      execution === null
        ? null
        : { ...execution, ...(lease ?? { signals: null, beatAgeMs: null }) },
    ...(facts.treeOn === undefined ? {} : { worker: facts.treeOn }),
    unproven: run.unproven,
    ...relations(run),
    startedBy: { kind: run.startedBy, actor: run.startedActor },
    startedAt: run.startedAt,
    updatedAt: row.updatedAt,
    version: row.version,
    driver: facts.driver,
    refusedGates: run.refusedGates,
    ancestryUnknown: facts.ancestryUnknown,
    ...(run.notices === undefined ? {} : { notices: run.notices.told }),
    options: optionsOf(run, facts),
  };
}

/** To other runs. */
function relations(run: LivingRun): Pick<RunView, 'resumedFrom' | 'retriedAs'> {
  const { resumedFrom } = run;
  const next = run.status === 'cancelled' ? retriedAs(run) : null;
  return {
    ...(resumedFrom === null ? {} : { resumedFrom }),
    ...(next === null ? {} : { retriedAs: next }),
  };
}

type Standing = Pick<
  RunView,
  | 'phase'
  | 'disposition'
  | 'reason'
  | 'detail'
  | 'waiting'
  | 'resumesAt'
  | 'paths'
  | 'cancelCause'
  | 'gate'
  | 'text'
  | 'since'
  | 'escalation'
>;

const nowhere: Standing = {
  phase: null,
  disposition: null,
  reason: null,
  detail: null,
  waiting: null,
  resumesAt: null,
  paths: [],
  cancelCause: null,
  gate: null,
  text: null,
  since: null,
};

/** Where it stands: what only some statuses have. */
function standing(run: LivingRun, place: string | null): Standing {
  switch (run.status) {
    case 'active':
      return { ...nowhere, phase: run.stage.phase, ...waitOf(run.stage, place) };
    case 'waiting_human':
      return { ...nowhere, gate: run.gate, since: run.gate.askedAt };
    case 'paused':
      return { ...nowhere, resumesAt: run.resumesAt };
    case 'needs_operator': {
      const { disposition, reason, detail, text, paths, since, escalation } = run;
      const kept = escalation === undefined ? {} : { escalation };
      return { ...nowhere, disposition, reason, detail, text, paths, since, ...kept };
    }
    case 'cancelled':
      return { ...nowhere, detail: noteOf(run), cancelCause: run.cause };
    default:
      return { ...nowhere, detail: noteOf(run) };
  }
}

function isPausing(run: LivingRun): boolean {
  if (run.status !== 'active' || run.stage.phase === 'waiting') return false;
  return run.pauseAsked || run.stage.stop?.why === 'pause';
}

function waitOf(stage: Stage, place: string | null): Partial<Standing> {
  if (stage.phase !== 'waiting') return {};
  const { reason, until } = stage;
  const detail = place ?? stage.detail ?? '';
  return {
    waiting: {
      reason,
      until,
      detail,
      ...(stage.placed === true ? { isForWorker: true as const } : {}),
    },
    resumesAt: reason === 'rate_limited' ? until : null,
  };
}

const noteOf = ({ note }: { readonly note: string }): string | null => (note === '' ? null : note);

function outcome(run: LivingRun): Pick<RunView, 'verification' | 'receipt' | 'endedAt'> {
  if (run.status === 'complete') {
    const { verification, receipt, endedAt } = run;
    return { verification, receipt, endedAt };
  }
  const endedAt = run.status === 'cancelled' ? run.endedAt : null;
  return { verification: null, receipt: run.lastReceipt, endedAt };
}

/** The newest of its work that has not ended; one that nobody can prove ended comes last. */
export function presentExecution(executions: readonly Execution[]): Execution | null {
  const open = executions.filter((one) => one.job.role !== 'consult' && !hasEnded(one));
  return open.findLast(({ status }) => status !== 'UNKNOWN') ?? open.at(-1) ?? null;
}

function branchOf(run: LivingRun, definition: Definition | null): string | null {
  const isTree = definition?.source.isolation === 'worktree' && definition.source.base !== null;
  return isTree && run.terms.dryRun !== true ? workBranch(run.name, run.id) : null;
}

export function optionsOf(
  run: LivingRun,
  known: Pick<ViewFacts, 'short' | 'definition' | 'worker' | 'agents' | 'treeOn'>,
): RunView['options'] {
  const { short, definition, worker, agents: there = [] } = known;
  if (run.status !== 'needs_operator') return [];
  const { reason, best, paths, head, then, terms } = run;
  const maker = terms.maker.split('@').at(-1)?.split(':')[0] ?? terms.maker;
  const isUnjudged = head !== null && then.job === 'verify';
  // Of the attempt that it is parked in, which may have ended.
  const ended = run.attempts.find(({ n }) => n === run.attempt);
  const isRefused = (run.refused ?? ended?.refused) !== undefined;
  const isTrusted = definition?.permissions === 'trusted';
  const missing = reason === 'auth_required' ? missingIn(run.detail) : null;
  const place = { isInPlace: !terms.git, isElsewhere: known.treeOn !== undefined };
  const made = { isRecorded: head !== null, isBegun: run.madeBy !== undefined };
  const work = { best, paths, maker, isUnjudged, ...made, missing, ...place };
  const isUnplaced = reason === 'wait_exhausted' && placementOf(run, roleAt(then, run)) !== null;
  // What no worker can be given is given to none of them.
  const other = run.detail.includes(notCarried) ? null : (worker ?? null);
  const isUncarried = reason === 'convergence_signals' && run.class === 'invalid_result';
  const isAgentNext = restored(run).job === 'execute';
  const agent = definition === null ? null : advisedAgent({ maker, definition, there });
  const ways = { agent, worker: other, isUnplaced, isUncarried, isAgentNext };
  const facts = { ...work, isRefused, isTrusted, ...ways };
  return optionsFor(reason, short, facts).map(({ command, text }) => ({ command, effect: text }));
}
