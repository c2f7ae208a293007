import { describe, expect, test } from 'vitest';
import {
  afterWith,
  at,
  checks,
  command,
  commit,
  digest,
  executed,
  executePoint,
  execution,
  failed,
  fire,
  goesOn,
  history,
  jobEnded,
  judge,
  lane,
  led,
  manual,
  prepared,
  resume,
  sealed,
  start,
  terms,
  verified,
  verifying,
  verifyPoint,
  working,
} from '../../../test/support/run-fixtures.ts';
import { specification } from '../../../test/support/specification.ts';
import type { FailureClass } from '../execution/state.ts';
import { decide } from './decide.ts';
import { evolve, initialRun } from './evolve.ts';
import type { ResumeOptions, RunCommand } from './message.ts';
import { isMet } from './needs.ts';
import { covers, namePaths, uncovered } from './paths.ts';
import { type ParkReason, parkReasons } from './state.ts';

const given = specification({ decide, evolve, initialState: initialRun });
const exhausted = [
  ...verifying({ brakes: { ...terms.brakes, attempts: 1 } }),
  sealed(3, verified({ outcome: 'failed', summary: '1 failed' })),
];
const drifted = [
  ...working(),
  sealed(2, executed({ findings: [{ kind: 'drift', paths: ['a', 'docs/b'], more: 0 }] })),
];
const asking = [...working(), sealed(2, executed({ outcome: 'question', text: digest('q') }))];
const stopped = (failure: FailureClass) => [...working(), sealed(2, failed(failure))];

