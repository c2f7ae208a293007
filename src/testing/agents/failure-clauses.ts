/** F: each way in which the model's service can fail, and what must be made of it. */
import type { FailureClass, JobResult } from '../../domain/execution/state.ts';
import { type FailureName, failures } from '../model-server/failures.ts';
import type { Clause } from './clause.ts';
import { howItEnded } from './early-clauses.ts';
import { trickled } from './lines.ts';
import { resetsInSeconds, type Scene } from './trial.ts';

type Expected =
  | { readonly as: 'failed'; readonly class: readonly FailureClass[] }
  /** Waiting helps, or a human must: the run is parked or waits, and no attempt is spent. */
  | { readonly as: 'limit'; readonly tellsReset: boolean }
  | { readonly as: 'answered' };

const lost: Expected = { as: 'failed', class: ['transport_lost'] };
/** No protocol has a name for an answer that cannot be read; both are tried again, bounded. */
const garbled: Expected = { as: 'failed', class: ['transport_lost', 'lane_died'] };

const expected: Readonly<Record<FailureName, Expected>> = {
  unauthorized: { as: 'failed', class: ['auth_required'] },
  payment_required: { as: 'limit', tellsReset: false },
  context_overflow: { as: 'failed', class: ['context_overflow'] },
  rate_limited: { as: 'limit', tellsReset: false },
  rate_limited_until: { as: 'limit', tellsReset: true },
  quota_exhausted: { as: 'limit', tellsReset: false },
  usage_limit: { as: 'limit', tellsReset: true },
  server_error: lost,
  overloaded: lost,
  hang: lost,
  stall: lost,
  drop_at_once: lost,
  drop: lost,
  malformed: garbled,
  malformed_midway: garbled,
  error_event: lost,
  truncated: lost,
  trickle: { as: 'answered' },
};

export const failureClauses: readonly Clause[] = Object.keys(failures).map((key) =>
  failureClause(key as FailureName),
);

export function failureClause(by: FailureName): Clause {
  return {
    id: `F:${by}`,
    title: `a model that fails by ${by} is classified rightly`,
    needs: ['C0', 'C2', 'C8'],
    check: async (trial) => unlike(expected[by], await trial.failing(by)),
  };
}

function unlike(wanted: Expected, scene: Scene): readonly string[] {
  const { result } = scene.turn;
  const is = `it was taken for ${howItEnded(scene)}`;
  switch (wanted.as) {
    case 'failed':
      return result?.kind === 'failed' && wanted.class.includes(result.class) ? [] : [is];
    case 'answered':
      return isAnswered(scene) ? [] : [is];
    case 'limit':
      return notLimited(result, wanted, scene) ?? [is];
  }
}

function isAnswered({ turn }: Scene): boolean {
  const { result, end } = turn;
  const isEnd = result?.kind === 'executed' && result.outcome === 'turn_ended';
  return isEnd && end !== null && 'text' in end && end.text?.includes(trickled) === true;
}

/** The reset that the service named, give or take a minute; null: it was no limit. */
function notLimited(
  result: JobResult | null,
  { tellsReset }: Extract<Expected, { as: 'limit' }>,
  { startedAt }: Scene,
): readonly string[] | null {
  if (result?.kind !== 'executed' || result.outcome !== 'limit') return null;
  if (!tellsReset) return [];
  const inMs = (result.limitUntil ?? startedAt) - startedAt;
  const isNear = Math.abs(inMs - resetsInSeconds * 1_000) < 90_000;
  return isNear ? [] : [`the limit was told to end after ${Math.round(inMs / 1_000)} s`];
}
