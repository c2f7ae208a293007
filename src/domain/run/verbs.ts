/**
 * Which verb fits which state (UX 2.2): what a refusal offers instead. Without `pawl` and the id.
 */
import { err, type Result } from '../../kernel/result.ts';
import type { RunRejection } from './message.ts';
import { liftOf } from './needs.ts';
import type { LivingRun } from './state.ts';

export function fittingVerbs(run: LivingRun): readonly string[] {
  switch (run.status) {
    case 'active':
      return run.stage.phase === 'waiting'
        ? ['resume --now', 'cancel']
        : ['watch', 'hint "…"', 'pause', 'cancel'];
    case 'waiting_human':
      return ['approve', 'reject --note "…"', 'cancel'];
    case 'paused':
      return ['resume', 'cancel'];
    case 'needs_operator':
      return [
        liftOf(run.reason, run.terms),
        ...(run.terms.dryRun === true ? [] : ['accept --reason "…"']),
        'cancel',
      ];
    case 'complete':
      return run.landed === null ? ['land', 'retry'] : ['retry'];
    case 'cancelled':
      return run.terms.dryRun === true ? ['show'] : ['retry'];
    default:
      return ['watch'];
  }
}

export function wrongState(run: LivingRun): Result<never, RunRejection> {
  const reason = run.status === 'needs_operator' ? run.reason : null;
  return err({ code: 'run.wrong_state', status: run.status, reason, next: fittingVerbs(run) });
}

export function isTerminal({ status }: Pick<LivingRun, 'status'>): boolean {
  return status === 'complete' || status === 'cancelled';
}
