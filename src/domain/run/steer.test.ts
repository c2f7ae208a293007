import { describe, expect, test } from 'vitest';
import {
  afterWith,
  at,
  command,
  commit,
  digest,
  driver,
  executed,
  execution,
  failed,
  fire,
  goesOn,
  history,
  jobEnded,
  lane,
  laneEnd,
  led,
  prepared,
  resume,
  run,
  runAfter,
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
import type { RunId } from '../ids.ts';
import { decide } from './decide.ts';
import { evolve, initialRun } from './evolve.ts';
import type { RunCommand, RunEvent } from './message.ts';
import { react } from './react.ts';
import { retriedAs } from './retried.ts';

const given = specification({ decide, evolve, initialState: initialRun });
const pause = (now = false, ms = 0) => command({ type: 'pause', now }, ms);
const cancel = (leased = true, ms = 0) => command({ type: 'cancel', note: 'enough', leased }, ms);
const kill = (ms = 0) => command({ type: 'cancel', note: 'enough', now: true }, ms);
const cancelled = (n: number, proof: 'kernel' | 'unproven' = 'kernel', ms = 0) =>
  jobEnded(n, { how: 'cancelled', proof }, ms);
const types = (...commands: readonly RunCommand[]) => led(...commands).map(({ type }) => type);
const limit = sealed(2, executed({ outcome: 'limit' }));
const done = [...verifying(), sealed(3, verified())];
const parked = [...working(), sealed(2, failed('auth_required'))];
const left = { statement: digest('s'), files: [], more: 0, missing: [], refused: [] };
const over = (status: 'complete' | 'cancelled', next: string[]) =>
  ({ code: 'run.wrong_state', status, reason: null, next }) as const;

describe('a pause', () => {
  test('acts between jobs, and nothing is lost (UX 2.2)', () => {
    expect(types(...working(), pause())).toEqual(['pause.requested']);
    expect(led(...working(), pause(), sealed(2, executed())).at(-1)).toMatchObject({
      type: 'run.paused',
      ...goesOn(verifyPoint()),
    });
  });
  test('acts at once while the run waits', () =>
    expect(types(...working(), limit, pause())).toEqual(['run.paused']));
  test('now interrupts the lane, which goes on in the same conversation', () => {
    const asked = [...working(), pause(true)];
    expect(afterWith('active', ...asked)).toMatchObject({ stage: { stop: { why: 'pause' } } });
    expect(led(...asked, cancelled(2))).toMatchObject([
      { type: 'recovery.recorded', action: 'stopped', asked: 'pause' },
      { type: 'run.paused', ...goesOn({ job: 'execute', session: 'resume', tree: 'same' }) },
    ]);
    const died = sealed(2, failed('lane_died', { commit: commit('c9') }));
    expect(types(...asked, died)).toEqual(['recovery.recorded', 'run.paused']);
    expect(runAfter(...asked, died)).toMatchObject({ head: 'c9', counters: { totalErrors: 0 } });
    expect(led(...asked, jobEnded(2, { how: 'unknown', detail: '' })).at(-1)?.type).toBe(
      'run.paused',
    );
  });
  test('asked twice is asked once', () => {
    expect(led(...working(), pause(), pause())).toEqual([]);
    expect(led(...working(), pause(true), pause(true))).toEqual([]);
    expect(types(...working(), pause(), pause(true))).toEqual(['pause.requested']);
  });
  test('that a lane does not heed ends it unproven after its deadline', () => {
    const asked = [...working(), pause(true, 10)];
    expect(led(...asked, fire('attempt_time', 2, 11))).toEqual([]);
    expect(led(...asked, fire('attempt_time', 2, 120_010))).toMatchObject([
      { type: 'recovery.recorded', proof: 'unproven', abandoned: true },
      { type: 'run.paused', ...goesOn({ job: 'execute', tree: 'new' }) },
    ]);
  });
  test('is refused where nothing works', () =>
    given(...history(...parked))
      .when(pause())
      .rejects({
        code: 'run.wrong_state',
        status: 'needs_operator',
        reason: 'auth_required',
        next: ['resume', 'accept --reason "…"', 'cancel'],
      }));
});

describe('a cancel (EV-12, EV-49, R7)', () => {
  test('is immediate when nobody holds the execution', () =>
    expect(led(...working(), cancel(false))).toMatchObject([
      { type: 'run.cancelled', cause: 'cancelled', note: 'enough', withdraws: execution(2) },
    ]));
  test('is immediate in every rest', () => {
    const paused = [...working(), limit, pause()];
    for (const rest of [[...working(), limit], paused, parked]) {
      expect(types(...rest, cancel())).toEqual(['run.cancelled']);
    }
  });
  test('else asks the holder, and records what it had done', () => {
    const asked = [...working(), cancel()];
    expect(led(...asked)).toMatchObject([{ type: 'cancel.requested', execution: execution(2) }]);
    expect(types(...asked, cancelled(2))).toEqual(['run.cancelled']);
    expect(types(...asked, sealed(2, executed()))).toEqual([
      'usage.recorded',
      'turn.ended',
      'run.cancelled',
    ]);
    expect(runAfter(...asked, sealed(2, executed()))).toMatchObject({
      head: 'c1',
      spent: { costUsd: 1 },
    });
  });
  test('keeps who made the files that the last turn left to see (EV-67)', () => {
    const asked = [...working(), cancel(), sealed(2, executed({ artifacts: left }))];
    expect(led(...asked).at(-2)).toMatchObject({ type: 'artifacts.attested', artifacts: left });
    expect(runAfter(...asked)).toMatchObject({
      attested: { statement: left.statement, attempt: 1, commit: 'c1' },
    });
  });
  test('keeps what the last turn was refused (L-H15)', () => {
    const refused = { count: 1, tool: 'Bash', call: 'git push', why: 'agent' } as const;
    const asked = [...working(), cancel(), sealed(2, executed({ refused }))];
    expect(led(...asked)).toContainEqual(expect.objectContaining({ type: 'turn.ended', refused }));
  });
  test('names the run that takes its place, whatever it waited for; a note names none', () => {
    const next = 'p0neaaaaaaaa' as RunId;
    const forged = `retried as ${next}`;
    const say = (leased: boolean, more: object) =>
      ({ ...cancel(leased), note: forged, ...more }) as RunCommand;
    const findings = [{ kind: 'protected', paths: ['a'], more: 0 }] as const;
    const gated = [...working({ onProtected: 'ask' }), sealed(2, executed({ findings }))];
    const ask = { request: 'p1', tool: null, title: 'push', args: 'a', definition: 'd' };
    const asks = { type: 'open_permission', execution: execution(2), ask } as const;
    const asked = [...working(), command(asks, 0, driver)];
    for (const more of [{}, { retriedAs: next }]) {
      const plain = { type: 'run.cancelled', note: forged, retriedAs: null };
      const expected = { ...plain, ...more };
      const ends = [
        [...working(), say(false, more)],
        [...parked, say(true, more)],
        [...gated, say(true, more)],
        [...working(), say(true, more), cancelled(2)],
        [...working(), say(true, more), kill(70), sealed(2, executed())],
        [...asked, say(true, more), cancelled(2)],
      ];
      for (const end of ends) expect(led(...end).at(-1)).toMatchObject(expected);
      const hung = [...working(), say(true, more)];
      const { generation } = afterWith('cancelling', ...hung);
      const late = fire('cancel_deadline', generation, 9_000_000);
      expect(led(...hung, late)).toMatchObject([expected]);
      const ended = afterWith('cancelled', ...hung, late);
      expect(retriedAs(ended)).toBe(expected.retriedAs);
    }
  });
  test('lists what it cannot prove ended', () => {
    const asked = [...working(), cancel()];
    const ends: readonly RunCommand[] = [
      cancelled(2, 'unproven'),
      jobEnded(2, { how: 'unknown', detail: '' }),
      sealed(2, executed({ end: { ...laneEnd, proof: 'unproven' } })),
      sealed(2, failed('lane_died', { proof: 'unproven' })),
    ];
    for (const end of ends) expect(runAfter(...asked, end).unproven).toEqual([execution(2)]);
    const proven = [sealed(2, prepared()), sealed(2, failed('lane_died'))];
    for (const end of proven) expect(runAfter(...asked, end).unproven).toEqual([]);
  });
  test('always ends: after its deadline nothing is awaited', () => {
    const asked = [...working(), cancel(true, 5)];
    const { generation } = afterWith('cancelling', ...asked);
    expect(led(...asked, fire('cancel_deadline', generation, 9))).toMatchObject([
      { type: 'run.cancelled', unproven: [execution(2)], abandons: execution(2) },
    ]);
    expect(led(...asked, cancel())).toEqual([]);
    const late = jobEnded(3, { how: 'cancelled', proof: 'kernel' });
    expect(() => history(...asked, late)).toThrow(/job.stale/);
    const broken = command({ type: 'park_internal_error', detail: 'a bug' }, 0, driver);
    expect(types(...asked, broken)).toEqual(['run.cancelled']);
  });
  test('can lose its patience once, which moves no deadline', () => {
    const asked = [...working(), cancel(true, 5)];
    expect(led(...working(), kill())).toMatchObject([{ type: 'cancel.requested', now: true }]);
    const hurried = [...asked, kill(70)];
    expect(led(...hurried)).toMatchObject([{ type: 'cancel.requested', now: true }]);
    const { generation, since } = afterWith('cancelling', ...asked);
    expect(afterWith('cancelling', ...hurried)).toMatchObject({ now: true, generation, since });
    expect(led(...hurried, kill(80))).toEqual([]);
    expect(led(...hurried, cancel(true, 90))).toEqual([]);
    expect(types(...hurried, cancelled(2))).toEqual(['run.cancelled']);
    const event = history(...hurried).at(-1);
    if (event !== undefined) expect(react(runAfter(...hurried), event)).toEqual([]);
  });
  test('of what has ended is refused (EV-24, R6)', () => {
    given(...history(...done))
      .when(cancel())
      .rejects(over('complete', ['land', 'retry']));
    given(...history(...working(), cancel(false)))
      .when(cancel())
      .rejects(over('cancelled', ['retry']));
    const landing = { into: 'main', method: 'squash', reverified: true } as const;
    const landed = command({ type: 'record_landing', commit: commit('m'), ...landing });
    given(...history(...done, landed))
      .when(cancel())
      .rejects(over('complete', ['retry']));
  });
});

describe('a hint', () => {
  const hint = (n: number) => command({ type: 'hint', text: digest(`h${n}`) });
  test('is added in every state that is not terminal, at most fifty', () => {
    expect(runAfter(...parked, hint(1)).addedContext).toEqual(['h1']);
    const many = Array.from({ length: 60 }, (_, n) => hint(n));
    const { addedContext } = runAfter(...working(), ...many);
    expect(addedContext.length).toBe(50);
    expect(addedContext.at(-1)).toBe('h59');
    given(...history(...done))
      .when(hint(1))
      .rejects(over('complete', ['land', 'retry']));
  });
});

describe('an accept', () => {
  const accept = (reason: string) => command({ type: 'accept', reason });
  test('completes a parked run as overridden, with its reason', () =>
    expect(led(...parked, accept('known'))).toMatchObject([
      { type: 'attempt.ended', attempt: { outcome: 'overridden', summary: 'known' } },
      { type: 'run.completed', verification: 'overridden', by: 'ada', note: 'known' },
    ]));
  test('needs a reason, and a parked run', () => {
    given(...history(...parked))
      .when(accept(' '))
      .rejects({ code: 'terms.invalid', detail: 'accept needs a reason' });
    expect(() => history(...working(), accept('known'))).toThrow(/run.wrong_state/);
    given(...history(...working({ onLimit: 'stop' }), limit))
      .when(accept('x'))
      .rejects({
        code: 'run.wrong_state',
        status: 'paused',
        reason: null,
        next: ['resume', 'cancel'],
      });
    given(...history(...working(), cancel()))
      .when(accept('x'))
      .rejects({
        code: 'run.wrong_state',
        status: 'cancelling',
        reason: null,
        next: ['watch'],
      });
    given(...history(...working(), limit))
      .when(accept('x'))
      .rejects({
        code: 'run.wrong_state',
        status: 'active',
        reason: null,
        next: ['resume --now', 'cancel'],
      });
  });
});

describe('trouble of ours', () => {
  const broken = command({ type: 'park_internal_error', detail: 'a bug' }, 0, driver);
  const busy = command({ type: 'no_capacity', until: at(50), detail: '3 of 3 busy' }, 0, driver);
  const throws = command({ type: 'fail_dispatch', detail: 'EAGAIN' }, 0, driver);
  test('a broken invariant parks that run alone, and its lane is not awaited (STYLE 4)', () => {
    const run = afterWith('needs_operator', ...working(), broken);
    expect(run).toMatchObject({ reason: 'internal_error', unproven: [execution(2)] });
    expect(run.then).toMatchObject({ job: 'execute', tree: 'new' });
    expect(types(...verifying(), broken)).toEqual(['run.parked']);
    expect(types(start(), broken)).toEqual(['run.parked']);
    expect(types(...working(), limit, broken)).toEqual(['run.parked']);
    expect(types(...working({ onLimit: 'stop' }), limit, broken)).toEqual(['run.parked']);
    expect(led(...parked, broken)).toEqual([]);
    for (const end of [done, [...working(), cancel(false)]]) {
      expect(() => history(...end, broken)).toThrow(/run.wrong_state/);
    }
  });
  test('no capacity waits, and the same job is dispatched anew', () => {
    expect(led(...working(), busy)).toMatchObject([
      { type: 'run.waiting', reason: 'no_capacity', until: 50, withdraws: execution(2) },
    ]);
    expect(led(...working(), busy, fire('wait', 2, 50)).at(-1)).toMatchObject({
      n: 3,
      point: { job: 'execute', session: 'fresh' },
    });
    expect(led(start(), busy).at(-1)).toMatchObject({ ...goesOn({ job: 'prepare' }) });
    expect(led(...verifying(), busy).at(-1)).toMatchObject({ ...goesOn({ job: 'verify' }) });
    expect(led(...working(), busy, busy)).toEqual([]);
    expect(() => history(...parked, busy)).toThrow(/run.wrong_state/);
    const impatient = working({ brakes: { ...terms.brakes, waitTimeMs: 10 } });
    expect(led(...impatient, busy).at(-1)).toMatchObject({ reason: 'wait_exhausted', class: null });
  });
  test('a dispatch that throws parks, and leaves no orphan (EV-48)', () => {
    expect(led(...working(), throws)).toMatchObject([
      { reason: 'dispatch_failed', detail: 'Dispatch failed: EAGAIN', withdraws: execution(2) },
    ]);
    expect(types(...working(), limit, throws)).toEqual(['run.parked']);
    expect(() => history(...parked, throws)).toThrow(/run.wrong_state/);
  });
});

describe('active time', () => {
  test('spent inside a turn stops the lane; then the budget is named (DESIGN 4.1)', () => {
    const stopped = [...working(), fire('active_time', 1, 100_000)];
    expect(types(...stopped)).toEqual(['job.stop_requested']);
    expect(led(...stopped, cancelled(2, 'kernel', 100_100)).at(-1)).toMatchObject({
      disposition: 'budget_exhausted',
      reason: 'wall',
      detail: 'The active time granted was spent inside a turn.',
    });
    expect(led(...stopped, fire('active_time', 1, 100_001))).toEqual([]);
  });
  test('spent, when the lane ends itself at it, is no window of its own and no recovery', () => {
    const late = {
      kind: 'failed',
      class: 'window_exhausted',
      detail: '',
      proof: 'kernel',
    } as const;
    const result = { ...late, commit: commit('c1'), usage: null, text: null };
    const stopped = [
      { type: 'usage.recorded', usage: { costUsd: null } },
      { type: 'recovery.recorded', action: 'stopped', asked: 'wall', commit: commit('c1') },
      { reason: 'wall', detail: 'The active time granted was spent inside a turn.' },
    ];
    expect(led(...working(), sealed(2, result, 100_000))).toMatchObject(stopped);
    const asked = [...working(), fire('active_time', 1, 100_000)];
    expect(led(...asked, sealed(2, result, 100_001))).toMatchObject(stopped);
    expect(led(...working(), sealed(2, result, 99_999)).at(-2)).toMatchObject({
      action: 'requeue',
    });
  });
  test('spent while a check runs lets it finish: a pass beats every budget (DESIGN 4.4)', () => {
    expect(led(...verifying(), fire('active_time', 1, 100_000))).toEqual([]);
    const failedLate = sealed(3, verified({ outcome: 'failed' }), 100_000);
    expect(led(...verifying(), failedLate).at(-1)).toMatchObject({ reason: 'wall' });
  });
  test('is measured, so an early fire is none, and without a brake there is none', () => {
    expect(led(...working(), fire('active_time', 1, 99_999))).toEqual([]);
    const free = working({ brakes: { ...terms.brakes, timeMs: null } });
    expect(led(...free, fire('active_time', 1, 1e9))).toEqual([]);
    expect(led(...parked, fire('active_time', 1, 1e9))).toEqual([]);
  });
  test('runs on from job to job', () => {
    const commands = [
      start(),
      sealed(1, prepared(), 10),
      sealed(2, executed(), 25),
      { ...pause(), at: at(30) },
    ];
    const run = runAfter(...commands, sealed(3, verified(), 40));
    expect(run).toMatchObject({ activeSince: null, spent: { activeMs: 40, waitedMs: 0 } });
  });
  test('does not run while the run waits or rests', () => {
    const waited = runAfter(...working(), { ...limit, at: at(10) }, resume({ now: true }, 5_000));
    expect(waited.spent).toMatchObject({ activeMs: 10, waitedMs: 4_990 });
    expect(waited.activeSince).toBe(5_000);
  });
});

describe('the window of a job (RR-12, RR-13)', () => {
  test('over, it is asked to end, then is given up: no state for ever', () => {
    const free = working({ brakes: { ...terms.brakes, timeMs: null } });
    const over = [...free, fire('attempt_time', 2, 170_000)];
    expect(types(...over)).toEqual(['job.stop_requested']);
    expect(led(...over, cancelled(2)).at(-1)).toMatchObject({
      type: 'job.dispatched',
      why: 'replaced',
    });
    expect(runAfter(...over, cancelled(2)).counters).toMatchObject({ timeouts: 1, totalErrors: 1 });
    expect(led(...over, fire('attempt_time', 2, 290_000)).at(-1)).toMatchObject({
      point: { tree: 'new' },
    });
    expect(types(...over, sealed(2, executed()))).toContain('turn.ended');
  });
  test('has not begun while nobody claimed the job', () =>
    expect(types(...working(), fire('attempt_time', 2, 170_000, false))).toEqual([
      'job.window_renewed',
    ]));
  test('of a wait is none', () => {
    expect(led(...working(), limit, fire('attempt_time', 2, 9))).toEqual([]);
    expect(led(...parked, fire('attempt_time', 2, 9))).toEqual([]);
    expect(led(...parked, fire('wait', 2, 9))).toEqual([]);
  });
});

describe('a timer of another generation (design/store.md)', () => {
  test('ends no wait, no cancel and no gate', () => {
    const waiting = [...working(), limit];
    expect(led(...waiting, fire('wait', 1, 1e9))).toEqual([]);
    expect(led(...waiting, fire('wait', 3, 1e9))).toEqual([]);
    const asked = [...working(), cancel()];
    expect(led(...asked, fire('cancel_deadline', 1, 1e9))).toEqual([]);
    expect(led(...asked, fire('cancel_deadline', 3, 1e9))).toEqual([]);
    expect(led(...working(), fire('attempt_time', 1, 1e9))).toEqual([]);
  });
  test('is told apart, since every wait has its own', () => {
    const first = [...working(), limit];
    const again = [...first, resume({ now: true }), sealed(3, executed({ outcome: 'limit' }))];
    const generations = history(...again).flatMap((event) =>
      event.type === 'run.waiting' ? [event.generation] : [],
    );
    expect(generations).toEqual([2, 4]);
  });
});

describe('the rows that events call for', () => {
  const works = (...commands: readonly RunCommand[]) => {
    const before = history(...commands.slice(0, -1)).length;
    let state: ReturnType<typeof evolve> = initialRun;
    return history(...commands).flatMap((event, index) => {
      state = evolve(state, event);
      return index < before ? [] : [...react(state, event)];
    });
  };
  const kinds = (...commands: readonly RunCommand[]) =>
    works(...commands).map((work) => ('timer' in work ? `${work.kind} ${work.timer}` : work.kind));
  test('a start keeps its definition, dispatches, and sets its deadlines', () =>
    expect(kinds(start())).toEqual([
      'reference',
      'dispatch',
      'set_timer attempt_time',
      'clear_timer wait',
      'set_timer active_time',
    ]));
  test('an end clears every timer', () => {
    for (const end of [[...working(), cancel(false)], done]) {
      const cleared = kinds(...end).filter((kind) => kind.startsWith('clear_timer'));
      expect(cleared.length).toBe(8);
    }
  });
  test('a check may take as long as setup and criteria together', () => {
    const slow = verifying({ checkTimeMs: 1_000_000, brakes: { ...terms.brakes, timeMs: null } });
    expect(works(...slow)).toContainEqual({
      kind: 'set_timer',
      timer: 'attempt_time',
      generation: 3,
      dueAt: 1_120_000,
    });
  });
  test('an unknown outcome that a human names is reconciled', () => {
    const lost = [...working(), jobEnded(2, { how: 'unknown', detail: '' })];
    expect(works(...lost, resume({ happened: true }))).toContainEqual({
      kind: 'reconcile_executions',
      happened: true,
    });
  });
  test('what is abandoned becomes UNKNOWN, what is unclaimed is withdrawn', () => {
    const asked = [...working(), cancel()];
    const { generation } = afterWith('cancelling', ...asked);
    expect(works(...asked, fire('cancel_deadline', generation, 9))).toContainEqual({
      kind: 'lose_execution',
      execution: execution(2),
      detail: 'cancelled',
    });
    const withdrawn = { kind: 'cancel_execution', execution: execution(2) };
    expect(works(...working(), cancel(false))).toContainEqual(withdrawn);
    expect(works(...working(), pause(true))).toContainEqual(withdrawn);
    expect(works(...working(), pause())).toEqual([]);
    const stop = fire('attempt_time', 2, 170_000);
    expect(works(...working(), stop)).toContainEqual(withdrawn);
    expect(kinds(...working(), stop, fire('attempt_time', 2, 290_000))).toContain('lose_execution');
    expect(kinds(...working(), fire('attempt_time', 2, 9, false))).toEqual([
      'set_timer attempt_time',
    ]);
  });
  test('artifacts that events name are kept, once each (XP-16)', () => {
    const turn = sealed(
      2,
      executed({ journal: digest('journal'), outcome: 'question', text: digest('q') }),
    );
    const names = works(...working(), turn).flatMap((work) =>
      work.kind === 'reference' ? [work.name] : [],
    );
    expect(names).toEqual(['journal.journal', 'text.q']);
  });
  test('a run that is not born calls for nothing', () => {
    const [started] = history(start());
    expect(started === undefined ? [] : react(initialRun, started)).toEqual([]);
  });
});

describe('what history does not know', () => {
  const odd = { type: 'run.exploded', at: at(0) } as unknown as RunEvent;
  test('is never skipped (DESIGN 2)', () => {
    const state = runAfter(...working());
    expect(() => evolve(state, odd)).toThrow(/unreachable/);
    expect(() => react(state, odd)).toThrow(/unreachable/);
    const stranger = command({ type: 'pause', now: false });
    const unknown = { ...stranger, type: 'explode' } as unknown as RunCommand;
    expect(() => decide(state, unknown)).toThrow();
  });
  test('and events that meet a state they do not fit change no more than they say', () => {
    const paused = runAfter(...working({ onLimit: 'stop' }), limit);
    const stop = {
      type: 'job.stop_requested',
      execution: execution(2),
      why: 'wall',
      at: at(0),
    } as const;
    const reminded = {
      type: 'gate.reminded',
      approval: 'a' as never,
      count: 1,
      at: at(0),
    } as const;
    expect(evolve(paused, stop)).toBe(paused);
    expect(evolve(paused, reminded)).toBe(paused);
    expect(evolve(initialRun, stop)).toBe(initialRun);
    const turn = history(
      ...working(),
      sealed(2, executed({ end: { ...laneEnd, proof: 'unproven' } })),
    );
    const ended = turn.find(({ type }) => type === 'turn.ended');
    if (ended !== undefined) expect(evolve(paused, ended)).toMatchObject({ unproven: [] });
    const asked = { type: 'pause.requested', by: 'ada', now: true, at: at(0) } as const;
    expect(react(paused, asked)).toEqual([]);
  });
});

test('a nested start by a lane is the edge’s to allow', () =>
  expect(
    history({ ...start(), principal: lane }, command({ type: 'cancel', note: '' }))[0],
  ).toMatchObject({
    startedBy: 'lane',
    run: run satisfies RunId,
  }));

test('what was spent is added up, and unknown stays unknown (ruling 18)', () => {
  const self = { ...usage, costUsd: null, source: 'self-reported' } as const;
  const again = [
    ...working(),
    sealed(2, executed({ usage: self })),
    sealed(3, verified({ outcome: 'failed' })),
  ];
  expect(runAfter(...again, sealed(4, executed())).spent).toMatchObject({
    costUsd: 1,
    costKnown: false,
    selfReported: true,
    tokensIn: 20,
  });
});

describe('a proposal', () => {
  const proposed = { into: 'main', method: 'pr', reverified: true, url: 'https://x/3' } as const;
  const proposal = command({ type: 'record_landing', commit: commit('w'), ...proposed });

  test('is recorded and lands nothing: the work can still land here', () => {
    expect(led(...done, proposal)).toMatchObject([{ type: 'run.landed', ...proposed }]);
    const run = afterWith('complete', ...done, proposal);
    expect(run).toMatchObject({ landed: null, proposed: { into: 'main', url: 'https://x/3' } });
    const landing = { into: 'main', method: 'squash', reverified: true, kept: true } as const;
    const landed = command({ type: 'record_landing', commit: commit('m'), ...landing });
    expect(led(...done, proposal, landed)).toMatchObject([{ type: 'run.landed', kept: true }]);
  });
});

describe('a hint for the next attempt', () => {
  const held = command({ type: 'hint', text: digest('h'), nextAttempt: true });

  test('does not reach the attempt that is worked on, and reaches the next', () => {
    expect(led(...working(), held)).toMatchObject([{ type: 'hint.added', notBefore: 2 }]);
    expect(runAfter(...working(), held).addedContext).toEqual([]);
    const again = runAfter(...verifying(), held, sealed(3, verified({ outcome: 'failed' })));
    expect(again).toMatchObject({ attempt: 2, addedContext: ['h'], heldContext: [] });
  });
  test('before any attempt began it is for the first', () => {
    expect(runAfter(start(), held, sealed(1, prepared()))).toMatchObject({
      attempt: 1,
      addedContext: ['h'],
    });
  });
});
