/**
 * Goal: R1–R12 and X6 hold whatever comes, legal or not, in any order.
 * Method: arbitrary actions drive the composed machine of test/support/run-model.ts; every event is
 * watched while it is folded, and the whole is looked at whenever it is at rest.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Action, act, action, type World, world } from '../../../test/support/run-actions.ts';
import { command, fire, operator } from '../../../test/support/run-fixtures.ts';
import { send } from '../../../test/support/run-model.ts';
import { invariant as must } from '../../kernel/invariant.ts';
import type { RunEvent } from './message.ts';
import type { LivingRun, RunState } from './state.ts';

const numRuns = Number(process.env['PROPERTY_RUNS'] ?? 2_000);
const actions = fc.array(action, { minLength: 1, maxLength: 40, size: 'max' });

interface Step {
  readonly before: RunState;
  readonly event: RunEvent;
  readonly next: RunState;
  readonly world: World;
}

/** Runs the check on every event that arbitrary actions lead to. */
function always(check: (step: Step) => void, atRest: (world: World) => void = () => {}): void {
  fc.assert(
    fc.property(actions, (script: readonly Action[]) => {
      const here: World = world((before, event, next) =>
        check({ before, event, next, world: here }),
      );
      for (const next of script) {
        act(here, next);
        atRest(here);
      }
    }),
    { numRuns },
  );
}

const living = (state: RunState): LivingRun | null => (state.status === 'unborn' ? null : state);
const isTerminal = ({ status }: RunState) => status === 'complete' || status === 'cancelled';

test('R1: `passed` only by typed passes of every step over recorded work that is not the base', () => {
  let completed = 0;
  always(({ before, event, world: { model } }) => {
    const run = living(before);
    if (run === null || event.type !== 'run.completed' || event.verification !== 'passed') return;
    completed += 1;
    const { events } = model;
    const since = events.slice(
      Math.max(
        0,
        events.findLastIndex(({ type }) => type === 'turn.ended'),
      ),
    );
    for (const step of run.terms.steps.keys()) isProven(run, step, { model, since });
  });
  expect(completed).toBeGreaterThan(numRuns / 100);
});

interface Proof {
  readonly model: World['model'];
  readonly since: World['model']['events'];
}

function isProven({ terms }: LivingRun, step: number, { model, since }: Proof): void {
  const last = since.findLast((e) => e.type === 'verification.recorded' && e.step === step);
  if (last?.type !== 'verification.recorded') throw new Error(`step ${step} is unverified`);
  const { facts, by, execution } = last;
  must(facts.outcome === 'passed', `step ${step} is ${facts.outcome}`);
  must(facts.equalsBase !== true || terms.allowNoChange, 'the base itself passed');
  must(by !== terms.maker, 'the maker checked');
  const role = execution === null ? null : model.executions.get(execution)?.job.role;
  must(role === 'verify' || role === 'judge' || role === null, `a ${role} judged`);
  must(facts.commit !== null || terms.allowNoChange || !terms.git, 'no commit is recorded');
}

test('R9: what was verified, step for step, is the head that is shown and landed', () => {
  let moved = 0;
  always(({ before, event, next, world: { model } }) => {
    if (event.type === 'verification.recorded' && event.head !== undefined) moved += 1;
    if (event.type !== 'run.completed' || event.verification !== 'passed') return;
    const run = living(before);
    if (run === null || !run.terms.git) return;
    const head = living(next)?.head ?? null;
    const seen = [...run.terms.steps.keys()].map((step) => commitSeen(model, step));
    must(
      // Without a head the base was judged, which only the verifier names; it cannot land.
      head === null || seen.every((commit) => commit === null || commit === head),
      `${seen.join(', ')} were verified, ${head} is the head`,
    );
  });
  expect(moved).toBeGreaterThan(numRuns / 1_000);
});

test('R10: a dry run is never complete, has no receipt of a verdict and ends after one (XP-41)', () => {
  let ended = 0;
  always(({ before, event }) => {
    const run = living(before);
    if (run?.terms.dryRun !== true) return;
    must(event.type !== 'run.completed', 'a dry run is complete');
    if (event.type === 'run.cancelled' && event.cause === 'dry_run') ended += 1;
    if (event.type !== 'verification.recorded') return;
    const { outcome, receipt } = event.facts;
    must(outcome !== 'passed' && receipt === null, `a dry run has a verdict: ${outcome}`);
  });
  expect(ended).toBeGreaterThan(numRuns / 1_000);
});

