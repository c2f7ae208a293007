/** Hints, pause, cancel, accept and landing: what people do to a run from outside. */
import { err, ok, type Result } from '../../kernel/result.ts';
import { clipLine } from '../../kernel/text.ts';
import type { ExecutionId } from '../ids.ts';
import { complete, unmeasured } from './attempt.ts';
import { add, type Draft, draftOf } from './draft.ts';
import { askingLane } from './evolve-permission.ts';
import { closeBySystem } from './gate.ts';
import type { RunCommand, RunEvent, RunRejection } from './message.ts';
import type { LivingRun } from './state.ts';
import { isTerminal, wrongState } from './verbs.ts';

type Decision = Result<readonly RunEvent[], RunRejection>;
type Of<T extends RunCommand['type']> = Extract<RunCommand, { type: T }>;

export function hint(run: LivingRun, command: Of<'hint'>): Decision {
  if (isTerminal(run)) return wrongState(run);
  const { text, principal, at, nextAttempt = false } = command;
  const notBefore = nextAttempt ? { notBefore: nextOf(run) } : {};
  const added = { type: 'hint.added', text, by: principal.actor, ...notBefore } as const;
  return ok(add(draftOf(run, at), added).events);
}

/** While setup and baseline run, the attempt that is named has not begun. */
function nextOf(run: LivingRun): number {
  const isBefore = run.status === 'active' && run.stage.phase === 'preparing';
  return isBefore ? run.attempt : run.attempt + 1;
}

/**
 * Between jobs, or now by interrupting the lane. A wait is between jobs. Asked again, it is a
 * no-op.
 */
export function pause(run: LivingRun, { now, principal, at }: Of<'pause'>): Decision {
  if (run.status !== 'active') return wrongState(run);
  const by = principal.actor;
  if (run.stage.phase === 'waiting') {
    const { then } = run.stage;
    return ok(add(draftOf<LivingRun>(run, at), { type: 'run.paused', then, by }).events);
  }
  const isAsked = now ? run.stage.stop?.why === 'pause' : run.pauseAsked;
  if (isAsked) return ok([]);
  return ok(add(draftOf<LivingRun>(run, at), { type: 'pause.requested', by, now }).events);
}

/**
 * At once where nobody holds an execution; else the run is `cancelling` until the execution's end
 * is known or its deadline has passed, so that a cancel always ends (R7).
 */
export function cancel(run: LivingRun, command: Of<'cancel'>): Decision {
  const { at, leased = true, retriedAs = null } = command;
  const said = { note: clipLine(command.note, 200), retriedAs };
  switch (run.status) {
    case 'complete':
    case 'cancelled':
      return wrongState(run);
    case 'cancelling':
      return ok(hurried(run, command));
    case 'waiting_human': {
      const voided = closeBySystem(run, at, 'voided');
      const asking = askingLane(run);
      if (asking === null) return ok(cancelledNow(voided, said).events);
      return ok(cancelAsked(voided, command, asking.execution).events);
    }
    case 'active': {
      if (run.stage.phase === 'waiting') break;
      const { execution } = run.stage;
      if (!leased) {
        return ok(cancelledNow(draftOf(run, at), { ...said, withdraws: execution }).events);
      }
      return ok(cancelAsked(draftOf<LivingRun>(run, at), command, execution).events);
    }
    default:
  }
  return ok(cancelledNow(draftOf(run, at), said).events);
}

function cancelAsked(draft: Draft, command: Of<'cancel'>, execution: ExecutionId): Draft {
  const { principal, now, retriedAs } = command;
  const generation = draft.run.counters.timers + 1;
  const note = clipLine(command.note, 200);
  const hurry = now === true ? ({ now } as const) : {};
  const replaced = retriedAs === undefined ? {} : { retriedAs };
  const asked = { execution, generation, by: principal.actor, note, ...hurry, ...replaced };
  return add(draft, { type: 'cancel.requested', ...asked });
}

/** A cancel that is under way can be told to wait no longer, once. */
function hurried(
  run: Extract<LivingRun, { status: 'cancelling' }>,
  { at, now, principal }: Of<'cancel'>,
): readonly RunEvent[] {
  if (now !== true || run.now === true) return [];
  const { execution, generation, note } = run;
  const asked = { execution, generation, by: principal.actor, note, now } as const;
  return add(draftOf<LivingRun>(run, at), { type: 'cancel.requested', ...asked }).events;
}

type Cancelled = Extract<RunEvent, { type: 'run.cancelled' }>;

function cancelledNow(
  draft: Draft,
  end: Pick<Cancelled, 'note' | 'withdraws'> & Required<Pick<Cancelled, 'retriedAs'>>,
) {
  const { unproven } = draft.run;
  return add(draft, { type: 'run.cancelled', cause: 'cancelled', unproven, ...end });
}

/** A human takes the work as it is, with a reason; the run says so for ever. */
export function accept(run: LivingRun, { reason, principal, at }: Of<'accept'>): Decision {
  if (run.status !== 'needs_operator' || run.terms.dryRun === true) return wrongState(run);
  const note = clipLine(reason, 200);
  if (note === '') return err({ code: 'terms.invalid', detail: 'accept needs a reason' });
  const { actor: by, channel } = principal;
  const pass = { ...unmeasured, verification: 'overridden', by, channel, note } as const;
  return ok(complete(draftOf<LivingRun>(run, at), { ...pass, summary: note }).events);
}

/** Only what is complete lands; the same landing again is a no-op (R6). */
export function recordLanding(run: LivingRun, command: Of<'record_landing'>): Decision {
  if (run.status !== 'complete') return wrongState(run);
  const { commit, into, method, reverified, url, kept, principal, at } = command;
  if (run.landed?.commit === commit && run.landed.into === into) return ok([]);
  const landed = {
    ...{ commit, into, method, reverified, by: principal.actor },
    ...(url === undefined ? {} : { url }),
    ...(kept === undefined ? {} : { kept }),
  };
  return ok(add(draftOf<LivingRun>(run, at), { type: 'run.landed', ...landed }).events);
}

export function recordRefusal(run: LivingRun, command: Of<'record_refusal'>): Decision {
  const { command: verb, refused, at } = command;
  const { actor, channel, ancestry } = refused;
  const refusal = { command: verb, actor: clipLine(actor, 100), channel, ancestry };
  return ok(add(draftOf(run, at), { type: 'principal.refused', ...refusal }).events);
}
