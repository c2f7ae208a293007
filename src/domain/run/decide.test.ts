import { expect, test } from 'vitest';
import {
  at,
  automation,
  checks,
  command,
  commit,
  digest,
  dispatched,
  driver,
  executed,
  executePoint,
  execution,
  facts,
  fire,
  history,
  judge,
  lane,
  laneEnd,
  manual,
  parkedAt,
  prepared,
  run,
  sealed,
  start,
  terms,
  usage,
  verified,
  verifying,
  verifyPoint,
  working,
} from '../../../test/support/run-fixtures.ts';
import { specification } from '../../../test/support/specification.ts';
import { decide } from './decide.ts';
import { evolve, initialRun } from './evolve.ts';
import { appendedLook } from './prepared.ts';
import { changedNothing, unparseable } from './verdict.ts';

const given = specification({ decide, evolve, initialState: initialRun });
const attempt = {
  n: 1,
  commit: commit('c1'),
  receipt: digest('receipt'),
  failedTests: null,
  score: null,
  endedAt: at(0),
};
const recorded = {
  type: 'verification.recorded',
  attempt: 1,
  step: 0,
  execution: execution(3),
  verdict: digest('verdict'),
  by: 'runtime',
  at: at(0),
} as const;

test('a start prepares first: setup and baseline before anything is spent (EV-1, EV-25, EV-39)', () =>
  given()
    .when(start())
    .yields(
      {
        type: 'run.started',
        run,
        name: 'fix-it',
        project: '/project',
        definition: digest('definition'),
        terms,
        startedBy: 'human',
        actor: 'ada',
        resumedFrom: null,
        from: null,
        at: at(0),
      },
      dispatched(1, { job: 'prepare' }, { why: 'first' }),
    ));

test('a run starts once', () =>
  given(...history(start()))
    .when(start())
    .rejects({ code: 'run.exists' }));

test('nothing but a start makes a run', () =>
  given()
    .when(command({ type: 'pause', now: false }))
    .rejects({ code: 'run.unknown' }));

test('a maker that is its own checker is refused (EV-32, ruling 4)', () =>
  given()
    .when(start({ checker: terms.maker }))
    .rejects({
      code: 'terms.invalid',
      detail: 'executeAgent and verifyAgent must be different agents',
    }));

test('setup and a red baseline done, attempt 1 executes (DESIGN 4.1)', () =>
  given(...history(start()))
    .when(sealed(1, prepared({ receipt: digest('base') })))
    .yields(
      {
        type: 'baseline.recorded',
        outcome: 'red',
        summary: '2 failed',
        receipt: digest('base'),
        at: at(0),
      },
      dispatched(2, executePoint()),
    ));

test('a retry from the last work begins at its commit', () => {
  const first = { ...start(), from: commit('old') };
  given(...history(first))
    .when(sealed(1, prepared()))
    .yields(
      { type: 'baseline.recorded', outcome: 'red', summary: '2 failed', receipt: null, at: at(0) },
      dispatched(2, executePoint({ commit: commit('old') })),
    );
});

test('an unrunnable baseline refuses a run in the foreground before anything is spent', () =>
  given(...history(start({ detached: false })))
    .when(sealed(1, prepared({ baseline: 'unrunnable', summary: 'exit 127' })))
    .yields(
      {
        type: 'baseline.recorded',
        outcome: 'unrunnable',
        summary: 'exit 127',
        receipt: null,
        at: at(0),
      },
      {
        ...{ type: 'run.cancelled', cause: 'refused', note: 'exit 127' },
        ...{ retriedAs: null, unproven: [], at: at(0) },
      },
    ));

test('the same parks a detached run: nobody reads a refusal at night', () =>
  given(...history(start()))
    .when(sealed(1, prepared({ setup: 'failed', summary: 'npm ci failed' })))
    .yields(
      {
        type: 'baseline.recorded',
        outcome: 'red',
        summary: 'npm ci failed',
        receipt: null,
        at: at(0),
      },
      parkedAt(
        { job: 'prepare' },
        {
          disposition: 'escalated',
          reason: 'setup_failed',
          detail: 'npm ci failed',
          class: 'setup_failed',
        },
      ),
    ));

const green = prepared({ baseline: 'green', summary: 'all pass' });
const greenRecorded = {
  type: 'baseline.recorded',
  outcome: 'green',
  summary: 'all pass',
  receipt: null,
  at: at(0),
} as const;

