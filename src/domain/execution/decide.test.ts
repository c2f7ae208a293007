import { describe, expect, test } from 'vitest';
import {
  acknowledge,
  answer,
  ask,
  askCancel,
  begin,
  cancelRequested,
  checkpointed,
  claim,
  dispatch,
  dispatched,
  grant,
  grantId,
  id,
  inStatus,
  job,
  leased,
  lose,
  question,
  reconcile,
  save,
  say,
  seal,
  started,
  statuses,
  succeeded,
  unknown,
  withdraw,
} from '../../../test/support/execution-fixtures.ts';
import { digest, executed, failed, laneEnd } from '../../../test/support/run-fixtures.ts';
import { specification } from '../../../test/support/specification.ts';
import { decide } from './decide.ts';
import { evolve } from './evolve.ts';
import { jobOf } from './job.ts';
import type { ExecutionCommand, ExecutionEvent, ExecutionRejection } from './message.ts';
import type { Execution } from './state.ts';

const given = specification<Execution | null, ExecutionCommand, ExecutionEvent, ExecutionRejection>(
  { decide, evolve, initialState: null },
);

describe('a claim', () => {
  test('is needed to leave DISPATCHED by work (XP-32, X1)', () => {
    given(dispatched).when(claim()).yields(leased);
    given(dispatched)
      .when(begin())
      .rejects({ code: 'grant.stale', presented: grantId('g1') });
  });
  test('of what reaches no worker is for hosts of the server, which tell no labels', () => {
    const placed = { ...dispatched, job: { ...job, placement: { here: true } } } as const;
    given(placed).when(claim()).yields(leased);
    given(placed)
      .when({ ...claim(), labels: [] } as never)
      .rejects({ code: 'worker.unfit' });
  });
  test('with the same nonce is the same claim; another is too late', () => {
    given(dispatched, leased).when(claim()).rejects({ code: 'already.accepted' });
    given(dispatched, leased)
      .when(claim('g2', 'n2'))
      .rejects({ code: 'execution.taken', status: 'LEASED' });
    given(dispatched, leased, succeeded)
      .when(claim())
      .rejects({ code: 'execution.taken', status: 'SUCCEEDED' });
  });
});

describe('the holder', () => {
  test('starts, checkpoints, goes on, and seals (X2)', () => {
    given(dispatched, leased).when(begin()).yields(started);
    given(dispatched, leased, started).when(save()).yields(checkpointed);
    given(dispatched, leased, started, checkpointed).when(save()).yields(checkpointed);
    given(dispatched, leased, started, checkpointed).when(begin()).yields(started);
    given(dispatched, leased, started).when(seal()).yields(succeeded);
  });
  test('is told again what was accepted (XP-15, X4)', () => {
    given(dispatched, leased, started).when(begin()).rejects({ code: 'already.accepted' });
    given(dispatched, leased, started, succeeded)
      .when(seal())
      .rejects({ code: 'already.accepted' });
    given(dispatched, leased, succeeded)
      .when(seal('g1', 'other'))
      .rejects({ code: 'seal.conflict', accepted: digest('seal') });
  });
  test('does nothing out of order (XP-14)', () => {
    given(dispatched, leased)
      .when(save())
      .rejects({ code: 'execution.not_open', status: 'LEASED' });
    given(dispatched, leased, cancelRequested)
      .when(begin())
      .rejects({ code: 'execution.not_open', status: 'CANCEL_REQUESTED' });
    given(dispatched, leased)
      .when(acknowledge())
      .rejects({ code: 'execution.not_open', status: 'LEASED' });
  });
  test('with another grant is nobody (XP-9…XP-13, X2)', () => {
    const stale = { code: 'grant.stale', presented: grantId('g0') } as const;
    for (const late of [begin('g0'), save('g0'), seal('g0'), acknowledge('g0')]) {
      given(dispatched, leased, started).when(late).rejects(stale);
    }
  });
});

