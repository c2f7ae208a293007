/**
 * Only a human lifts a halt (R2). A resume must bring what the reason asks for, and is refused when
 * the run would be parked again at once; it widens what is granted, and nothing else does (R8).
 */
import { err, ok, type Result } from '../../kernel/result.ts';
import type { Commit, Digest } from '../ids.ts';
import type { Principal } from '../principal/principal.ts';
import { add, type Draft, draftOf } from './draft.ts';
import type { Grants, ResumeOptions, RunCommand, RunEvent, RunRejection } from './message.ts';
import { isGrant, isMet, needsOf, openPaths } from './needs.ts';
import { bare } from './park.ts';
import { brake, proceed } from './proceed.ts';
import type { Back, Granted, LivingRun, ResumePoint } from './state.ts';
import { wrongState } from './verbs.ts';

type Decision = Result<readonly RunEvent[], RunRejection>;
type Resume = Extract<RunCommand, { type: 'resume' }>;
type Parked = Extract<LivingRun, { status: 'needs_operator' }>;
type Paused = Extract<LivingRun, { status: 'paused' }>;

export function resume(run: LivingRun, command: Resume): Decision {
  const { options } = command;
  if (run.status === 'active' && run.stage.phase === 'waiting' && options.now === true) {
    const { then, tries, parseRetries } = run.stage;
    const next = { why: 'resumed', tries, parseRetries } as const;
    return ok(proceed(draftOf(run, command.at), then, next).events);
  }
  if (run.status !== 'paused' && run.status !== 'needs_operator') return wrongState(run);
  if (run.status === 'needs_operator' && !isMet(run, options)) {
    const open = openPaths(run, options.allow);
    const needed = {
      code: 'grant.needed',
      reason: run.reason,
      needs: needsOf(run.reason, run.terms),
    } as const;
    return err({ ...needed, ...(open === null ? {} : { open }) });
  }
  const point = goOn(run, options);
  if (!point.ok) return point;
  return lift(run, command, point.value);
}

function lift(run: Parked | Paused, command: Resume, point: ResumePoint): Decision {
  const { options, at } = command;
  const granted = widen(run, options.grants);
  const reason = point.job === 'execute' ? brake({ ...run, granted }, at) : null;
  if (reason !== null) return err({ code: 'grant.needed', reason, needs: needsOf(reason) });
  const { hint, happened, verifyNow, allow = [] } = options;
  const lifted = add(draftOf<LivingRun>(run, at), {
    type: 'run.resumed',
    granted,
    ...signed(command.principal),
    allowed: allow,
    ...(happened === undefined ? {} : { happened }),
    ...(verifyNow === undefined ? {} : { head: verifyNow.commit }),
    ...(options.on === undefined ? {} : { on: options.on }),
  });
  return ok(proceed(hinted(lifted, hint, command.principal), point, { why: 'resumed' }).events);
}

function hinted(draft: Draft, hint: Digest | undefined, { actor: by }: Principal): Draft {
  return hint === undefined ? draft : add(draft, { type: 'hint.added', text: hint, by });
}

const signed = ({ actor, channel }: Principal) => ({ by: actor, channel });

/** What is not braked stays so; the waiting time begins anew with every resume. */
function widen({ granted, spent, terms }: LivingRun, grants: Grants): Granted {
  const plus = (figure: number | null, more: number | undefined): number | null =>
    figure === null || !isGrant(more) ? figure : figure + more;
  return {
    attempts: plus(granted.attempts, grants.attempts),
    costUsd: plus(granted.costUsd, grants.costUsd),
    tokens: plus(granted.tokens, grants.tokens),
    steps: plus(granted.steps, grants.steps),
    timeMs: plus(granted.timeMs, grants.timeMs),
    waitTimeMs: Math.max(granted.waitTimeMs, spent.waitedMs + terms.brakes.waitTimeMs),
    ...(spent.queuedMs === undefined
      ? {}
      : {
          queueTimeMs: Math.max(granted.queueTimeMs ?? 0, spent.queuedMs + terms.brakes.waitTimeMs),
        }),
  };
}

/** Where the run goes on: as it was, unless the options say otherwise; the first that does wins. */
function goOn(run: Parked | Paused, options: ResumeOptions): Result<ResumePoint, RunRejection> {
  const { verifyNow, fromAttempt, fresh, restore } = options;
  if (verifyNow !== undefined) {
    const { commit } = verifyNow;
    return ok({ job: 'verify', commit, step: 0, back: backOf(run, options, commit) });
  }
  if (run.then.job === 'prepare') return ok(run.then);
  if (fromAttempt !== undefined) return fromThe(run, fromAttempt);
  if (fresh === true) {
    return ok({ job: 'execute', session: 'fresh', tree: 'new', commit: run.head });
  }
  return ok(restore === true ? restored(run) : run.then);
}

/** What was recorded for this look is the work from now on, whatever the look says. */
function backOf(run: Parked | Paused, options: ResumeOptions, commit: Commit): Back {
  const before = bare(run.then);
  const then = before.job === 'prepare' ? before : { ...before, commit };
  if (run.status === 'paused') {
    return { reason: null, detail: '', text: null, class: null, paths: [], more: 0, then };
  }
  const { reason, detail, text, class: failure, paths, more } = run;
  const parking = { reason, detail, text, class: failure, paths, more, then };
  return lifts(run, options) ? { ...parking, lifted: true } : parking;
}

/** Besides a look: what was granted is not to be granted again. */
function lifts(run: Parked, { verifyNow: _, ...others }: ResumeOptions): boolean {
  return needsOf(run.reason, run.terms).length > 0 && isMet(run, others);
}

/** The best tree rather than the last: a new tree from what that attempt had recorded. */
function fromThe(run: LivingRun, attempt: number): Result<ResumePoint, RunRejection> {
  const commit = run.attempts.find(({ n }) => n === attempt)?.commit ?? null;
  if (commit === null) return err({ code: 'attempt.unknown', attempt });
  return ok({ job: 'execute', session: 'fresh', tree: 'new', commit });
}

/**
 * Of recorded work that awaits the checks, the verifier puts the paths back in a commit of its own,
 * and judges that one. A judge or a human changes nothing, and a turn that was cut off has nothing
 * to judge: there the lane's host puts them back, before a further turn.
 */
export function restored(run: Parked | Paused): ResumePoint {
  const { then, terms } = run;
  const isChecked = then.job === 'verify' && terms.steps[then.step]?.kind === 'checks';
  if (isChecked) return { ...then, restore: true };
  const commit = run.head;
  return { job: 'execute', session: 'resume', tree: run.nextTree, commit, restore: true };
}

/**
 * A question is answered, and the conversation goes on with it; a spent budget then parks it as
 * such.
 */
export function answer(run: LivingRun, command: Extract<RunCommand, { type: 'answer' }>): Decision {
  if (run.status !== 'needs_operator' || run.reason !== 'blocked_by_question') {
    return wrongState(run);
  }
  const { text, principal, at } = command;
  const granted = widen(run, {});
  const lifted = add(
    draftOf<LivingRun>(run, at),
    { type: 'question.answered', text, by: principal.actor },
    { type: 'run.resumed', granted, ...signed(principal), allowed: [] },
  );
  return ok(proceed(lifted, run.then, { why: 'resumed' }).events);
}
