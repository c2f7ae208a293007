import { describe, expect, test } from 'vitest';
import {
  at,
  command,
  digest,
  driver,
  executed,
  execution,
  failed,
  fire,
  goesOn,
  history,
  jobEnded,
  led,
  operator,
  run,
  runAfter,
  sealed,
  usage,
  working,
} from '../../../test/support/run-fixtures.ts';
import { approvalId } from '../ids.ts';
import { decide } from './decide.ts';
import { openExecution } from './evolve.ts';
import type { RunCommand } from './message.ts';
import { react } from './react.ts';

const call = (request: string, args = 'push') =>
  ({ request, tool: 'shell', title: `git ${args}`, args, definition: 'gemini 1 shell' }) as const;
const asks = (n: number, request: string, args?: string, ms = 0) =>
  command(
    { type: 'open_permission', execution: execution(n), ask: call(request, args) },
    ms,
    driver,
  );
const says = (
  n: number,
  outcome: 'approved' | 'rejected',
  more: { readonly forRun?: true; readonly ms?: number } = {},
) => {
  const { ms = 0, ...reach } = more;
  const resolving = {
    approval: approvalId(run, n),
    outcome,
    note: null,
    summary: outcome,
  } as const;
  return command({ type: 'resolve_gate', ...resolving, ...reach }, ms, operator);
};
const died = (n: number, ms = 0) =>
  jobEnded(n, { how: 'lost', class: 'lane_died', proof: 'kernel', detail: 'killed', usage }, ms);
const told = (...commands: readonly RunCommand[]) =>
  history(...commands).flatMap((event) =>
    event.type === 'permission.answered' ? [[event.request, event.decision, event.why]] : [],
  );

/** What the lane is told by the last of the commands. */
const answerOf = (...commands: readonly RunCommand[]) => {
  const after = runAfter(...commands);
  return led(...commands)
    .flatMap((event) => (event.type === 'permission.answered' ? react(after, event) : []))
    .flatMap((one) => (one.kind === 'answer_execution' ? [one.answer] : []));
};