describe('a result', () => {
  test('that says it failed fails the execution with its class', () => {
    const result = failed('lane_died');
    given(dispatched, leased)
      .when(say({ type: 'result', grantId: grantId('g1'), seal: digest('seal'), result }))
      .yields({
        type: 'execution.failed',
        id,
        class: 'lane_died',
        proof: 'kernel',
        detail: result.detail,
        seal: digest('seal'),
        result,
      });
  });
  test('over its own time or budget exhausts it', () => {
    const result = failed('window_exhausted');
    given(dispatched, leased)
      .when(say({ type: 'result', grantId: grantId('g1'), seal: digest('seal'), result }))
      .yields({
        type: 'execution.exhausted',
        id,
        class: 'window_exhausted',
        proof: 'kernel',
        detail: result.detail,
        seal: digest('seal'),
        result,
      });
  });
  test('that is not what was agreed fails as invalid_result (DESIGN 4.2)', () => {
    const result = executed({ outcome: 'invalid_result', end: { ...laneEnd, proof: 'unproven' } });
    given(dispatched, leased)
      .when(seal('g1', 'seal', result))
      .yields({
        type: 'execution.failed',
        id,
        class: 'invalid_result',
        proof: 'unproven',
        detail: 'The result file is not what was agreed.',
        seal: digest('seal'),
        result,
      });
  });
  test('of an execution that was lost before is evidence, never a success (XP-11, XP-34, X3)', () => {
    const lost = lose();
    const events = decide([dispatched, leased].reduce<Execution | null>(evolve, null), lost);
    const after = events.ok ? events.value : [];
    given(dispatched, leased, ...after)
      .when(seal())
      .rejects({ code: 'grant.stale', presented: grantId('g1') });
  });
});

describe('a lane that asks for leave (X8)', () => {
  const asked = { type: 'execution.asked', id, ask: question } as const;
  const told = { request: 'p1', decision: 'allow' } as const;
  const answered = { type: 'execution.answered', id, answer: told } as const;
  test('is heard while it makes, one request at a time; a judge is not heard', () => {
    given(dispatched, leased).when(ask()).yields(asked);
    given(dispatched, leased, started).when(ask()).yields(asked);
    given(dispatched, leased, started, asked)
      .when(ask('g1', 'p2'))
      .rejects({ code: 'execution.not_open', status: 'WAITING_HUMAN' });
    const judging = { ...dispatched, job: { ...job, role: 'judge' } } as ExecutionEvent;
    given(judging, leased, started)
      .when(ask())
      .rejects({ code: 'execution.not_open', status: 'RUNNING' });
    given(dispatched, leased, started)
      .when(ask('g2'))
      .rejects({ code: 'grant.stale', presented: grantId('g2') });
  });
  test('asks the same again, and nothing is asked twice, answered or not', () => {
    given(dispatched, leased, asked).when(ask()).rejects({ code: 'already.accepted' });
    given(dispatched, leased, asked, answered).when(ask()).rejects({ code: 'already.accepted' });
  });
  test('is answered once, and only to what it asked', () => {
    given(dispatched, leased, asked).when(answer()).yields(answered);
    const closed = { code: 'execution.not_open' } as const;
    given(dispatched, leased, asked)
      .when(answer('p2'))
      .rejects({ ...closed, status: 'WAITING_HUMAN' });
    given(dispatched, leased, asked, answered)
      .when(answer())
      .rejects({ ...closed, status: 'RUNNING' });
    given(dispatched, leased)
      .when(answer())
      .rejects({ ...closed, status: 'LEASED' });
  });
});

describe('a cancel', () => {
  test('takes back what nobody holds, at once', () => {
    const cancelled = { type: 'execution.cancelled', id, proof: 'kernel' } as const;
    given(dispatched).when(askCancel).yields(cancelled);
    given(dispatched).when(withdraw).yields(cancelled);
    given(dispatched, leased).when(withdraw).rejects({ code: 'execution.taken', status: 'LEASED' });
  });
  test('asks the holder, who acknowledges with a proof', () => {
    given(dispatched, leased, started).when(askCancel).yields(cancelRequested);
    given(dispatched, leased, cancelRequested)
      .when(askCancel)
      .rejects({ code: 'already.accepted' });
    given(dispatched, leased, cancelRequested)
      .when(acknowledge())
      .yields({ type: 'execution.cancelled', id, proof: 'kernel' });
    given(dispatched, leased, cancelRequested, { type: 'execution.cancelled', id, proof: 'kernel' })
      .when(acknowledge())
      .rejects({ code: 'already.accepted' });
  });
  test('that comes after the seal was made does not undo the work', () =>
    given(dispatched, leased, cancelRequested).when(seal()).yields(succeeded));
  test('of what has ended is refused', () =>
    given(dispatched, leased, succeeded)
      .when(askCancel)
      .rejects({ code: 'execution.not_open', status: 'SUCCEEDED' }));
});

