/**
 * What a timer that fires leads to. A fire is an ordinary command: one of another generation, or
 * one whose occasion has passed, is a no-op and never a refusal (design/store.md, Timers).
 */
import { ok, type Result } from '../../kernel/result.ts';
import { activeMsAt } from '../budget/budget.ts';
import type { ExecutionId, Instant } from '../ids.ts';
import { opinionsOverdue } from './council.ts';
import { add, type Draft, draftOf } from './draft.ts';
import { expire } from './gate.ts';
import { stopped } from './job-ended.ts';
import type { RunCommand, RunEvent } from './message.ts';
import { proceed } from './proceed.ts';
import type { LivingRun } from './state.ts';
import { isOverdue, remindersMax } from './timing.ts';
import { giveUpCancel } from './trouble.ts';

type Fire = Extract<RunCommand, { type: 'fire_timer' }>;
type Active = Extract<LivingRun, { status: 'active' }>;

export function fireTimer(run: LivingRun, command: Fire): Result<readonly RunEvent[], never> {
  return ok(fired(run, command)?.events ?? []);
}

/** Null: nothing to do. */
function fired(run: LivingRun, command: Fire): Draft | null {
  switch (command.kind) {
    case 'wait':
      return run.status === 'active' ? waited(run, command) : null;
    case 'active_time':
      return run.status === 'active' ? activeTimeSpent(run, command) : null;
    case 'attempt_time':
      return run.status === 'active' ? windowSpent(run, command) : null;
    case 'gate_expiry':
    case 'gate_reminder':
      return atGate(run, command);
    // Whoever makes the page says so by a command of its own.
    case 'escalation':
      return null;
    case 'opinions':
      return opinionsOverdue(run, command.at);
    case 'cancel_deadline': {
      const isDue = run.status === 'cancelling' && run.generation === command.generation;
      return isDue ? giveUpCancel(run, command.at) : null;
    }
  }
}

function waited(run: Active, { generation, at }: Fire): Draft | null {
  const { stage } = run;
  if (stage.phase !== 'waiting' || stage.generation !== generation) return null;
  const { then, tries, parseRetries } = stage;
  return proceed(draftOf(run, at), then, { why: 'retried', tries, parseRetries });
}

/**
 * The lane is asked to end; its work is kept, and still verified when it comes to that. A
 * verification is let finish, since a pass beats every budget. Early or stale fires see time left.
 */
function activeTimeSpent(run: Active, { at }: Fire): Draft | null {
  const { stage, granted } = run;
  if (stage.phase !== 'executing' || stage.stop !== null) return null;
  if (granted.timeMs === null || activeMsAt(run, at) < granted.timeMs) return null;
  return stop(run, at, { execution: stage.execution, why: 'wall' });
}

interface Stopping {
  readonly execution: ExecutionId;
  readonly why: 'wall' | 'window';
}

const stop = (run: Active, at: Instant, stopping: Stopping): Draft =>
  add(draftOf<LivingRun>(run, at), { type: 'job.stop_requested', ...stopping });

/** The host's own deadline did not end the job: first it is asked to end, then it is given up. */
function windowSpent(run: Active, { generation, at, claimed = true }: Fire): Draft | null {
  const { stage } = run;
  if (stage.phase === 'waiting' || generation !== run.counters.executions) return null;
  const { execution } = stage;
  if (stage.stop !== null) {
    if (!isOverdue(run, at)) return null;
    const detail = 'It did not end when it was asked to, nor by force within its deadline.';
    const abandoned = { class: 'transport_lost', proof: 'unproven', detail } as const;
    return stopped(draftOf<LivingRun>(run, at), stage, { ...abandoned, abandoned: true });
  }
  if (!claimed) {
    return add(draftOf<LivingRun>(run, at), { type: 'job.window_renewed', execution });
  }
  return stop(run, at, { execution, why: 'window' });
}

function atGate(run: LivingRun, { kind, generation, at }: Fire): Draft | null {
  if (run.status !== 'waiting_human' || run.counters.approvals !== generation) return null;
  const { approval, expiresAt } = run.gate;
  if (kind === 'gate_expiry') return expiresAt !== null && at >= expiresAt ? expire(run, at) : null;
  if (run.reminders >= remindersMax) return null;
  const count = run.reminders + 1;
  return add(draftOf<LivingRun>(run, at), { type: 'gate.reminded', approval, count });
}