describe('what a resume needs (DESIGN 13)', () => {
  const lacking = (reason: ParkReason, ...needs: string[]) =>
    ({ code: 'grant.needed', reason, needs }) as const;
  test('attempts spent: more attempts', () => {
    given(...history(...exhausted))
      .when(resume())
      .rejects(lacking('attempts_exhausted', '--attempts +n'));
    expect(led(...exhausted, resume({ grants: { attempts: 2 } }))).toMatchObject([
      { type: 'run.resumed', granted: { attempts: 3 }, by: 'ada', channel: 'terminal' },
      {
        type: 'job.dispatched',
        attempt: 2,
        why: 'resumed',
        point: executePoint({ commit: commit('c1') }),
      },
    ]);
  });
  test('a grant that adds nothing is none', () => {
    for (const attempts of [0, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
      const rejection = lacking('attempts_exhausted', '--attempts +n');
      given(...history(...exhausted))
        .when(resume({ grants: { attempts } }))
        .rejects(rejection);
    }
  });
  test('drift: put back, or allow all of it', () => {
    const rejection = lacking('drift_detected', '--restore | --allow <path>…');
    given(...history(...drifted))
      .when(resume())
      .rejects({ ...rejection, open: { paths: ['a', 'docs/b'], more: 0, given: [] } });
    given(...history(...drifted))
      .when(resume({ allow: ['a'] }))
      .rejects({ ...rejection, open: { paths: ['docs/b'], more: 0, given: ['a'] } });
    expect(led(...drifted, resume({ allow: ['a', 'docs/'] }))).toMatchObject([
      { type: 'run.resumed', allowed: ['a', 'docs/'] },
      { type: 'job.dispatched', point: verifyPoint() },
    ]);
  });
  test('drift that is put back is put back by the verifier: the turn had ended (XP-33)', () => {
    const back = [...drifted, resume({ restore: true })];
    expect(led(...back)).toMatchObject([
      { type: 'run.resumed' },
      { type: 'job.dispatched', attempt: 1, point: { ...verifyPoint(), restore: true } },
    ]);
    const mended = sealed(3, verified({ commit: commit('mended') }));
    expect(afterWith('complete', ...back, mended)).toMatchObject({ head: 'mended' });
  });
  test('who looks first and changes nothing puts nothing back: the agent goes on without it', () => {
    const found = (kind: 'drift' | 'protected') => [{ kind, paths: ['ci.yml'], more: 0 }] as const;
    for (const step of [judge, manual]) {
      for (const kind of ['drift', 'protected'] as const) {
        const parked = [
          ...working({ steps: [step] }),
          sealed(2, executed({ findings: found(kind) })),
        ];
        expect(led(...parked, resume({ restore: true })).at(-1)).toMatchObject({
          point: { job: 'execute', session: 'resume', restore: true, commit: 'c1' },
        });
      }
    }
  });
  test('an allowance of what drifted is none of the protected files beside it (L-A10)', () => {
    const findings = [
      { kind: 'drift', paths: ['a', 'ci.yml'], more: 0 },
      { kind: 'protected', paths: ['ci.yml', 'golden/x'], more: 2 },
    ] as const;
    const both = [...working(), sealed(2, executed({ findings }))];
    expect(afterWith('needs_operator', ...both)).toMatchObject({
      reason: 'drift_detected',
      detail:
        'changed outside the scope: a, ci.yml; protected files changed: ci.yml, golden/x and 2 more',
      paths: ['a', 'ci.yml', 'golden/x'],
      more: 2,
    });
    given(...history(...both))
      .when(resume({ allow: ['a', 'ci.yml'] }))
      .rejects({
        ...lacking('drift_detected', '--restore | --allow <path>…'),
        open: { paths: ['golden/x'], more: 2, given: ['a', 'ci.yml'] },
      });
    const policy = [...working({ onProtected: 'restore' }), sealed(2, executed({ findings }))];
    expect(led(...policy, resume({ allow: ['a', 'ci.yml'] })).at(-1)).toMatchObject({
      point: verifyPoint(),
    });
  });
  test('protected files that are put back are put back by the verifier', () => {
    const found = { kind: 'protected', paths: ['ci.yml'], more: 0 } as const;
    const touched = [...working(), sealed(2, executed({ findings: [found] }))];
    expect(led(...touched, resume({ restore: true })).at(-1)).toMatchObject({
      point: { job: 'verify', step: 0, restore: true },
    });
  });
  test('in the own folder nothing is put back: only an allowance lifts it (UX 2.4)', () => {
    const found = { kind: 'protected', paths: ['ci.yml'], more: 0 } as const;
    const touched = (onProtected: 'park' | 'restore') => [
      ...working({ git: false, onProtected }),
      sealed(2, executed({ findings: [found] })),
    ];
    expect(afterWith('needs_operator', ...touched('restore')).reason).toBe('protected_changed');
    given(...history(...touched('park')))
      .when(resume({ restore: true }))
      .rejects({
        ...lacking('protected_changed', '--allow <path>…'),
        open: { paths: ['ci.yml'], more: 0, given: [] },
      });
    expect(led(...touched('park'), resume({ allow: ['ci.yml'] })).at(-1)).toMatchObject({
      point: verifyPoint(),
    });
  });
  test('a question: an answer, and nothing else (L-H16)', () => {
    given(...history(...asking))
      .when(resume())
      .rejects(lacking('blocked_by_question', 'answer'));
    given(...history(...asking))
      .when(resume({ verifyNow: { commit: commit('c1') } }))
      .rejects(lacking('blocked_by_question', 'answer'));
    const answer = command({ type: 'answer', text: digest('yes') });
    expect(led(...asking, answer)).toMatchObject([
      { type: 'question.answered', text: 'yes', by: 'ada' },
      { type: 'run.resumed' },
      { type: 'job.dispatched', attempt: 1, point: { job: 'execute', session: 'resume' } },
    ]);
    expect(afterWith('active', ...asking, answer)).toMatchObject({
      answer: 'yes',
      addedContext: ['yes'],
      counters: { resumed: 1 },
    });
    expect(afterWith('active', ...asking, answer, sealed(3, executed())).answer).toBeNull();
  });
  test('an answer that is not asked for is refused with what fits', () =>
    given(...history(...exhausted))
      .when(command({ type: 'answer', text: digest('yes') }))
      .rejects({
        code: 'run.wrong_state',
        status: 'needs_operator',
        reason: 'attempts_exhausted',
        next: ['resume --attempts +3', 'accept --reason "…"', 'cancel'],
      }));
  test('an unknown outcome: what happened, and its execution is reconciled (X5)', () => {
    const lost = [...working(), jobEnded(2, { how: 'unknown', detail: 'lost' })];
    given(...history(...lost))
      .when(resume())
      .rejects(lacking('unknown_outcome', '--happened | --did-not-happen'));
    expect(led(...lost, resume({ happened: false }))).toMatchObject([
      { type: 'run.resumed', happened: false },
      { type: 'job.dispatched', point: { job: 'execute', tree: 'new' } },
    ]);
  });
  test('a conversation too long twice: a fresh one in a new tree (L-F9)', () => {
    const long = [...stopped('context_overflow'), sealed(3, failed('context_overflow'))];
    given(...history(...long))
      .when(resume())
      .rejects(lacking('context_overflow', '--fresh'));
    expect(led(...long, resume({ fresh: true })).at(-1)).toMatchObject({
      point: executePoint({ tree: 'new' }),
    });
  });
  test('every reason says whether its options suffice', () => {
    const parked = afterWith('needs_operator', ...exhausted);
    const all = { attempts: 1, costUsd: 1, tokens: 1, steps: 1, timeMs: 1 };
    const options: ResumeOptions = { grants: all, happened: true, fresh: true, restore: true };
    for (const reason of Object.values(parkReasons).flat() as readonly ParkReason[]) {
      expect(isMet({ ...parked, reason }, options), reason).toBe(reason !== 'blocked_by_question');
    }
    const hint = { grants: {}, hint: digest('h') };
    expect(isMet({ ...parked, reason: 'no_progress' }, hint)).toBe(true);
    expect(isMet({ ...parked, reason: 'no_progress' }, { grants: {} })).toBe(false);
  });
  test('paths beyond the list cannot be named, so only a whole folder takes them in', () => {
    const parked = { ...afterWith('needs_operator', ...drifted), more: 3 };
    expect(isMet(parked, { grants: {}, allow: ['a', 'docs/b'] })).toBe(false);
    expect(isMet(parked, { grants: {}, allow: ['**'] })).toBe(true);
  });
});

describe('a resume', () => {
  test('is a human’s (R2)', () =>
    given(...history(...exhausted))
      .when(resume({ grants: { attempts: 1 } }, 0, lane))
      .rejects({ code: 'principal.human_required', command: 'resume' }));
  test('that would be parked again at once is refused with what is lacking', () => {
    const broke = [
      ...working({ brakes: { ...terms.brakes, costUsd: 1 } }),
      sealed(2, failed('auth_required', { usage: { ...executed().usage, costUsd: 5 } })),
    ];
    given(...history(...broke))
      .when(resume())
      .rejects({ code: 'grant.needed', reason: 'cost', needs: ['--cost +n'] });
    expect(led(...broke, resume({ grants: { costUsd: 10 } }))[0]).toMatchObject({
      granted: { costUsd: 11 },
    });
  });
  test('resets recovery and signals, and counts itself (RR-30, R8)', () => {
    const dead = [2, 3, 4].map((n) => sealed(n, failed('lane_died')));
    const run = afterWith('active', ...working(), ...dead, resume());
    expect(run.counters).toMatchObject({
      resumed: 1,
      requeues: 0,
      unhealedErrors: 0,
      totalErrors: 3,
    });
  });
  test('may carry a hint (L-C14)', () =>
    expect(led(...stopped('auth_required'), resume({ hint: digest('h') }))).toMatchObject([
      { type: 'run.resumed' },
      { type: 'hint.added', text: 'h', by: 'ada' },
      { type: 'job.dispatched' },
    ]));
  test('may go back to the best attempt, in a new tree (UX 5.1)', () => {
    const options = { grants: { attempts: 1 } };
    expect(led(...exhausted, resume({ ...options, fromAttempt: 1 })).at(-1)).toMatchObject({
      point: executePoint({ tree: 'new', commit: commit('c1') }),
    });
    given(...history(...exhausted))
      .when(resume({ ...options, fromAttempt: 7 }))
      .rejects({ code: 'attempt.unknown', attempt: 7 });
  });
  test('of a setup that failed prepares again, whatever else is asked', () => {
    const unset = [start(), sealed(1, prepared({ setup: 'failed' }))];
    expect(led(...unset, resume({ fresh: true })).at(-1)).toMatchObject({
      point: { job: 'prepare' },
    });
  });
  test('of a review that expired asks again', () => {
    const steps = [checks, manual];
    const seen = [...verifying({ steps, approvalsExpireMs: 10 }), sealed(3, verified())];
    const late = fire('gate_expiry', 1, 10);
    expect(led(...seen, late).map(({ type }) => type)).toEqual(['gate.resolved', 'run.parked']);
    expect(led(...seen, late, resume({}, 20)).at(-1)).toMatchObject({
      type: 'gate.opened',
      gate: { kind: 'manual', approval: 'run1.a2', step: 1 },
    });
  });
  test('where nothing waits for one is refused (UX 2.2)', () => {
    given(...history(...working()))
      .when(resume())
      .rejects({
        code: 'run.wrong_state',
        status: 'active',
        reason: null,
        next: ['watch', 'hint "…"', 'pause', 'cancel'],
      });
  });
});

describe('verify now', () => {
  const verifyNow = resume({ verifyNow: { commit: commit('mine') } });
  test('judges the work as it is, without an attempt and without a grant (ruling 3)', () => {
    expect(led(...exhausted, verifyNow).at(-1)).toMatchObject({
      type: 'job.dispatched',
      attempt: 1,
      point: { job: 'verify', commit: 'mine', step: 0, back: { reason: 'attempts_exhausted' } },
    });
  });
  test('what it looked at is the head, passed or not, and what a later look is about (R9)', () => {
    const no = sealed(4, verified({ commit: commit('mine'), outcome: 'failed' }));
    const { head, ...run } = afterWith('needs_operator', ...exhausted, verifyNow, no);
    expect(head).toBe('mine');
    expect(run).toMatchObject(goesOn({ commit: commit('mine') }));
    const passed = sealed(4, verified({ commit: commit('mine') }));
    expect(afterWith('complete', ...exhausted, verifyNow, passed).head).toBe('mine');
  });
  test('and passed, completes; the attempt that had ended is not ended again (R5)', () => {
    const passed = sealed(4, verified({ commit: commit('mine') }));
    expect(led(...exhausted, verifyNow, passed).map(({ type }) => type)).toEqual([
      'verification.recorded',
      'run.completed',
    ]);
  });
  test('and not passed, returns to where it was', () => {
    const no = sealed(
      4,
      verified({ commit: commit('mine'), outcome: 'failed', summary: 'still red' }),
    );
    expect(led(...exhausted, verifyNow, no).at(-1)).toMatchObject({
      type: 'run.parked',
      reason: 'attempts_exhausted',
      detail: '1 failed',
    });
    expect(afterWith('needs_operator', ...exhausted, verifyNow, no).counters.attempts).toBe(1);
  });
  test('goes on with what was granted besides, and asks for nothing twice', () => {
    const no = sealed(4, verified({ commit: commit('mine'), outcome: 'failed' }));
    const both = resume({ verifyNow: { commit: commit('mine') }, grants: { attempts: 1 } });
    const on = { point: { job: 'execute', commit: 'mine' }, attempt: 2, why: 'resumed' };
    expect(led(...exhausted, both, no).at(-1)).toMatchObject({ type: 'job.dispatched', ...on });
    // What is spent besides stops it with its own reason.
    const late = { ...no, at: at(100_000) };
    expect(led(...exhausted, both, late).at(-1)).toMatchObject({ reason: 'wall' });
  });
  test('and unproven, is tried three times and then returns', () => {
    const unclear = (n: number) =>
      sealed(n, verified({ commit: commit('mine'), outcome: 'indeterminate' }));
    const again = [
      unclear(4),
      fire('wait', 2, 999),
      unclear(5),
      fire('wait', 3, 9_999),
      unclear(6),
    ];
    const commands: RunCommand[] = [...exhausted, verifyNow];
    for (const next of again) {
      const run = history(...commands).reduce(evolve, initialRun);
      const generation =
        run.status === 'active' && run.stage.phase === 'waiting' ? run.stage.generation : 0;
      commands.push(next.type === 'fire_timer' ? { ...next, generation } : next);
    }
    expect(history(...commands).at(-1)).toMatchObject({
      type: 'run.parked',
      reason: 'attempts_exhausted',
    });
  });
  test('from a pause returns to the pause', () => {
    const paused = [...working(), command({ type: 'pause', now: false }), sealed(2, executed())];
    const no = sealed(3, verified({ commit: commit('mine'), outcome: 'failed' }));
    expect(led(...paused, verifyNow, no).at(-1)).toMatchObject({
      type: 'run.paused',
      ...goesOn(verifyPoint({ commit: commit('mine') })),
      by: 'verify-now',
    });
  });
  test('keeps the way back through a look by a human', () => {
    const steps = [checks, manual];
    const parked = [
      ...verifying({ steps, approvalsExpireMs: 10, brakes: { ...terms.brakes, attempts: 1 } }),
      sealed(3, verified({ outcome: 'failed' })),
      verifyNow,
      sealed(4, verified({ commit: commit('mine') })),
    ];
    const look = {
      type: 'resolve_gate',
      approval: 'run1.a1' as never,
      note: null,
      summary: 'no',
    } as const;
    const back = { type: 'run.parked', reason: 'attempts_exhausted' };
    expect(led(...parked, command({ ...look, outcome: 'rejected' })).at(-1)).toMatchObject(back);
    expect(led(...parked, fire('gate_expiry', 1, 10)).at(-1)).toMatchObject(back);
    expect(led(...parked, command({ ...look, outcome: 'approved' })).at(-1)?.type).toBe(
      'run.completed',
    );
  });
  test('a look that nobody answered lifts nothing, whatever was granted with it (ruling 15)', () => {
    const granted = resume({ verifyNow: { commit: commit('mine') }, grants: { attempts: 1 } });
    const asked = [
      ...verifying({
        ...{ steps: [checks, manual], approvalsExpireMs: 10 },
        brakes: { ...terms.brakes, attempts: 1 },
      }),
      sealed(3, verified({ outcome: 'failed' })),
      granted,
      sealed(4, verified({ commit: commit('mine') })),
    ];
    const expired = led(...asked, fire('gate_expiry', 1, 10));
    expect(expired.at(-1)).toMatchObject({ type: 'run.parked', reason: 'attempts_exhausted' });
  });
});

test('what goes back to base is recorded anew, and that is the work (R9, L-A10)', () => {
  const touched = [
    ...working(),
    sealed(2, executed({ findings: [{ kind: 'protected', paths: ['golden/x'], more: 0 }] })),
    resume({ restore: true }),
  ];
  const mended = sealed(3, verified({ commit: commit('mended') }));
  expect(led(...touched, mended)[0]).toMatchObject({ head: 'mended' });
  expect(afterWith('complete', ...touched, mended).head).toBe('mended');
  const unasked = [...verifying(), sealed(3, verified({ commit: commit('mended') }))];
  expect(led(...unasked)[0]).toMatchObject({ facts: { outcome: 'indeterminate' } });
  expect(afterWith('active', ...unasked).head).toBe('c1');
});

describe('a paused run', () => {
  const paused = [...working(), command({ type: 'pause', now: false }), sealed(2, executed())];
  test('goes on where it was, and nothing is counted', () => {
    const resumed = afterWith('active', ...paused, resume());
    expect(resumed.counters.resumed).toBe(0);
    expect(resumed.stage).toMatchObject({ phase: 'verifying', execution: execution(3) });
  });
  test('may have files put back by the verifier', () =>
    expect(led(...paused, resume({ restore: true })).at(-1)).toMatchObject({
      point: { job: 'verify', restore: true },
    }));
});

test('a wait is ended early by a human, and keeps its tries (DESIGN 4.1)', () => {
  const waiting = [...verifying(), sealed(3, verified({ outcome: 'indeterminate' }))];
  expect(led(...waiting, resume({ now: true }, 5))).toMatchObject([
    { type: 'job.dispatched', tries: 1, why: 'resumed', at: at(5) },
  ]);
});

test('what a pattern covers', () => {
  expect(covers('a/b', 'a/b')).toBe(true);
  expect(covers('a/', 'a/b')).toBe(true);
  expect(covers('a/**', 'a/b/c')).toBe(true);
  expect(covers('**', 'x')).toBe(true);
  expect(covers('a', 'a/b')).toBe(false);
  expect(covers('a/**', 'ab')).toBe(false);
  expect(uncovered(['a', 'b/c'], ['b/'])).toEqual(['a']);
  expect(namePaths(['a', 'b', 'c', 'd'], 2)).toBe('a, b, c and 3 more');
  expect(namePaths(['a'], 0)).toBe('a');
});
