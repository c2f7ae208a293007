/** The record that a run is: its states, what it keeps of an attempt, and what is policy in it. */
import { expect, test } from 'vitest';
import {
  afterWith,
  at,
  automation,
  command,
  commit,
  digest,
  driver,
  executed,
  execution,
  facts,
  history,
  lane,
  led,
  manual,
  run,
  runAfter,
  sealed,
  start,
  terms,
  verified,
  verifying,
  working,
} from '../../../test/support/run-fixtures.ts';
import { decide } from './decide.ts';
import { evolve, initialRun } from './evolve.ts';
import type { RunCommand } from './message.ts';
import type { LivingRun, RunTerms } from './state.ts';

const notPassed = facts({ outcome: 'failed', summary: '1 failed', failedTests: 1 });
const once = { brakes: { ...terms.brakes, attempts: 1 } };
const spent = [...verifying(once), sealed(3, verified(notPassed))];
/** Nobody holds the open execution, so it is over at once. */
const cancel = command({ type: 'cancel', note: '', leased: false });

/** EV's word for where a run is. */
function phaseOf(state: LivingRun): string {
  if (state.status === 'active') return state.stage.phase;
  if (state.status === 'complete') return 'done';
  return state.status === 'needs_operator' ? 'escalated' : state.status;
}
const phase = (...commands: readonly RunCommand[]): string => phaseOf(runAfter(...commands));

test('what a turn left to see is attested, and the run remembers the newest statement (EV-67)', () => {
  const left = (text: string) => ({
    ...{ statement: digest(text), files: [], more: 0, missing: [], refused: [] },
  });
  const [one, two] = [left('s1'), left('s2')];
  const first = [...working(), sealed(2, executed({ artifacts: one }))];
  expect(led(...first)).toContainEqual({
    ...{ type: 'artifacts.attested', execution: execution(2), attempt: 1, commit: 'c1' },
    ...{ artifacts: one, at: at(0) },
  });
  const again = [...first, sealed(3, verified({ outcome: 'failed' }))];
  expect(runAfter(...again)).toMatchObject({ attempt: 2, attested: { statement: one.statement } });
  const second = runAfter(...again, sealed(4, executed({ artifacts: two })));
  expect(second).toMatchObject({ attested: { statement: two.statement, attempt: 2 } });
  const none = led(...working(), sealed(2, executed())).map(({ type }) => type);
  expect(none).not.toContain('artifacts.attested');
});

test('executing, verifying, done, escalated, cancelled, and the ways between them (EV-15, EV-24, EV-57)', () => {
  expect(phase(...working())).toBe('executing');
  expect(phase(...verifying())).toBe('verifying');
  expect(phase(...verifying(), sealed(3, verified()))).toBe('done');
  expect(phase(...verifying(), sealed(3, verified(notPassed)))).toBe('executing');
  expect(phase(...spent)).toBe('escalated');
  expect(phase(start(), cancel)).toBe('cancelled');
  expect(phase(...spent, cancel)).toBe('cancelled');
});

test('no job moves a run that is done, cancelled or escalated (EV-15, EV-24, EV-57)', () => {
  const ends = [[...verifying(), sealed(3, verified())], [start(), cancel], spent];
  for (const commands of ends) {
    const state = history(...commands).reduce(evolve, initialRun);
    for (const n of [1, 2, 3, 4]) {
      for (const result of [executed(), verified(), verified(notPassed)]) {
        const decision = decide(state, sealed(n, result));
        expect(decision.ok ? decision.value : []).toEqual([]);
      }
    }
  }
});

