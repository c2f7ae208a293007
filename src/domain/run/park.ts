/** Handing a run to its operator: one reason, what is needed to go on, and where it goes on. */
import { clipLine } from '../../kernel/text.ts';
import type { FailureClass } from '../execution/state.ts';
import type { Digest, ExecutionId } from '../ids.ts';
import { add, type Draft } from './draft.ts';
import type { Back, Disposition, ParkReason, ResumePoint, VerifyPoint } from './state.ts';
import { parkReasons } from './state.ts';

export const detailMax = 200;

export interface Parking {
  readonly detail: string;
  readonly then: ResumePoint;
  readonly text?: Digest | null;
  readonly class?: FailureClass | null;
  readonly paths?: readonly string[];
  readonly more?: number;
  readonly withdraws?: ExecutionId | undefined;
}

export function park(draft: Draft, reason: ParkReason, parking: Parking): Draft {
  const { detail, then, text = null, class: failure = null, paths, more, withdraws } = parking;
  return add(draft, {
    type: 'run.parked',
    disposition: dispositionOf(reason),
    reason,
    detail: clipLine(detail, detailMax),
    text,
    class: failure,
    then,
    ...(paths === undefined ? {} : { paths }),
    ...(more === undefined ? {} : { more }),
    ...(withdraws === undefined ? {} : { withdraws }),
  });
}

export function dispositionOf(reason: ParkReason): Disposition {
  if (isAmong(parkReasons.stalled, reason)) return 'stalled';
  return isAmong(parkReasons.budget_exhausted, reason) ? 'budget_exhausted' : 'escalated';
}

const isAmong = (reasons: readonly ParkReason[], reason: ParkReason): boolean =>
  reasons.includes(reason);

/** A point without the way back, so that ways back never nest. */
export function bare(point: ResumePoint): Back['then'] {
  if (point.job !== 'verify') return point;
  const { job, commit, step } = point;
  return { job, commit, step } satisfies VerifyPoint;
}
