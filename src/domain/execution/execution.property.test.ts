/**
 * Goal: X1–X5, X8 and X9 hold whatever is said to one execution, by whomever, in any order.
 * Method: arbitrary commands with right, wrong and late grants; every decision is looked at.
 */
import fc from 'fast-check';
import { test } from 'vitest';
import {
  answer,
  ask,
  dispatched,
  grantId,
  holder,
  say,
} from '../../../test/support/execution-fixtures.ts';
import { digest, executed, failed } from '../../../test/support/run-fixtures.ts';
import { invariant as must } from '../../kernel/invariant.ts';
import type { Fence } from '../ids.ts';
import { decide } from './decide.ts';
import { evolve } from './evolve.ts';
import type { ExecutionCommand, ExecutionEvent, ExecutionRejection } from './message.ts';
import type { Execution, ExecutionStatus } from './state.ts';

const numRuns = Number(process.env['PROPERTY_RUNS'] ?? 2_000);
const name = fc.constantFrom('g1', 'g2', 'g3').map(grantId);
const seal = fc.constantFrom('s1', 's2').map(digest);
const proof = fc.constantFrom('kernel' as const, 'marker+tree' as const, 'unproven' as const);
const failure = fc.constantFrom(
  'lane_died' as const,
  'window_exhausted' as const,
  'unknown_outcome' as const,
  'invalid_result' as const,
);

const anyCommand: fc.Arbitrary<ExecutionCommand> = fc.oneof(
  name.map((id) => say({ type: 'claim', grantId: id, nonce: id, fence: 1 as Fence, holder })),
  name.map((id) => say({ type: 'start', grantId: id, rung: 'cgroup', pid: 7 })),
  name.map((id) => say({ type: 'checkpoint', grantId: id, body: digest('b') })),
  fc
    .tuple(
      name,
      seal,
      fc.constantFrom(executed(), executed({ outcome: 'invalid_result' }), failed('lane_died')),
    )
    .map(([id, bytes, result]) => say({ type: 'result', grantId: id, seal: bytes, result })),
  fc.tuple(name, fc.constantFrom('p1', 'p2')).map(([id, request]) => ask(id, request)),
  fc.constantFrom('p1', 'p2').map((request) => answer(request)),
  fc.constant(say({ type: 'request_cancel' })),
  fc.tuple(name, proof).map(([id, how]) => say({ type: 'cancel_ack', grantId: id, proof: how })),
  fc
    .tuple(failure, proof)
    .map(([why, how]) => say({ type: 'lose', class: why, proof: how, detail: 'gone' })),
  fc.integer({ min: 1, max: 4 }).map((n) => say({ type: 'nudge', n, detail: 'nothing moves' })),
  fc.constant(say({ type: 'withdraw', reason: 'pause' })),
  fc.boolean().map((happened) => say({ type: 'reconcile', happened })),
);

interface Step {
  readonly before: Execution;
  readonly command: ExecutionCommand;
  readonly events: readonly ExecutionEvent[];
  readonly rejection: ExecutionRejection | null;
  readonly next: Execution;
  readonly former: readonly Step[];
}

function always(check: (step: Step) => void): void {
  fc.assert(
    fc.property(fc.array(anyCommand, { maxLength: 40, size: 'max' }), (commands) => {
      let before = evolve(null, dispatched);
      const former: Step[] = [];
      for (const command of commands) {
        const decision = decide(before, command);
        const events = decision.ok ? decision.value : [];
        const next = events.reduce<Execution>(evolve, before);
        const step = { before, command, events, rejection: decision.ok ? null : decision.error };
        const whole = { ...step, next, former: [...former] };
        check(whole);
        former.push(whole);
        before = next;
      }
    }),
    { numRuns },
  );
}

const terminal: readonly ExecutionStatus[] = ['SUCCEEDED', 'FAILED', 'CANCELLED', 'EXHAUSTED'];

test('X1: at most one grant is ever given, and DISPATCHED is left by work with a grant alone', () => {
  always(({ before, next, events, former }) => {
    const grants = [...former.flatMap((step) => step.events), ...events];
    const given = grants.filter(({ type }) => type === 'execution.leased').length;
    must(given <= 1, `${given} grants`);
    if (before.status !== 'DISPATCHED' || next.status === 'DISPATCHED') return;
    must(next.grant !== null || next.status === 'CANCELLED', `it left as ${next.status}`);
  });
});

test('X2: only the current grant starts, checkpoints, seals or acknowledges a cancel', () => {
  always(({ before, command, events }) => {
    if (!('grantId' in command) || command.type === 'claim' || events.length === 0) return;
    must(before.grant?.id === command.grantId, `${command.type} by another`);
  });
});

test('X3: a lost lease leads to RECOVERING and never to SUCCEEDED', () => {
  always(({ command, events, next, former }) => {
    if (command.type === 'lose' && events.length > 0) {
      must(events[0]?.type === 'execution.recovering', 'it recovers first');
    }
    const isLost = [...former.flatMap((step) => step.events), ...events].some(
      ({ type }) => type === 'execution.recovering',
    );
    must(!isLost || next.status !== 'SUCCEEDED', 'lost, and yet a success');
  });
});

test('X4: a terminal execution never changes again; the same seal again is acknowledged again', () => {
  always(({ before, command, events, next, rejection }) => {
    if (!terminal.includes(before.status)) return;
    must(events.length === 0 && next === before, `${command.type} changed it`);
    if (command.type !== 'result' || before.seal === null) return;
    if (command.grantId !== before.grant?.id || command.seal !== before.seal) return;
    must(rejection?.code === 'already.accepted', 'it is not acknowledged again');
  });
});

test('X5: UNKNOWN leaves by reconciliation alone', () => {
  always(({ before, command, next }) => {
    if (before.status !== 'UNKNOWN' || next.status === 'UNKNOWN') return;
    must(command.type === 'reconcile', `${command.type} ended it`);
  });
});

test('X8: a request is answered once, by the run alone, and only while its lane waits', () => {
  always(({ before, command, events, next }) => {
    const isAnswer = events.some(({ type }) => type === 'execution.answered');
    if (isAnswer) {
      must(command.type === 'answer' && before.status === 'WAITING_HUMAN', 'answered unasked');
      must(before.asked?.request === next.answer?.request, 'the answer to another request');
    }
    must(
      (next.asked !== undefined) === (next.status === 'WAITING_HUMAN'),
      'it waits without asking',
    );
  });
});

test('X9: nudges are numbered without a gap, each is said once, and only to a lane that works', () => {
  always(({ before, command, events, next }) => {
    const told = before.nudges ?? 0;
    const isNudge = events.some(({ type }) => type === 'execution.nudged');
    if (!isNudge) return must((next.nudges ?? 0) === told, 'nudged without a word');
    must(command.type === 'nudge' && command.n === told + 1, 'a nudge out of turn');
    must(next.nudges === told + 1, 'a nudge that is not counted');
    must(['LEASED', 'RUNNING', 'CHECKPOINTED'].includes(before.status), 'nudged at no work');
  });
});
