/**
 * Goal: a council is asked of a parked run and changes nothing of it (EV-7, EV-16, EV-68).
 * Method: given/when/yields over the decider of the run.
 */
import { expect, test } from 'vitest';
import {
  afterWith,
  at,
  automation,
  command,
  commit,
  digest,
  executed,
  execution,
  failed,
  fire,
  history,
  jobEnded,
  led,
  resume,
  runAfter,
  sealed,
  start,
  terms,
  usage,
  verified,
  verifying,
} from '../../../test/support/run-fixtures.ts';
import { specification } from '../../../test/support/specification.ts';
import { decide } from './decide.ts';
import { evolve, initialRun } from './evolve.ts';
import { react } from './react.ts';
import type { LivingRun } from './state.ts';
import { opinionWaitMs } from './timing.ts';

const given = specification({ decide, evolve, initialState: initialRun });
const brakes = { ...terms.brakes, attempts: 1 };
const parked = [...verifying({ brakes }), sealed(3, verified({ outcome: 'failed' }))] as const;
const consult = (profiles: readonly string[] | null = null, ms = 0) =>
  command({ type: 'consult', profiles }, ms);
const asked = [...parked, consult()] as const;
const cost = usage.costUsd ?? 0;
const advised = (n: number) => sealed(n, { kind: 'advised', text: digest(`opinion${n}`), usage });

/** Everything but what a council may change: the number of the newest execution, and the sum. */
function restOf({ counters, spent: _, ...run }: LivingRun) {
  const {
    council: _council,
    leaving: _leaving,
    ...rest
  } = run as LivingRun & { council?: unknown };
  return { ...rest, counters: { ...counters, executions: 0 } };
}

test('each profile is asked in an execution of its own, over the newest work (EV-68)', () =>
  given(...history(...parked))
    .when(consult(['oracle', 'test'], 5))
    .yields(
      {
        type: 'council.asked',
        profiles: ['oracle', 'test'],
        agent: 'demo',
        role: 'verify',
        by: 'ada',
        channel: 'terminal',
        at: at(5),
      },
      ...(['oracle', 'test'] as const).map((profile, index) => ({
        type: 'opinion.asked' as const,
        profile,
        execution: execution(4 + index),
        n: 4 + index,
        commit: commit('c1'),
        dueAt: at(5 + opinionWaitMs),
        at: at(5),
      })),
    ));

test('the usual council is small, and the agent that works is asked where none judges (EV-16)', () => {
  const [first, ...opinions] = led(
    ...verifying({ brakes, checker: null }),
    sealed(3, verified({ outcome: 'failed' })),
    consult(),
  );
  expect(first).toMatchObject({
    type: 'council.asked',
    profiles: ['oracle', 'explorer', 'fixer'],
    agent: 'demo',
    role: 'execute',
  });
  expect(opinions).toHaveLength(3);
});

test('what it says is kept, costs, and changes nothing else (EV-7)', () => {
  const before = afterWith('needs_operator', ...parked);
  const heard = runAfter(...asked, advised(4), advised(5), advised(6));
  expect(restOf(heard)).toEqual(restOf(before));
  expect(heard).not.toHaveProperty('council');
  expect(heard.spent.costUsd).toBe(before.spent.costUsd + 3 * cost);
  expect(led(...asked, advised(5))).toEqual([
    { type: 'usage.recorded', execution: execution(5), usage, at: at(0) },
    {
      type: 'opinion.ended',
      profile: 'explorer',
      execution: execution(5),
      outcome: 'given',
      text: digest('opinion5'),
      detail: '',
      at: at(0),
    },
  ]);
});

test('asked again it is the same council; another one is refused while it is open', () => {
  expect(led(...asked, consult())).toEqual([]);
  expect(led(...asked, consult(['fixer', 'oracle', 'explorer']))).toEqual([]);
  given(...history(...asked))
    .when(consult(['test']))
    .rejects({ code: 'council.open', profiles: ['oracle', 'explorer', 'fixer'] });
  const over = [...asked, advised(4), advised(5), advised(6), consult(['test'])] as const;
  expect(led(...over).map(({ type }) => type)).toEqual(['council.asked', 'opinion.asked']);
});

test.each([
  { profiles: ['council'], says: 'a council is none of its own members' },
  { profiles: ['oracle', 'sage'], says: '"sage" is no profile' },
  { profiles: ['oracle', 'oracle'], says: 'oracle is named twice' },
  { profiles: [], says: 'a council has 1 to 5 profiles' },
  {
    profiles: ['oracle', 'test', 'observer', 'fixer', 'designer', 'explorer'],
    says: 'a council has 1 to 5 profiles',
  },
])('$profiles cannot be asked: $says (EV-16)', ({ profiles, says }) => {
  const decided = decide(runAfter(...parked), consult(profiles));
  expect(decided).toMatchObject({ ok: false, error: { code: 'council.invalid', says } });
});

test('only of a parked run, and only by a human (EV-7)', () => {
  const working = decide(runAfter(start()), consult());
  expect(working).toMatchObject({ ok: false, error: { code: 'run.wrong_state' } });
  const forged = decide(runAfter(...parked), { ...consult(), principal: automation });
  expect(forged).toEqual({
    ok: false,
    error: { code: 'principal.human_required', command: 'consult' },
  });
});

