/** What the columns of a run's row say; derived from the state that is stored beside them. */
import type { Execution } from '../domain/execution/state.ts';
import type { ExecutionId } from '../domain/ids.ts';
import type { RunAggregate } from '../domain/run/aggregate.ts';
import type { LivingRun, Stage } from '../domain/run/state.ts';
import { invariant } from '../kernel/invariant.ts';
import type { Evidence, HeartbeatAnswer, RunRow } from '../ports/store.ts';
import { bounds } from './bounds.ts';

export const emptyAggregate: RunAggregate = { run: { status: 'unborn' }, executions: [] };

/** @throws InvariantViolation for an unborn run: no event leads there. */
export function living(aggregate: RunAggregate): LivingRun {
  const { run } = aggregate;
  invariant(run.status !== 'unborn', 'a stream with events has a living run');
  return run;
}

export type RunColumns = Pick<
  RunRow,
  'name' | 'project' | 'status' | 'phase' | 'disposition' | 'reason'
>;

export function columnsOf(aggregate: RunAggregate): RunColumns {
  const run = living(aggregate);
  return {
    name: run.name,
    project: run.project,
    status: run.status,
    phase: run.status === 'active' ? run.stage.phase : null,
    disposition: run.status === 'needs_operator' ? run.disposition : null,
    reason: run.status === 'needs_operator' ? run.reason : null,
  };
}

/** What a holder is told in answer to its heartbeat. */
export function heartbeatAnswer(
  aggregate: RunAggregate,
  execution: ExecutionId,
): Extract<HeartbeatAnswer, { ok: true }> {
  const run = living(aggregate);
  const held = aggregate.executions.find(({ id }) => id === execution) ?? null;
  const { answer, nudges } = held ?? {};
  return {
    ok: true,
    cancel: run.status === 'cancelling' || (held !== null && isCancelAsked(held)),
    pause: run.status === 'active' && isStopping(run.stage, execution),
    ...(run.status === 'cancelling' && run.now === true ? { now: true } : {}),
    ...(answer === undefined ? {} : { answer }),
    ...(nudges === undefined ? {} : { nudges }),
  };
}

const isCancelAsked = ({ cancelAsked, status }: Execution): boolean =>
  cancelAsked || status === 'CANCEL_REQUESTED';

/** A pause that cannot wait for the end of the job stops the job itself. */
const isStopping = (stage: Stage, execution: ExecutionId): boolean =>
  stage.phase !== 'waiting' && stage.execution === execution && stage.stop?.why === 'pause';

/** Cut to its bounds: a refusal carries what a stranger wrote. */
export function boundedEvidence(refusal: Evidence): Evidence {
  const cut = (text: string | null): string | null =>
    text === null ? null : text.slice(0, bounds.evidenceTextMax);
  return {
    ...refusal,
    verb: refusal.verb.slice(0, bounds.evidenceTextMax),
    reason: refusal.reason.slice(0, bounds.evidenceTextMax),
    grantPresented: cut(refusal.grantPresented),
    digest: cut(refusal.digest),
  };
}