describe('a lane that asks for leave', () => {
  test('is told of a no whose it is, and nothing with a yes (L-H15)', () => {
    const waiting = [...working({ approvalsExpireMs: 1_000 }), asks(2, 'p1')];
    const told = { request: 'p1', decision: 'deny' };
    expect(answerOf(...waiting, says(1, 'approved'))).toEqual([{ ...told, decision: 'allow' }]);
    expect(answerOf(...waiting, says(1, 'rejected'))).toEqual([{ ...told, why: 'rejected' }]);
    expect(answerOf(...waiting, fire('gate_expiry', 1, 1_000))).toEqual([
      { ...told, why: 'expired' },
    ]);
  });

  test('has its run wait, and goes on in the same execution with a yes (DESIGN 4.1)', () => {
    const waiting = [...working(), asks(2, 'p1', 'push', 5_000)];
    expect(runAfter(...waiting)).toMatchObject({
      status: 'waiting_human',
      activeSince: null,
      gate: { kind: 'permission', approval: 'run1.a1', execution: 'run1.2', ask: call('p1') },
    });
    expect(openExecution(runAfter(...waiting))).toBe(execution(2));
    const answered = led(...waiting, says(1, 'approved', { ms: 9_000 }));
    expect(answered).toMatchObject([
      { type: 'gate.resolved', outcome: 'approved', by: 'ada' },
      { type: 'permission.answered', request: 'p1', decision: 'allow', why: 'approved' },
    ]);
    const after = runAfter(...waiting, says(1, 'approved', { ms: 9_000 }));
    expect(after).toMatchObject({
      status: 'active',
      activeSince: at(9_000),
      spent: { activeMs: 5_000 },
      stage: { phase: 'executing', execution: 'run1.2', stop: null },
    });
    const [, answer] = answered;
    if (answer === undefined) throw new Error('it is not answered');
    expect(react(after, answer)).toMatchObject([
      { kind: 'answer_execution', answer: { request: 'p1', decision: 'allow' } },
      { kind: 'set_timer', timer: 'attempt_time', generation: 2, dueAt: 9_000 + 50_000 + 120_000 },
      { kind: 'set_timer', timer: 'active_time', dueAt: 9_000 + 95_000 },
    ]);
  });

  test('is refused by a no, whose reasons go into the next prompt', () => {
    const note = digest('why');
    const rejecting = { ...says(1, 'rejected'), note } as RunCommand;
    const events = led(...working(), asks(2, 'p1'), rejecting);
    expect(events.slice(1)).toMatchObject([
      { type: 'permission.answered', decision: 'deny', why: 'rejected', grant: null },
      { type: 'hint.added', text: note, by: 'ada' },
    ]);
    expect(runAfter(...working(), asks(2, 'p1'), rejecting)).toMatchObject({
      status: 'active',
      counters: { attempts: 0 },
    });
  });

  test('is refused when nobody answers in time, and the run goes on (UX 5.3)', () => {
    const waiting = [...working({ approvalsExpireMs: 1_000 }), asks(2, 'p1')];
    expect(led(...waiting, fire('gate_expiry', 1, 999))).toEqual([]);
    expect(led(...waiting, fire('gate_expiry', 1, 1_000))).toMatchObject([
      { type: 'gate.resolved', outcome: 'expired' },
      { type: 'permission.answered', decision: 'deny', why: 'expired' },
    ]);
    const late = decide(runAfter(...waiting, fire('gate_expiry', 1, 1_000)), says(1, 'approved'));
    expect(late).toMatchObject({ error: { code: 'approval.resolved', outcome: 'expired' } });
  });

  test('and takes it back is asked about no longer, at no cost, once (RR-26, RR-28)', () => {
    const waiting = [...working({ approvalsExpireMs: 1_000 }), asks(2, 'p1')];
    const leaves = (request: string, n = 2) =>
      command({ type: 'void_permission', execution: execution(n), request }, 5, driver);
    expect(led(...waiting, leaves('p1'))).toMatchObject([
      { type: 'gate.resolved', outcome: 'voided', by: 'pawl' },
      { type: 'permission.answered', decision: 'deny', why: 'withdrawn', grant: null },
    ]);
    const after = runAfter(...waiting, leaves('p1'));
    expect(after).toMatchObject({ status: 'active', stage: { execution: execution(2) } });
    expect(after).toMatchObject({ counters: { attempts: 0, requeues: 0, transfers: 0 } });
    expect(answerOf(...waiting, leaves('p1'))).toEqual([{ request: 'p1', decision: 'deny' }]);
    for (const [state, said] of [
      [runAfter(...waiting), leaves('p0')],
      [runAfter(...waiting), leaves('p1', 3)],
      [after, leaves('p1')],
      [runAfter(...working()), leaves('p1')],
    ] as const) {
      expect(decide(state, said)).toMatchObject({ error: { code: 'job.stale' } });
    }
    expect(decide(after, says(1, 'approved'))).toMatchObject({
      error: { code: 'approval.resolved', outcome: 'voided' },
    });
  });

  test('asks anew for another call, and for the same one in the same execution', () => {
    const once = [...working(), asks(2, 'p1'), says(1, 'approved')];
    expect(led(...once, asks(2, 'p2', 'push --force'))).toMatchObject([{ type: 'gate.opened' }]);
    expect(led(...once, asks(2, 'p2'))).toMatchObject([{ type: 'gate.opened' }]);
  });

  test('asks anew in the next attempt, also where a turn ended without a result', () => {
    const once = [...working(), asks(2, 'p1'), says(1, 'approved')];
    const invalid = sealed(2, failed('invalid_result'));
    expect(led(...once, invalid).map(({ type }) => type)).toContain('attempt.ended');
    expect(led(...once, invalid).map(({ type }) => type)).not.toContain('turn.ended');
    expect(led(...once, invalid, asks(3, 'p1'))).toMatchObject([{ type: 'gate.opened' }]);
  });

  test('is not asked again for what was allowed for the run', () => {
    const forRun = [...working(), asks(2, 'p1'), says(1, 'approved', { forRun: true })];
    expect(told(...forRun, asks(2, 'p2'), asks(2, 'p3')).slice(1)).toEqual([
      ['p2', 'allow', 'matched'],
      ['p3', 'allow', 'matched'],
    ]);
    expect(led(...forRun, asks(2, 'p2', 'other'))).toMatchObject([{ type: 'gate.opened' }]);
  });
});