test('a baseline all green appends a look: it cannot prove the goal (EV-65)', () =>
  given(...history(start()))
    .when(sealed(1, green))
    .yields(
      greenRecorded,
      { type: 'criterion.appended', look: appendedLook, at: at(0) },
      dispatched(2, executePoint()),
    ));

test('unless the user says that the check only guards', () =>
  given(...history(start({ baseline: 'green-ok' })))
    .when(sealed(1, green))
    .yields(greenRecorded, dispatched(2, executePoint())));

test('or a human looks anyway', () =>
  given(...history(start({ steps: [checks, manual] })))
    .when(sealed(1, green))
    .yields(greenRecorded, dispatched(2, executePoint())));

const turnEnded = {
  type: 'turn.ended',
  attempt: 1,
  commit: commit('c1'),
  equalsBase: false,
  filesChanged: 2,
  end: laneEnd,
  sessionId: null,
  journal: null,
  at: at(0),
} as const;
const used = { type: 'usage.recorded', execution: execution(2), usage, at: at(0) } as const;

test('a turn that ended goes to the verifier, whatever the lane said (EV-2, EV-24, XP-25, XP-33)', () =>
  given(...history(...working()))
    .when(sealed(2, executed()))
    .yields(used, turnEnded, dispatched(3, verifyPoint())));

test('a pass of the last step completes the run (EV-42)', () =>
  given(...history(...verifying()))
    .when(sealed(3, verified()))
    .yields(
      { ...recorded, facts: facts() },
      {
        type: 'attempt.ended',
        attempt: { ...attempt, outcome: 'passed', summary: '12 passed' },
        at: at(0),
      },
      {
        type: 'run.completed',
        verification: 'passed',
        receipt: digest('receipt'),
        by: 'runtime',
        channel: 'driver',
        note: '12 passed',
        at: at(0),
      },
    ));

test('criteria are judged in order: after the checks, the judge', () =>
  given(...history(...verifying({ steps: [checks, judge] })))
    .when(sealed(3, verified()))
    .yields({ ...recorded, facts: facts() }, dispatched(4, verifyPoint({ step: 1 }))));

test('a judge is named in what is recorded (XP-26)', () =>
  given(...history(...verifying({ steps: [checks, judge] }), sealed(3, verified())))
    .when(sealed(4, verified({ outcome: 'failed', summary: 'API changed' })))
    .yields(
      {
        ...recorded,
        step: 1,
        execution: execution(4),
        by: 'oracle@demo',
        facts: facts({ outcome: 'failed', summary: 'API changed' }),
      },
      {
        type: 'attempt.ended',
        attempt: { ...attempt, outcome: 'failed', summary: 'API changed' },
        at: at(0),
      },
      dispatched(5, executePoint({ commit: commit('c1') }), { attempt: 2 }),
    ));

const notPassed = facts({ outcome: 'failed', summary: '1 failed', failedTests: 1, score: 0.5 });
const failedAttempt = {
  ...attempt,
  outcome: 'failed',
  summary: '1 failed',
  failedTests: 1,
  score: 0.5,
} as const;

test('a failed verification starts the next attempt (EV-6, EV-24, ruling 1)', () =>
  given(...history(...verifying()))
    .when(sealed(3, verified(notPassed)))
    .yields(
      { ...recorded, facts: notPassed },
      { type: 'attempt.ended', attempt: failedAttempt, at: at(0) },
      dispatched(4, executePoint({ commit: commit('c1') }), { attempt: 2 }),
    ));

test('attempts spent are escalated, and nothing is dispatched (EV-24, EV-46)', () =>
  given(...history(...verifying({ brakes: { ...terms.brakes, attempts: 1 } })))
    .when(sealed(3, verified(notPassed)))
    .yields(
      { ...recorded, facts: notPassed },
      { type: 'attempt.ended', attempt: failedAttempt, at: at(0) },
      parkedAt(executePoint({ commit: commit('c1') }), {
        disposition: 'escalated',
        reason: 'attempts_exhausted',
        detail: '1 failed',
      }),
    ));

test('a failure asks the budget first, then the cap (DESIGN 4.4)', () =>
  given(...history(...verifying({ brakes: { ...terms.brakes, attempts: 1, costUsd: 1 } })))
    .when(sealed(3, verified(notPassed)))
    .yields(
      { ...recorded, facts: notPassed },
      { type: 'attempt.ended', attempt: failedAttempt, at: at(0) },
      parkedAt(executePoint({ commit: commit('c1') }), {
        disposition: 'budget_exhausted',
        reason: 'cost',
        detail: '1 failed',
      }),
    ));