test('a lane that dies is asked again twice, then its opinion is unavailable; the others come', () => {
  const died = (n: number) => sealed(n, failed('lane_died', { usage }));
  const again = led(...asked, died(5));
  expect(again.at(-1)).toMatchObject({
    type: 'opinion.asked',
    profile: 'explorer',
    execution: execution(7),
    after: { execution: execution(5), class: 'lane_died', action: 'requeue' },
  });
  const dead = [...asked, died(5), died(7), died(8)] as const;
  expect(led(...dead).at(-1)).toMatchObject({
    type: 'opinion.ended',
    profile: 'explorer',
    outcome: 'unavailable',
    detail: 'lane died: because of lane_died',
  });
  const before = afterWith('needs_operator', ...parked);
  const heard = runAfter(...dead, advised(4), advised(6));
  expect(restOf(heard)).toEqual(restOf(before));
  expect(heard).not.toHaveProperty('council');
});

test('one that leaves without a word may do it twice as well, and one that is limited is not awaited', () => {
  const left = (n: number) => sealed(n, failed('lane_died', { cleanExit: true }));
  const twice = [...asked, left(4), left(7)] as const;
  expect(led(...twice).at(-1)).toMatchObject({ type: 'opinion.asked', execution: execution(8) });
  expect(led(...twice, left(8)).at(-1)).toMatchObject({ outcome: 'unavailable' });
  const limited = led(...asked, sealed(4, failed('rate_limited')));
  expect(limited.at(-1)).toMatchObject({ type: 'opinion.ended', outcome: 'unavailable' });
});

test('whoever hands in what another kind of job does has given no opinion', () => {
  const [spent, ended] = led(...asked, sealed(4, executed()));
  expect([spent?.type, ended?.type]).toEqual(['usage.recorded', 'opinion.ended']);
  expect(ended).toMatchObject({ outcome: 'unavailable' });
});

test('a host that cannot be started, and a time that is over, end one opinion each', () => {
  const body = { type: 'fail_dispatch', detail: 'EAGAIN', execution: execution(4) } as const;
  const undispatched = { ...command(body), principal: fire('wait', 1, 0).principal };
  expect(led(...asked, undispatched)).toMatchObject([
    { type: 'opinion.ended', profile: 'oracle', detail: 'Dispatch failed: EAGAIN', isLeft: true },
  ]);
  const early = led(...asked, fire('opinions', 6, opinionWaitMs - 1));
  expect(early).toEqual([]);
  const late = led(...asked, advised(4), fire('opinions', 6, opinionWaitMs));
  expect(late).toMatchObject([
    { type: 'opinion.ended', profile: 'explorer', outcome: 'unavailable', isLeft: true },
    { type: 'opinion.ended', profile: 'fixer', outcome: 'unavailable', isLeft: true },
  ]);
});

test.each([
  resume({ grants: { attempts: 1 } }),
  command({ type: 'accept', reason: 'good enough' }),
  command({ type: 'cancel', note: '' }),
])(
  '$type lets the run go on at once, and whoever is still asked is asked to end (EV-7)',
  (next) => {
    const some = [...asked, advised(5)] as const;
    const events = led(...some, next);
    const closing = events.slice(0, 2);
    expect(closing).toMatchObject([
      { type: 'opinion.ended', profile: 'oracle', outcome: 'cancelled', isLeft: true },
      { type: 'opinion.ended', profile: 'fixer', outcome: 'cancelled', isLeft: true },
    ]);
    // Nothing of the rest is otherwise than without a council, but numbers.
    const without = led(...parked, next).map(({ type }) => type);
    expect(events.slice(2).map(({ type }) => type)).toEqual(without);
    const state = runAfter(...some);
    const works = closing.flatMap((event) => react(evolve(state, event), event));
    expect(works).toMatchObject([
      { kind: 'cancel_execution', execution: execution(4) },
      { kind: 'set_timer', timer: 'opinions' },
      { kind: 'cancel_execution', execution: execution(6) },
      expect.anything(),
    ]);
    const gone = runAfter(...some, next);
    expect(gone.leaving).toEqual([execution(4), execution(6)]);
    // What they had spent until then counts, whatever the run is by now.
    const ack = jobEnded(4, { how: 'cancelled', proof: 'kernel', usage });
    const counted = runAfter(...some, next, ack);
    expect(counted.spent.costUsd).toBe(gone.spent.costUsd + cost);
    expect(counted).toMatchObject({ status: gone.status, leaving: [execution(6)] });
  },
);

test('one that nobody can prove ended is listed, and enters no tree of the run', () => {
  const unknown = jobEnded(4, { how: 'unknown', detail: 'lost' });
  expect(runAfter(...asked, unknown)).toMatchObject({ unproven: [execution(4)], nextTree: 'same' });
  const gone = [...asked, resume({ grants: { attempts: 1 } }), unknown] as const;
  expect(runAfter(...gone)).toMatchObject({ status: 'active', unproven: [execution(4)] });
});

test('an end that comes twice, or of nobody who was asked, changes nothing', () => {
  const twice = decide(runAfter(...asked, advised(4)), advised(4));
  expect(twice).toEqual({ ok: false, error: { code: 'job.stale', execution: execution(4) } });
});
