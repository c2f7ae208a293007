/**
 * The page that a parked run is handed over with, kept as an artifact: once for each parking,
 * whoever makes it, and only while the run is parked so.
 */
import { ok, type Result } from '../../kernel/result.ts';
import { add, draftOf } from './draft.ts';
import type { RunCommand, RunEvent } from './message.ts';
import type { LivingRun } from './state.ts';

type Record = Extract<RunCommand, { type: 'record_escalation' }>;

export function recordEscalation(
  run: LivingRun,
  { since, escalation, at }: Record,
): Result<readonly RunEvent[], never> {
  const isOpen = run.status === 'needs_operator' && run.escalation === undefined;
  if (!isOpen || run.since !== since) return ok([]);
  const recorded = { type: 'escalation.recorded', escalation } as const;
  return ok(add(draftOf<LivingRun>(run, at), recorded).events);
}