test('a pass beats every budget (DESIGN 4.4, EV-42)', () => {
  const brakes = { ...terms.brakes, attempts: 1, costUsd: 1, tokens: 1, timeMs: 5 };
  const decision = decide(
    history(...verifying({ brakes })).reduce(evolve, initialRun),
    sealed(3, verified(), 1_000),
  );
  expect(decision.ok && decision.value.at(-1)?.type).toBe('run.completed');
});

test('convergence signals are asked before a content retry, regardless of attempts (EV-47)', () => {
  const invalid = (n: number) => sealed(n, executed({ outcome: 'invalid_result' }));
  given(...history(...working(), invalid(2), invalid(3)).slice(0, -1))
    .when(command({ type: 'pause', now: false }))
    .yields({ type: 'pause.requested', by: 'ada', now: false, at: at(0) });
  const events = history(
    ...working({ brakes: { ...terms.brakes, attempts: 9 } }),
    invalid(2),
    invalid(3),
    invalid(4),
  );
  expect(events.at(-1)).toMatchObject({ type: 'run.parked', reason: 'convergence_signals' });
});

test('an unparseable verdict is asked for once more, then fails closed (EV-26, EV-50, SL-59, ruling 5)', () => {
  const odd = facts({ outcome: 'unparseable', summary: '?', receipt: null });
  given(...history(...verifying()))
    .when(sealed(3, verified(odd)))
    .yields(
      { ...recorded, facts: odd },
      dispatched(4, verifyPoint(), { why: 'retried', parseRetries: 1 }),
    );
  given(...history(...verifying(), sealed(3, verified(odd))))
    .when(sealed(4, verified(odd)))
    .yields(
      { ...recorded, execution: execution(4), facts: odd },
      {
        type: 'attempt.ended',
        attempt: { ...attempt, receipt: null, outcome: 'failed', summary: unparseable },
        at: at(0),
      },
      dispatched(5, executePoint({ commit: commit('c1') }), { attempt: 2 }),
    );
});

test('a turn that changed nothing spends an attempt and asks no verifier (DESIGN 4.1)', () =>
  given(...history(...working()))
    .when(sealed(2, executed({ equalsBase: true, commit: null, filesChanged: 0 })))
    .yields(
      used,
      { ...turnEnded, equalsBase: true, commit: null, filesChanged: 0 },
      {
        ...recorded,
        execution: null,
        verdict: null,
        facts: facts({
          outcome: 'missing_evidence',
          summary: changedNothing,
          receipt: null,
          commit: null,
          equalsBase: true,
        }),
      },
      {
        type: 'attempt.ended',
        attempt: {
          ...attempt,
          commit: null,
          receipt: null,
          outcome: 'failed',
          summary: changedNothing,
        },
        at: at(0),
      },
      dispatched(3, executePoint(), { attempt: 2 }),
    ));

test.each([
  [1, 'boom', 'the agent ended with exit 1 and changed nothing: boom'],
  [2, null, 'the agent ended with exit 2 and changed nothing'],
  [0, 'all done', changedNothing],
  [null, 'it was ended by us', changedNothing],
])(
  'the exit %s of one that changed nothing is told with its last line: %s',
  (exit, lastLine, summary) => {
    const nothing = { equalsBase: true, commit: null, filesChanged: 0 };
    const end = { ...turnEnded.end, exit, lastLine };
    const spent = { ...attempt, commit: null, receipt: null, outcome: 'failed', summary } as const;
    return given(...history(...working()))
      .when(sealed(2, executed({ ...nothing, end })))
      .yields(
        used,
        { ...turnEnded, ...nothing, end },
        {
          ...recorded,
          ...{ execution: null, verdict: null },
          facts: facts({
            ...{ outcome: 'missing_evidence', summary, equalsBase: true },
            ...{ receipt: null, commit: null },
          }),
        },
        { type: 'attempt.ended', attempt: spent, at: at(0) },
        dispatched(3, executePoint(), { attempt: 2 }),
      );
  },
);

test('unless no change is allowed', () =>
  given(...history(...working({ allowNoChange: true })))
    .when(sealed(2, executed({ equalsBase: true, commit: null, filesChanged: 0 })))
    .yields(
      used,
      { ...turnEnded, equalsBase: true, commit: null, filesChanged: 0 },
      dispatched(3, verifyPoint({ commit: null })),
    ));