function commitSeen({ events }: World['model'], step: number) {
  const last = events.findLast((e) => e.type === 'verification.recorded' && e.step === step);
  return last?.type === 'verification.recorded' ? last.facts.commit : null;
}

test('R2: only a human lets a run go on from a park, a pause or a gate (ruling 15)', () => {
  always(({ before, event, next, world: { issuing } }) => {
    const rested = ['needs_operator', 'paused', 'waiting_human'].includes(before.status);
    if (!rested || before.status === next.status) return;
    if (next.status !== 'active' && next.status !== 'complete') return;
    // A lane that asked for leave lives: refused, or at its own end, it goes on without it.
    if (event.type === 'permission.answered' && event.decision === 'deny') return;
    if (isAsking(before) && issuing?.type === 'job_ended') return;
    must(issuing?.principal.kind === 'human', `${issuing?.type} let it go on`);
  });
});

const isAsking = (run: RunState): boolean =>
  run.status === 'waiting_human' && run.gate.kind === 'permission';

test('R3: attempts end only by content', () => {
  always(({ event, world: { issuing } }) => {
    if (event.type !== 'attempt.ended' || issuing === null) return;
    if (issuing.type === 'accept' || issuing.type === 'resolve_gate') return;
    must(issuing.type === 'job_ended' && issuing.end.how === 'sealed', `${issuing.type} ended it`);
    const { result } = issuing.end;
    must(result.kind !== 'failed' || result.class === 'invalid_result', 'a failure ended it');
  });
});

test('R4: while active, exactly one of an open execution or a stored timer; a job has a deadline', () => {
  always(
    () => {},
    ({ model: { run, executions, timers } }) => {
      if (run.status !== 'active') return;
      const { stage } = run;
      const isWaiting = stage.phase === 'waiting';
      must(timers.has('wait') === isWaiting, 'a timer is stored exactly while waiting');
      must(timers.has('attempt_time') !== isWaiting, 'a deadline is stored exactly for a job');
      if (isWaiting) {
        must(timers.get('wait')?.generation === stage.generation, 'it is the timer of this wait');
        return;
      }
      const status = executions.get(stage.execution)?.status ?? 'none';
      must(open.includes(status), `the awaited execution is ${status}`);
      const isBraked = run.granted.timeMs !== null;
      must(timers.has('active_time') === isBraked, 'active time is braked where it is granted');
    },
  );
});

test('R11: the page of a parking is kept once, and until then a timer says that it is due (RR-32)', () => {
  let kept = 0;
  always(
    ({ before, event }) => {
      if (event.type !== 'escalation.recorded') return;
      kept += 1;
      must(before.status === 'needs_operator', `a page is kept of a run that is ${before.status}`);
      must(before.escalation === undefined, 'a second page is kept of one parking');
    },
    ({ model: { run, timers } }) => {
      const isOpen = run.status === 'needs_operator' && run.escalation === undefined;
      must(timers.has('escalation') === isOpen, 'a timer is stored exactly while a page is due');
    },
  );
  expect(kept).toBeGreaterThan(numRuns / 100);
});

const open = ['DISPATCHED', 'LEASED', 'RUNNING', 'CHECKPOINTED', 'CANCEL_REQUESTED'];

test('R5: ended attempts never exceed the granted maximum, whatever comes in what order (EV-5)', () => {
  always(({ next }) => {
    const run = living(next);
    const max = run?.granted.attempts ?? null;
    must(run === null || max === null || run.counters.attempts <= max, 'too many attempts');
  });
});

test('R6: a terminal run never changes again, but for a landing, counted refusals and notices', () => {
  always(
    ({ before, event, next }) => {
      if (!isTerminal(before)) return;
      const ofCouncil = ['opinion.left', 'usage.recorded'];
      const told = ['principal.refused', 'notice.planned', 'notice.recorded'];
      const may = ['run.landed', ...told, ...ofCouncil];
      must(may.includes(event.type), event.type);
      const spent = { spent: null, leaving: null, unproven: null };
      const counted = { landed: null, refusedGates: 0, notices: null, ...spent };
      expect({ ...next, ...counted }).toEqual({ ...before, ...counted });
    },
    ({ model }) => {
      if (isTerminal(model.run)) expect([...model.timers.keys()]).toEqual([]);
    },
  );
});

test('R7: a cancel always ends, and lists what it cannot prove', () => {
  fc.assert(
    fc.property(actions, (script: readonly Action[]) => {
      const here = world();
      for (const next of script) act(here, next);
      const { model } = here;
      if (model.run.status === 'unborn' || isTerminal(model.run)) return;
      cancelAll(here);
      isQuiet(model);
    }),
    { numRuns },
  );
});