describe('a lane that dies (DESIGN 7, L-H5)', () => {
  test('while it waits: the approval is voided, and the same attempt goes on without a yes', () => {
    const waiting = [...working(), asks(2, 'p1')];
    expect(led(...waiting, died(2))).toMatchObject([
      { type: 'gate.resolved', outcome: 'voided' },
      { type: 'usage.recorded' },
      { type: 'error.signalled' },
      { type: 'recovery.recorded', action: 'requeue' },
      { type: 'job.dispatched', n: 3, attempt: 1, point: { session: 'resume' } },
    ]);
    expect(decide(runAfter(...waiting, died(2)), says(1, 'approved'))).toMatchObject({
      error: { code: 'approval.resolved', outcome: 'voided' },
    });
    expect(led(...waiting, died(2), asks(3, 'p1'))).toMatchObject([
      { type: 'gate.opened', gate: { approval: 'run1.a2' } },
    ]);
  });

  test('after a yes: its successor is not asked again for exactly that call, once', () => {
    const dead = [...working(), asks(2, 'p1'), says(1, 'approved'), died(2)];
    expect(led(...dead, asks(3, 'p1'))).toMatchObject([
      { type: 'permission.answered', execution: 'run1.3', why: 'matched', approval: 'run1.a1' },
    ]);
    expect(led(...dead, asks(3, 'p1', 'other'))).toMatchObject([{ type: 'gate.opened' }]);
    expect(led(...dead, asks(3, 'p1'), asks(3, 'p2'))).toMatchObject([{ type: 'gate.opened' }]);
    expect(told(...dead, asks(3, 'p1'), died(3), asks(4, 'p1')).at(-1)).toEqual([
      'p1',
      'allow',
      'matched',
    ]);
  });

  test('a yes for once does not outlive its turn', () => {
    const asked = [...working(), asks(2, 'p1'), says(1, 'approved')];
    const question = sealed(2, executed({ outcome: 'question' }));
    const answered = command({ type: 'answer', text: digest('a') });
    expect(led(...asked, question, answered, asks(3, 'p1'))).toMatchObject([
      { type: 'gate.opened' },
    ]);
  });

  test('its own end counts, too: what it did is verified, and nothing is left open', () => {
    expect(led(...working(), asks(2, 'p1'), sealed(2, executed()))).toMatchObject([
      { type: 'gate.resolved', outcome: 'voided' },
      { type: 'usage.recorded' },
      { type: 'turn.ended' },
      { type: 'job.dispatched', point: { job: 'verify' } },
    ]);
    expect(led(...working(), asks(2, 'p1'), sealed(2, failed('auth_required')))).toMatchObject([
      { outcome: 'voided' },
      ...[{ type: 'usage.recorded' }, { type: 'error.signalled' }, { type: 'recovery.recorded' }],
      { type: 'run.parked', reason: 'auth_required' },
    ]);
  });
});

test('a cancel ends the lane that waits; it is not left alone with its question (R7)', () => {
  const waiting = [...working(), asks(2, 'p1')];
  const cancel = command({ type: 'cancel', note: 'enough' });
  expect(led(...waiting, cancel)).toMatchObject([
    { type: 'gate.resolved', outcome: 'voided' },
    { type: 'cancel.requested', execution: 'run1.2' },
  ]);
});

test('trouble of ours parks the run, and asks the lane to end', () => {
  const parking = command({ type: 'park_internal_error', detail: 'a bug' }, 0, driver);
  expect(led(...working(), asks(2, 'p1'), parking)).toMatchObject([
    { type: 'gate.resolved', outcome: 'voided' },
    { type: 'run.parked', withdraws: 'run1.2', ...goesOn({ job: 'execute', tree: 'new' }) },
  ]);
});

test('who is not awaited asks in vain', () => {
  const asked = decide(runAfter(...working()), asks(1, 'p1'));
  expect(asked).toMatchObject({ ok: false, error: { code: 'job.stale' } });
});
