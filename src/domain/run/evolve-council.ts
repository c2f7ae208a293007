/** What the events of a council mean for its run: who is awaited, and what has to end yet. */
import { unreachable } from '../../kernel/invariant.ts';
import type { OpenOpinion } from './council-message.ts';
import { patch, withUnproven } from './facts.ts';
import type { RunEvent } from './message.ts';
import type { LivingRun } from './state.ts';

type Of<T extends RunEvent['type']> = Extract<RunEvent, { type: T }>;
type Parked = Extract<LivingRun, { status: 'needs_operator' }>;

export type CouncilEventOf = Of<
  'council.asked' | 'opinion.asked' | 'opinion.ended' | 'opinion.left'
>;

export function advised(run: LivingRun, event: CouncilEventOf): LivingRun {
  switch (event.type) {
    case 'council.asked': {
      if (run.status !== 'needs_operator') return run;
      const { profiles, agent, role } = event;
      return { ...run, council: { profiles, agent, role, open: [] } };
    }
    case 'opinion.asked':
      return asked(run, event);
    case 'opinion.ended':
      return ended(run, event);
    case 'opinion.left': {
      const leaving = (run.leaving ?? []).filter((one) => one !== event.execution);
      const known = event.proof === 'unproven' ? withUnproven(run, [event.execution]) : run;
      return patch(run, { unproven: known.unproven, leaving });
    }
    default:
      return unreachable(event);
  }
}

function asked(run: LivingRun, event: Of<'opinion.asked'>): LivingRun {
  const { profile, execution, n, dueAt, after } = event;
  const counted = { ...run.counters, executions: n };
  const facts = after?.proof === 'unproven' ? withUnproven(run, [after.execution]) : run;
  const next = patch(run, { counters: counted, unproven: facts.unproven });
  if (next.status !== 'needs_operator' || next.council === undefined) return next;
  const before = next.council.open.find((one) => one.profile === profile);
  const spent = (count: number | undefined, isMore: boolean): number =>
    (count ?? 0) + (isMore ? 1 : 0);
  const opinion: OpenOpinion = {
    ...{ profile, execution, n, dueAt },
    requeues: spent(before?.requeues, after?.action === 'requeue'),
    transfers: spent(before?.transfers, after?.action === 'transfer'),
    cleanExits: spent(before?.cleanExits, after?.cleanExit === true),
  };
  return withOpen(next, [...next.council.open.filter((one) => one !== before), opinion]);
}

function ended(run: LivingRun, event: Of<'opinion.ended'>): LivingRun {
  const { execution, proof, isLeft } = event;
  const facts = proof === 'unproven' ? withUnproven(run, [execution]) : run;
  const leaving = isLeft === true ? [...(run.leaving ?? []), execution] : (run.leaving ?? []);
  const next = patch(run, {
    unproven: facts.unproven,
    ...(leaving.length === 0 ? {} : { leaving: leaving.slice(-leavingMax) }),
  });
  if (next.status !== 'needs_operator' || next.council === undefined) return next;
  return withOpen(
    next,
    next.council.open.filter((one) => one.execution !== execution),
  );
}

const leavingMax = 50;

function withOpen({ council, ...run }: Parked, open: readonly OpenOpinion[]): LivingRun {
  if (council === undefined || open.length === 0) return run;
  return { ...run, council: { ...council, open } };
}
