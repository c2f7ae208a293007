/**
 * What may happen to a run (DESIGN §4.1; R1–R12 in state.ts). Pure: time, chance and principal come
 * in with the command; every event or one rejection comes out. Who may issue what is asked here
 * again, so that no way into the engine goes round the table of DESIGN §11a.
 */
import { err, ok, type Result } from '../../kernel/result.ts';
import { isHumanOnly, may } from '../principal/may.ts';
import { consult, councilClosed } from './council.ts';
import { recordEscalation } from './escalation.ts';
import { resolveGate } from './gate.ts';
import { jobEnded } from './job-ended.ts';
import type { RunCommand, RunEvent, RunRejection } from './message.ts';
import { planNotice, recordNotice } from './notice.ts';
import { openPermission } from './permission.ts';
import { answer, resume } from './resume.ts';
import { recordSleep } from './sleep.ts';
import { start } from './start.ts';
import type { LivingRun, RunState } from './state.ts';
import { accept, cancel, hint, pause, recordLanding, recordRefusal } from './steer.ts';
import { fireTimer } from './timers.ts';
import {
  failDispatch,
  noCapacity,
  parkInternalError,
  stopForBudget,
  voidPermission,
} from './trouble.ts';

type Decision = Result<readonly RunEvent[], RunRejection>;

export function decide(state: RunState, command: RunCommand): Decision {
  const refusal = refusalOf(state, command);
  if (refusal !== null) return err(refusal);
  if (command.type === 'start') return start(state, command);
  if (state.status === 'unborn') return err({ code: 'run.unknown' });
  const decided = decideLiving(state, command);
  if (!decided.ok) return decided;
  const closed = councilClosed(state, decided.value, command.at);
  return closed.length === 0 ? decided : ok([...closed, ...decided.value]);
}

/**
 * A lane starts a nested run only through the engine's edge, which knows the parent's allowance.
 */
function refusalOf(state: RunState, { principal, type }: RunCommand): RunRejection | null {
  const subject = state.status === 'unborn' ? null : state;
  if (may(principal, type, { subject, nestedAllowed: type === 'start' })) return null;
  if (isHumanOnly(type)) return { code: 'principal.human_required', command: type };
  return { code: 'principal.refused', command: type, kind: principal.kind };
}

function decideLiving(run: LivingRun, command: Exclude<RunCommand, { type: 'start' }>): Decision {
  switch (command.type) {
    case 'hint':
      return hint(run, command);
    case 'pause':
      return pause(run, command);
    case 'resume':
      return resume(run, command);
    case 'cancel':
      return cancel(run, command);
    case 'accept':
      return accept(run, command);
    case 'answer':
      return answer(run, command);
    case 'resolve_gate':
      return resolveGate(run, command);
    case 'consult':
      return consult(run, command);
    case 'open_permission':
      return openPermission(run, command);
    case 'void_permission':
      return voidPermission(run, command);
    case 'record_landing':
      return recordLanding(run, command);
    case 'job_ended':
      return jobEnded(run, command);
    case 'fire_timer':
      return fireTimer(run, command);
    case 'no_capacity':
      return noCapacity(run, command);
    case 'stop_for_budget':
      return stopForBudget(run, command);
    case 'fail_dispatch':
      return failDispatch(run, command);
    case 'park_internal_error':
      return parkInternalError(run, command);
    case 'record_refusal':
      return recordRefusal(run, command);
    case 'plan_notice':
      return planNotice(run, command);
    case 'record_notice':
      return recordNotice(run, command);
    case 'record_sleep':
      return recordSleep(run, command);
    case 'record_escalation':
      return recordEscalation(run, command);
  }
}