function cancelAll({ model, now }: World): void {
  send(model, command({ type: 'cancel', note: '' }, now, operator));
  if (model.run.status !== 'cancelling') return;
  const generation = model.timers.get('cancel_deadline')?.generation ?? -1;
  send(model, fire('cancel_deadline', generation, now + 1_000_000));
}

const atWork = ['LEASED', 'RUNNING', 'CHECKPOINTED', 'WAITING_HUMAN', 'RECOVERING'];

function isQuiet({ run, executions }: World['model']): void {
  if (run.status !== 'cancelled') throw new Error(`the cancel left it ${run.status}`);
  for (const { id, status } of executions.values()) {
    must(!atWork.includes(status), `${id} is still ${status}`);
    const isProven = status !== 'UNKNOWN' && status !== 'CANCEL_REQUESTED';
    const isListed = run.unproven.includes(id) || run.leaving?.includes(id) === true;
    must(isProven || isListed, `${id} is ${status} and not listed`);
  }
}

const growing = [
  'attempts',
  'executions',
  'resumed',
  'totalErrors',
  'fence',
  'approvals',
  'timers',
] as const;

const spending = ['costUsd', 'tokensIn', 'tokensOut', 'activeMs', 'waitedMs'] as const;

test('R8: counters never decrease, and only a resume widens what is granted', () => {
  always(({ before, event, next }) => {
    const [was, is] = [living(before), living(next)];
    if (was === null || is === null) return;
    for (const counter of growing) must(is.counters[counter] >= was.counters[counter], counter);
    for (const figure of spending) must(is.spent[figure] >= was.spent[figure], figure);
    must(is.counters.unhealedErrors >= is.counters.attemptErrors, 'more healed than there was');
    must(event.type === 'run.resumed' || is.granted === was.granted, `${event.type} grants`);
  });
});

test('R12: a council is of a parked run alone, and changes nothing but what is spent (EV-7)', () => {
  let given = 0;
  always(
    ({ before, event, next }) => {
      const [was, is] = [living(before), living(next)];
      if (was === null || is === null) return;
      if (event.type === 'opinion.ended' && event.outcome === 'given') given += 1;
      if (!event.type.startsWith('opinion.') && event.type !== 'council.asked') return;
      expect(untouched(is)).toEqual(untouched(was));
    },
    ({ model: { run, executions, timers } }) => {
      const council = run.status === 'needs_operator' ? run.council : undefined;
      must(timers.has('opinions') === (council !== undefined), 'a deadline exactly while asked');
      const asked = new Set(council?.open.map(({ execution }) => execution));
      for (const { id, job, status } of executions.values()) {
        if (job.role !== 'consult' || !open.includes(status)) continue;
        const isLeft = living(run)?.leaving?.includes(id) === true;
        must(asked.has(id) || isLeft, `${id} is ${status}, and nobody asks`);
      }
    },
  );
  expect(given).toBeGreaterThan(numRuns / 100);
});

/** A run without what a council may change: numbers of executions, and who has to end yet. */
function untouched({ counters, unproven: _unproven, leaving: _leaving, ...run }: LivingRun) {
  const { council: _council, ...rest } = run as LivingRun & { council?: unknown };
  return { ...rest, counters: { ...counters, executions: 0 } };
}

test('X6: the fence of a run grows with every grant', () => {
  always(
    () => {},
    ({ model }) => {
      const fences = model.events.flatMap((e) =>
        e.type === 'execution.leased' ? [e.grant.fence] : [],
      );
      must(
        fences.every((fence, i) => i === 0 || fence > (fences[i - 1] ?? 0)),
        'a fence fell',
      );
    },
  );
});

test('an execution id is never used again, and ids count from 1 (DESIGN 1)', () => {
  always(
    () => {},
    ({ model }) => {
      const dispatched = model.events.flatMap((e) =>
        e.type === 'execution.dispatched' ? [e.n] : [],
      );
      must(
        dispatched.every((n, index) => n === index + 1),
        'an id is used again',
      );
    },
  );
});

test('an approval has exactly one outcome, and a gate that is left is closed (A1)', () => {
  always(
    () => {},
    ({ model }) => {
      const open = [...model.approvals].filter(([, outcome]) => outcome === null);
      must(open.length === (model.run.status === 'waiting_human' ? 1 : 0), 'a gate is left open');
      const resolved = model.events.flatMap((e) =>
        e.type === 'gate.resolved' ? [e.approval] : [],
      );
      must(new Set(resolved).size === resolved.length, 'resolved twice');
    },
  );
});
