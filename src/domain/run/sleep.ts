/**
 * A machine that slept (DESIGN §7): what stood still did no work, so the time is neither active
 * time nor a part of the window of the job that was in it.
 */
import { ok, type Result } from '../../kernel/result.ts';
import { add, draftOf } from './draft.ts';
import type { RunCommand, RunEvent } from './message.ts';
import type { LivingRun } from './state.ts';

type RecordSleep = Extract<RunCommand, { type: 'record_sleep' }>;

/** Only a run that works is told; a job that was not asked to stop gets its window anew. */
export function recordSleep(
  run: LivingRun,
  { since, until, at }: RecordSleep,
): Result<readonly RunEvent[], never> {
  if (run.status !== 'active' || until <= since) return ok([]);
  const slept = add(draftOf<LivingRun>(run, at), { type: 'machine.slept', since, until });
  const { stage } = run;
  if (stage.phase === 'waiting' || stage.stop !== null) return ok(slept.events);
  const { execution } = stage;
  return ok(add(slept, { type: 'job.window_renewed', execution }).events);
}
