/** A run whose lane asked for leave: what an answer means for its state. */
import { grantsAfterTurn, withGrant } from '../approval/permission.ts';
import { patch, workingFacts } from './facts.ts';
import type { RunEvent } from './message.ts';
import type { Gate, LivingRun, Stage } from './state.ts';

type Answered = Extract<RunEvent, { type: 'permission.answered' }>;
export type Permission = Extract<Gate, { kind: 'permission' }>;

/** The run after it: at work again, where it had come to wait. */
export function afterAnswer(run: LivingRun, { at, grant }: Answered): LivingRun {
  const told =
    grant === null ? run : patch(run, { permissions: withGrant(run.permissions ?? [], grant) });
  if (told.status !== 'waiting_human' || told.gate.kind !== 'permission') return told;
  return { ...workingFacts(told, at), status: 'active', stage: stageBehind(told.gate) };
}

/** A yes for once is good for a turn, and for those who take its place (A4). */
export function afterItsTurn(run: LivingRun): LivingRun {
  const { permissions } = run;
  return permissions === undefined
    ? run
    : patch(run, { permissions: grantsAfterTurn(permissions) });
}

/** What the run goes on with when the gate is gone. */
export const stageBehind = ({
  execution,
  point,
}: Permission): Extract<Stage, { phase: 'executing' }> => ({
  phase: 'executing',
  execution,
  stop: null,
  point,
});

/** The lane that waits; null: none does. */
export function askingLane(run: LivingRun): Permission | null {
  return run.status === 'waiting_human' && run.gate.kind === 'permission' ? run.gate : null;
}
