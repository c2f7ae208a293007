/** The rows that follow from one decision: what is written beside its events. */
import type { Execution } from '../domain/execution/state.ts';
import type { Instant, RunId } from '../domain/ids.ts';
import type { RunAggregate } from '../domain/run/aggregate.ts';
import type { TimerKind, Work } from '../domain/run/message.ts';
import type { Gate } from '../domain/run/state.ts';
import type { ApprovalRow, ExecutionRow, Rows } from '../ports/store.ts';
import { hasEnded } from './fold.ts';

interface Decided {
  readonly aggregate: RunAggregate;
  readonly works: readonly Work[];
  readonly touched: ReadonlyMap<unknown, Execution>;
}

export function rowsOf(run: RunId, decided: Decided, at: Instant): Rows {
  const { works } = decided;
  const timers = lastTimers(works);
  const setTimers = [...timers.values()].filter((work) => work.kind === 'set_timer');
  return {
    executions: [...decided.touched.values()].map((execution) => executionRow(run, execution)),
    setTimers: setTimers.map(({ timer, generation, dueAt }) => ({
      kind: timer,
      generation,
      dueAt,
    })),
    clearTimers: [...timers.values()]
      .filter((work) => work.kind === 'clear_timer')
      .map(({ timer }) => timer),
    openApprovals: ofKind(works, 'open_approval').map(({ gate }) => ({
      ...approvalRow(run, gate),
      ...boundTo(gate, decided.aggregate),
    })),
    closeApprovals: ofKind(works, 'close_approval').map((work) => ({
      id: work.approval,
      outcome: work.outcome,
      by: work.by,
      channel: work.channel,
      at,
    })),
    references: lastReferences(works),
  };
}

type WorkOf<K extends Work['kind']> = Extract<Work, { readonly kind: K }>;

function ofKind<K extends Work['kind']>(works: readonly Work[], kind: K): readonly WorkOf<K>[] {
  return works.filter((work): work is WorkOf<K> => work.kind === kind);
}

/** A timer that one decision sets and clears ends as the last of the two. */
function lastTimers(
  works: readonly Work[],
): ReadonlyMap<TimerKind, WorkOf<'set_timer' | 'clear_timer'>> {
  const last = new Map<TimerKind, WorkOf<'set_timer' | 'clear_timer'>>();
  for (const work of works) {
    if (work.kind === 'set_timer' || work.kind === 'clear_timer') last.set(work.timer, work);
  }
  return last;
}

function lastReferences(works: readonly Work[]): Rows['references'] {
  const byName = new Map<string, WorkOf<'reference'>>();
  for (const work of ofKind(works, 'reference')) byName.set(work.name, work);
  return [...byName.values()].map(({ name, digest }) => ({ name, digest }));
}

function executionRow(run: RunId, execution: Execution): ExecutionRow {
  const { id, n, job, status, grant } = execution;
  return {
    id,
    run,
    n,
    role: job.role,
    attempt: job.attempt,
    status,
    class: execution.class,
    job,
    fence: grant?.fence ?? 0,
    createdAt: execution.dispatchedAt,
    lease:
      grant === null || hasEnded(execution) ? null : { grantId: grant.id, holder: grant.holder },
  };
}

const approvalRow = (run: RunId, gate: Gate): ApprovalRow => ({
  id: gate.approval,
  run,
  kind: gate.kind,
  askedAt: gate.askedAt,
  expiresAt: gate.expiresAt,
});

/** The definition is the policy: it is the run's for ever. */
function boundTo(gate: Gate, { run }: RunAggregate): Pick<ApprovalRow, 'bound'> {
  if (gate.kind !== 'permission' || run.status === 'unborn') return {};
  const { execution, ask } = gate;
  const { args, definition: tool } = ask;
  return { bound: { execution, args, tool, policy: run.definition } };
}