test('each attempt is recorded: its number, its work, its verdict and its evidence (EV-21, EV-57)', () => {
  const second = facts({ outcome: 'failed', summary: '3 failed', failedTests: 3, score: 0.4 });
  const state = runAfter(
    ...verifying(),
    sealed(3, verified(notPassed)),
    sealed(4, executed({ commit: commit('c2') })),
    sealed(5, verified({ ...second, commit: commit('c2') })),
  );
  expect(state.attempts).toEqual([
    expect.objectContaining({ n: 1, outcome: 'failed', summary: '1 failed', commit: 'c1' }),
    expect.objectContaining({ n: 2, outcome: 'failed', summary: '3 failed', commit: 'c2' }),
  ]);
  expect(state.attempts[1]).toMatchObject({ receipt: 'receipt', failedTests: 3, score: 0.4 });
  expect(state.attempt).toBe(3);
});

test('a run names its id, definition, phase, attempt, open job, history and parse retries (EV-23)', () => {
  const odd = facts({ outcome: 'unparseable', summary: '?', receipt: null });
  const state = afterWith(
    'active',
    ...verifying(),
    sealed(3, verified(notPassed)),
    sealed(4, executed({ commit: commit('c2') })),
    sealed(5, verified({ ...odd, commit: commit('c2') })),
  );
  expect(state).toMatchObject({
    id: run,
    definition: digest('definition'),
    attempt: 2,
    stage: { phase: 'verifying', execution: execution(6), parseRetries: 1 },
    attempts: [{ n: 1 }],
  });
});

test('parked, a run keeps all that it recorded, and resumed it goes on from there (ruling 6)', () => {
  const parked = afterWith('needs_operator', ...spent);
  expect(parked.attempts).toMatchObject([{ n: 1, summary: '1 failed' }]);
  const more = command({ type: 'resume', options: { grants: { attempts: 1 } } });
  expect(runAfter(...spent, more).attempts).toEqual(parked.attempts);
});

/** One history of commands, decided under different definitions. */
const under = (more: Partial<RunTerms>, ...then: readonly RunCommand[]): LivingRun =>
  runAfter(...verifying(more), ...then);

test('the machine is one; attempts, gates and targets are the definition’s (EV-3)', () => {
  const failedOnce = sealed(3, verified(notPassed));
  expect(phaseOf(under({}, failedOnce))).toBe('executing');
  expect(phaseOf(under(once, failedOnce))).toBe('escalated');
  const gated = { steps: [...terms.steps, manual] };
  expect(phaseOf(under({}, sealed(3, verified())))).toBe('done');
  expect(phaseOf(under(gated, sealed(3, verified())))).toBe('waiting_human');
  const findings = [{ kind: 'protected', paths: ['package.json'], more: 0 }] as const;
  const changed = sealed(2, executed({ findings }));
  const onProtected = (policy: RunTerms['onProtected']) =>
    phaseOf(runAfter(...working({ onProtected: policy }), changed));
  expect(onProtected('park')).toBe('escalated');
  expect(onProtected('ask')).toBe('waiting_human');
  expect(onProtected('restore')).toBe('verifying');
});

test('one pursuit, many jobs: a run outlives its executions and is above them (XP-31)', () => {
  const events = history(...verifying(), sealed(3, verified(notPassed)), sealed(4, executed()));
  const jobs = events.flatMap((event) => (event.type === 'job.dispatched' ? [event] : []));
  expect(jobs.map(({ execution: id }) => id)).toEqual([1, 2, 3, 4, 5].map(execution));
  expect(new Set(jobs.map(({ attempt }) => attempt))).toEqual(new Set([1, 2]));
  expect(events.filter(({ type }) => type === 'run.started')).toHaveLength(1);
});

test('nothing lands by itself: a complete run waits for the word of a human (ruling 15)', () => {
  const events = history(...verifying(), sealed(3, verified()));
  expect(events.map(({ type }) => type)).not.toContain('run.landed');
  const done = events.reduce(evolve, initialRun);
  const landing = {
    type: 'record_landing',
    commit: commit('m1'),
    into: 'main',
    method: 'squash',
    reverified: true,
  } as const;
  for (const principal of [driver, lane, automation]) {
    expect(decide(done, command(landing, 0, principal))).toMatchObject({ ok: false });
  }
  expect(decide(done, command(landing))).toMatchObject({ ok: true });
});