describe('a lost holder', () => {
  const recovering = { type: 'execution.recovering', id, detail: 'gone' } as const;
  const ended = { id, proof: 'kernel', detail: 'gone', seal: null, result: null } as const;
  test('leads through RECOVERING to a failed end, in one decision (X3)', () => {
    given(dispatched, leased)
      .when(lose())
      .yields(recovering, { type: 'execution.failed', class: 'lane_died', ...ended });
    given(dispatched, leased, recovering)
      .when(lose({ class: 'window_exhausted' }))
      .yields(recovering, { type: 'execution.exhausted', class: 'window_exhausted', ...ended });
  });
  test('that was asked to cancel has cancelled, when that is proven, else nobody can tell', () => {
    given(dispatched, leased, cancelRequested)
      .when(lose())
      .yields(recovering, { type: 'execution.cancelled', id, proof: 'kernel' });
    given(dispatched, leased, cancelRequested)
      .when(lose({ proof: 'unproven' }))
      .yields(recovering, { type: 'execution.unknown', id, detail: 'gone' });
  });
  test('with an outcome that nobody can prove is UNKNOWN', () =>
    given(dispatched, leased)
      .when(lose({ class: 'unknown_outcome' }))
      .yields(recovering, { type: 'execution.unknown', id, detail: 'gone' }));
  test('there is none where nobody held it', () =>
    given(dispatched).when(lose()).rejects({ code: 'execution.not_open', status: 'DISPATCHED' }));
});

describe('UNKNOWN', () => {
  test('leaves by reconciliation alone (X5)', () => {
    for (const late of [
      claim(),
      begin(),
      save(),
      seal(),
      askCancel,
      acknowledge(),
      lose(),
      withdraw,
    ]) {
      given(dispatched, leased, unknown).when(late).rejects({ code: 'execution.unknown_outcome' });
    }
    given(dispatched, leased, unknown)
      .when(reconcile)
      .yields({ type: 'execution.reconciled', id, happened: true });
    const events = [
      dispatched,
      leased,
      unknown,
      { type: 'execution.reconciled', id, happened: true },
    ] as const;
    expect(events.reduce<Execution | null>(evolve, null)).toMatchObject({ status: 'FAILED' });
  });
  test('is the only state to reconcile', () =>
    given(dispatched)
      .when(reconcile)
      .rejects({ code: 'execution.not_open', status: 'DISPATCHED' }));
});

test('an id is dispatched once, and nothing happens before (XP-32)', () => {
  given().when(dispatch).yields(dispatched);
  given(dispatched).when(dispatch).rejects({ code: 'execution.not_open', status: 'DISPATCHED' });
  given().when(claim()).rejects({ code: 'execution.not_open', status: 'none' });
  expect(() => evolve(null, leased)).toThrow(/begins with its dispatch/);
  const odd = { type: 'execution.exploded', id } as unknown as ExecutionEvent;
  expect(() => evolve(inStatus('RUNNING'), odd)).toThrow(/unreachable/);
  expect(evolve(inStatus('RUNNING'), checkpointed).status).toBe('CHECKPOINTED');
});

test('every one of the twelve states answers every command, and never by throwing (XP-32)', () => {
  const commands = [
    claim(),
    begin(),
    save(),
    seal(),
    askCancel,
    acknowledge(),
    lose(),
    withdraw,
    reconcile,
  ];
  for (const status of statuses) {
    for (const next of commands) {
      const decision = decide(inStatus(status), next);
      if (decision.ok) expect(decision.value.length).toBeGreaterThan(0);
    }
  }
});

test('WAITING_HUMAN is held: it can be sealed, cancelled and lost', () => {
  const waiting = { ...inStatus('WAITING_HUMAN'), grant };
  for (const next of [seal(), askCancel, lose()]) expect(decide(waiting, next).ok).toBe(true);
});

describe('a job is what the run dispatched', () => {
  const unborn = { status: 'unborn' } as const;
  const work = { kind: 'dispatch', execution: id, n: 1, attempt: 2, step: null } as const;
  const plain = { attempt: 2, step: null, commit: null, tree: 'same', session: 'fresh' } as const;
  test('to prepare', () =>
    expect(jobOf({ ...work, point: { job: 'prepare' } }, unborn)).toEqual({
      ...plain,
      role: 'prepare',
    }));
  test('to execute, also with files put back', () => {
    const point = { job: 'execute', session: 'resume', tree: 'new', commit: null } as const;
    const execute = { ...plain, role: 'execute', tree: 'new', session: 'resume' };
    expect(jobOf({ ...work, point }, unborn)).toEqual(execute);
    expect(jobOf({ ...work, point: { ...point, restore: true } }, unborn)).toEqual({
      ...execute,
      restore: true,
    });
  });
  test('to verify or to judge', () => {
    const point = { job: 'verify', commit: null, step: 1 } as const;
    expect(jobOf({ ...work, point, step: 'checks' }, unborn)).toEqual({
      ...plain,
      role: 'verify',
      step: 1,
    });
    expect(jobOf({ ...work, point, step: 'judge' }, unborn)).toEqual({
      ...plain,
      role: 'judge',
      step: 1,
    });
  });
});