test('a question parks with its text, and the conversation goes on after the answer (L-B7)', () =>
  given(...history(...working()))
    .when(sealed(2, executed({ outcome: 'question', text: digest('question'), sessionId: 's1' })))
    .yields(
      used,
      { ...turnEnded, sessionId: 's1' },
      parkedAt(executePoint({ session: 'resume', commit: commit('c1') }), {
        disposition: 'escalated',
        reason: 'blocked_by_question',
        detail: 'The agent asks a question.',
        text: digest('question'),
        class: 'human_blocker',
      }),
    ));

test('what was denied twice parks with its name, and the conversation can go on (L-H15)', () => {
  const problem = 'Bash: git push';
  return given(...history(...working()))
    .when(sealed(2, executed({ outcome: 'permission_denied', problem, sessionId: 's1' })))
    .yields(
      used,
      { ...turnEnded, sessionId: 's1' },
      parkedAt(executePoint({ session: 'resume', commit: commit('c1') }), {
        disposition: 'escalated',
        reason: 'permission_denied',
        detail: 'the agent may not: Bash: git push',
        class: 'human_blocker',
      }),
    );
});

test('what its turns were refused is told of an attempt, and not of the next (L-H15)', () => {
  const refused = { count: 2, tool: 'Bash', call: 'git push', why: 'deny' } as const;
  const invalid = [...working(), sealed(2, executed({ outcome: 'invalid_result', refused }))];
  const [turn] = history(...invalid).filter(({ type }) => type === 'turn.ended');
  expect(turn).toMatchObject({ refused });
  const after = history(...invalid, sealed(3, executed({ outcome: 'invalid_result' })));
  const ended = after.flatMap((event) => (event.type === 'attempt.ended' ? [event.attempt] : []));
  expect(ended.map((one) => one.refused)).toEqual([refused, undefined]);
  const asked = executed({ outcome: 'question', text: digest('question'), refused });
  expect(history(...working(), sealed(2, asked)).reduce(evolve, initialRun)).toMatchObject({
    status: 'needs_operator',
    refused,
  });
});

test('the end of an execution that nobody awaits is stale, and changes nothing (XP-14)', () => {
  given(...history(...verifying()))
    .when(sealed(2, executed()))
    .rejects({ code: 'job.stale', execution: execution(2) });
  given(...history(...verifying(), sealed(3, verified())))
    .when(sealed(3, verified()))
    .rejects({ code: 'job.stale', execution: execution(3) });
});

test('a lane may not lift a halt, and hears who may (DESIGN 11a)', () => {
  given(...history(start()))
    .when(command({ type: 'accept', reason: 'fine' }, 0, lane))
    .rejects({ code: 'principal.human_required', command: 'accept' });
  given(...history(start()))
    .when(command({ type: 'pause', now: false }, 0, automation))
    .rejects({ code: 'principal.refused', command: 'pause', kind: 'automation' });
  given(...history(start({}, 0, automation)))
    .when(command({ type: 'pause', now: false }, 0, automation))
    .yields({ type: 'pause.requested', by: 'cron', now: false, at: at(0) });
});

test('a refusal is recorded on the run (DESIGN 11a)', () =>
  given(...history(start()))
    .when(command({ type: 'record_refusal', command: 'land', refused: lane }, 0, driver))
    .yields({
      type: 'principal.refused',
      command: 'land',
      actor: 'run1.2',
      channel: 'terminal',
      ancestry: 'lane',
      at: at(0),
    }));

test('a timer of another generation is a no-op (design/store.md)', () => {
  for (const kind of [
    'wait',
    'active_time',
    'attempt_time',
    'gate_expiry',
    'gate_reminder',
    'cancel_deadline',
    'escalation',
  ] as const) {
    given(...history(...working()))
      .when(fire(kind, 99, 1))
      .yields();
  }
});

test('only a complete run lands, and the same landing twice is one (R6)', () => {
  const landing = {
    type: 'record_landing',
    commit: commit('m1'),
    into: 'main',
    method: 'squash',
    reverified: true,
  } as const;
  const landed = { ...landing, type: 'run.landed', by: 'ada', at: at(0) } as const;
  const done = history(...verifying(), sealed(3, verified()));
  given(...done)
    .when(command(landing))
    .yields(landed);
  given(...done, landed)
    .when(command(landing))
    .yields();
  given(...done, landed)
    .when(command({ ...landing, into: 'dev' }))
    .yields({ ...landed, into: 'dev' });
  given(...history(start()))
    .when(command(landing))
    .rejects({
      code: 'run.wrong_state',
      status: 'active',
      reason: null,
      next: ['watch', 'hint "…"', 'pause', 'cancel'],
    });
});
