import { describe, expect, test } from 'vitest';
import {
  afterWith,
  at,
  checks,
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
  judge,
  laneEnd,
  led,
  manual,
  prepared,
  resume,
  runAfter,
  sealed,
  start,
  terms,
  usage,
  verified,
  verifying,
  working,
} from '../../../test/support/run-fixtures.ts';
import type { FailureClass } from '../execution/state.ts';
import { decide } from './decide.ts';
import { evolve, initialRun } from './evolve.ts';
import type { RunCommand } from './message.ts';
import { dispositionOf } from './park.ts';
import { backOffsMax } from './recovery.ts';
import type { ParkReason } from './state.ts';
import { reminderMs } from './timing.ts';
import { fittingVerbs } from './verbs.ts';

const lost = (n: number, failure: FailureClass, proof: 'kernel' | 'unproven' = 'kernel') =>
  jobEnded(n, { how: 'lost', class: failure, proof, detail: 'exit 137' });
const types = (...commands: readonly RunCommand[]) => led(...commands).map(({ type }) => type);

describe('an operational failure (RR-29, ruling 1, R3)', () => {
  test('makes a new execution of the same attempt and conversation (DESIGN 4.1)', () => {
    expect(led(...working(), lost(2, 'lane_died'))).toMatchObject([
      { type: 'usage.recorded', usage: { costUsd: null, source: 'none' } },
      { type: 'error.signalled', class: 'lane_died', timeout: false },
      { type: 'recovery.recorded', action: 'requeue', execution: execution(2) },
      {
        type: 'job.dispatched',
        attempt: 1,
        why: 'replaced',
        point: { session: 'resume', tree: 'same' },
      },
    ]);
  });
  test('whose end is unproven gives the next one its own tree (design/lane-host.md)', () => {
    const run = afterWith('active', ...working(), lost(2, 'lane_died', 'unproven'));
    expect(run.stage).toMatchObject({ point: { tree: 'new' } });
    expect(run.unproven).toEqual([execution(2)]);
    const turn = executed({ end: { ...laneEnd, proof: 'unproven' } });
    expect(afterWith('active', ...working(), sealed(2, turn)).nextTree).toBe('new');
  });
  test('exhausts the budgets of its job: two re-spawns, three transfers (DESIGN 13, RR-23, RR-24)', () => {
    const dead = [2, 3, 4].map((n) => lost(n, 'lane_died'));
    expect(led(...working(), ...dead).at(-1)).toMatchObject({
      reason: 'recovery_exhausted',
      class: 'lane_died',
    });
    const cut = [2, 3, 4, 5].map((n) => lost(n, 'transport_lost'));
    expect(led(...working(), ...cut.slice(0, 3)).at(-1)?.type).toBe('job.dispatched');
    expect(led(...working(), ...cut).at(-1)).toMatchObject({ reason: 'recovery_exhausted' });
  });
  test('that a living host tells of the other side is waited for, longer each time (XP-23)', () => {
    const away = (n: number) => sealed(n, failed('transport_lost'));
    const told = [...working(), away(2)];
    expect(led(...told).at(-1)).toMatchObject({ reason: 'backoff', until: 5_000 });
    expect(runAfter(...told).counters).toMatchObject({ transfers: 1, attempts: 0 });
    const again = [...told, fire('wait', 2, 5_000), away(3)];
    expect(led(...again).at(-1)).toMatchObject({ type: 'run.waiting', until: 10_000 });
    // What one holder lost without a word the next takes up at once.
    expect(led(...working(), lost(2, 'transport_lost')).at(-1)?.type).toBe('job.dispatched');
  });
  test('who leaves in good order without a result has one re-spawn, then its operator (DESIGN 13)', () => {
    const left = (n: number) => sealed(n, failed('lane_died', { cleanExit: true }));
    expect(led(...working(), left(2)).at(-1)?.type).toBe('job.dispatched');
    expect(
      led(...working(), left(2)).find(({ type }) => type === 'recovery.recorded'),
    ).toMatchObject({
      ...{ action: 'requeue', cleanExit: true },
    });
    expect(led(...working(), left(2), left(3)).at(-1)).toMatchObject({
      ...{ reason: 'recovery_exhausted', class: 'lane_died' },
    });
    const once = [...working(), left(2)];
    expect(runAfter(...once).counters).toMatchObject({ requeues: 1, cleanExits: 1, attempts: 0 });
    expect(led(...once, lost(3, 'lane_died')).at(-1)?.type).toBe('job.dispatched');
    const next = runAfter(...once, sealed(3, executed())).counters;
    expect(next).toMatchObject({ requeues: 0, cleanExits: 0 });
  });
  test('counts errors and time-outs in a row; a success heals them (EV-9, EV-10, EV-11)', () => {
    const late = [...working(), lost(2, 'window_exhausted')];
    expect(runAfter(...working()).counters).toMatchObject({ totalErrors: 0, timeouts: 0 });
    expect(runAfter(...late).counters).toMatchObject({
      totalErrors: 1,
      timeouts: 1,
      unhealedErrors: 1,
    });
    expect(types(...late, sealed(3, executed()))[0]).toBe('error.healed');
    const healed = runAfter(...late, sealed(3, executed())).counters;
    expect(healed).toMatchObject({ totalErrors: 1, timeouts: 0, unhealedErrors: 0 });
  });
  test('a lane that hangs has one window and two more, spends no attempt, then parks (DESIGN 4.2)', () => {
    // `window_exhausted` is operational: same attempt, out of the recovery budget (requeues 2), so
    // three windows in all. `timeoutCount` is asked before a content retry alone, and there is
    // none.
    const windows = [2, 3, 4].map((n) => lost(n, 'window_exhausted'));
    const again = led(...working(), ...windows.slice(0, 2));
    expect(again.at(-1)).toMatchObject({ type: 'job.dispatched', attempt: 1, why: 'replaced' });
    const parked = afterWith('needs_operator', ...working(), ...windows);
    expect(parked).toMatchObject({
      ...{ reason: 'recovery_exhausted', class: 'window_exhausted', attempt: 1 },
      counters: { attempts: 0, requeues: 2, timeouts: 3, totalErrors: 3 },
    });
  });
  test('cancelled by others is quiet: a new execution and no error (EV-10, EV-12)', () => {
    const cancelled = jobEnded(2, { how: 'cancelled', proof: 'kernel' });
    expect(types(...working(), cancelled)).toEqual(['recovery.recorded', 'job.dispatched']);
  });
  test('a full disk is waited for, longer each time, and then parks; no attempt is spent', () => {
    const full = (n: number) => sealed(n, failed('disk_full', { detail: 'no space left' }));
    const [, , recorded, waits] = led(...working(), full(2));
    expect(recorded).toMatchObject({ type: 'recovery.recorded', action: 'backed_off' });
    expect(waits).toMatchObject({
      type: 'run.waiting',
      reason: 'backoff',
      detail: 'no space left',
    });
    const again = [...working(), full(2), fire('wait', 2, 9_000)];
    expect(led(...again).at(-1)).toMatchObject({
      type: 'job.dispatched',
      attempt: 1,
      point: { job: 'execute', tree: 'same', session: 'resume' },
    });
    const last: RunCommand[] = [...working()];
    for (let n = 2; n < backOffsMax + 3; n += 1) {
      last.push(full(n));
      const run = runAfter(...last);
      if (run.status !== 'active' || run.stage.phase !== 'waiting') break;
      last.push(fire('wait', run.stage.generation, run.stage.until));
    }
    const parked = led(...last).at(-1);
    expect(parked).toMatchObject({ type: 'run.parked', reason: 'disk_full', class: 'disk_full' });
    const { attempts, requeues, backOffs = 0 } = runAfter(...last).counters;
    expect({ attempts, requeues }).toEqual({ attempts: 0, requeues: 0 });
    expect(backOffs).toBeGreaterThan(5);
    expect(backOffs).toBeLessThanOrEqual(backOffsMax);
    expect(runAfter(...last, resume()).counters.backOffs).toBe(0);
  });
  test('waits that chance makes short are bounded as well: twenty, then a human makes room', () => {
    const last: RunCommand[] = [...working()];
    let run = runAfter(...last);
    for (let n = 2; n < 100; n += 1) {
      last.push(jobEnded(n, { how: 'sealed', result: failed('disk_full') }, 0, 0));
      run = runAfter(...last);
      if (run.status !== 'active' || run.stage.phase !== 'waiting') break;
      last.push(fire('wait', run.stage.generation, run.stage.until));
    }
    expect(run).toMatchObject({ status: 'needs_operator', reason: 'disk_full' });
    expect(run.counters.backOffs).toBe(backOffsMax);
  });
  test('a full disk keeps a verification at its step and its tries', () => {
    const waiting = runAfter(...verifying(), sealed(3, failed('disk_full')));
    expect(waiting).toMatchObject({ stage: { phase: 'waiting', tries: 0, parseRetries: 0 } });
  });
  test('counts what its beats reported, however it ended (ruling 18)', () => {
    const beat = { usage };
    const gone = { how: 'lost', class: 'lane_died', proof: 'kernel', detail: '' } as const;
    const ends = [
      { ...gone, ...beat },
      { how: 'cancelled', proof: 'kernel', ...beat },
      { how: 'unknown', detail: 'who knows', ...beat },
    ] as const;
    for (const end of ends) {
      const spentBy = (...before: readonly RunCommand[]) =>
        runAfter(...working(), ...before, jobEnded(2, end)).spent;
      expect(spentBy(), end.how).toMatchObject({ costUsd: 1, costKnown: true });
      expect(spentBy(command({ type: 'pause', now: true }, 1)), end.how).toMatchObject({
        costUsd: 1,
      });
      expect(spentBy(command({ type: 'cancel', note: '' }, 1)), end.how).toMatchObject({
        costUsd: 1,
      });
    }
    expect(runAfter(...working(), jobEnded(2, gone)).spent.costKnown).toBe(false);
  });
  test('keeps what the lane had recorded', () => {
    const run = runAfter(
      ...working(),
      sealed(2, failed('lane_died', { commit: commit('c9'), usage })),
    );
    expect(run.head).toBe('c9');
    expect(run.spent.costUsd).toBe(1);
  });
  test('of a verification verifies the same step again (DESIGN 4.2)', () =>
    expect(led(...verifying(), lost(3, 'lane_died')).at(-1)).toMatchObject({
      point: { job: 'verify', step: 0 },
      why: 'replaced',
    }));
  test('of a check is never UNKNOWN: it is run again (DESIGN 4.2)', () => {
    const unknown = (n: number) => jobEnded(n, { how: 'unknown', detail: 'lost' });
    expect(led(...verifying(), unknown(3)).at(-1)).toMatchObject({ point: { job: 'verify' } });
    expect(led(start(), unknown(1)).at(-1)).toMatchObject({ point: { job: 'prepare' } });
    expect(led(...working(), unknown(2)).at(-1)).toMatchObject({ reason: 'unknown_outcome' });
  });
  test('of a job that handed in another kind of result is one, too', () => {
    expect(led(...working(), sealed(2, prepared())).at(-1)).toMatchObject({ why: 'replaced' });
    expect(led(start(), sealed(1, failed('invalid_result'))).at(-1)).toMatchObject({
      why: 'replaced',
    });
  });
  test('that is lost has handed in nothing, so it is no bad content (R3)', () =>
    expect(led(...working(), lost(2, 'invalid_result')).at(-1)).toMatchObject({
      why: 'replaced',
      attempt: 1,
    }));
});

describe('by class (DESIGN 4.2)', () => {
  const parks: Partial<Record<FailureClass, ParkReason>> = {
    auth_required: 'auth_required',
    human_blocker: 'blocked_by_question',
    unknown_outcome: 'unknown_outcome',
    dispatch_failed: 'dispatch_failed',
    workspace_lost: 'workspace_lost',
    setup_failed: 'setup_failed',
  };
  test.each(Object.entries(parks))('%s parks as %s, and spends nothing', (failure, reason) => {
    const run = afterWith(
      'needs_operator',
      ...working(),
      sealed(2, failed(failure as FailureClass)),
    );
    expect(run).toMatchObject({ reason, class: failure, attempt: 1, counters: { attempts: 0 } });
  });
  test('a dispatch that failed says so (EV-48)', () =>
    expect(led(...working(), sealed(2, failed('dispatch_failed'))).at(-1)).toMatchObject({
      detail: 'Dispatch failed: because of dispatch_failed',
    }));
  test('setup_failed while preparing is a refusal', () =>
    expect(led(start({ detached: false }), sealed(1, failed('setup_failed'))).at(-1)).toMatchObject(
      {
        type: 'run.cancelled',
        cause: 'refused',
      },
    ));
  test('context_overflow begins anew once, then parks (L-F9)', () => {
    const overflow = (n: number) => sealed(n, failed('context_overflow'));
    expect(led(...working(), overflow(2)).at(-1)).toMatchObject({ point: { session: 'fresh' } });
    expect(led(...working(), overflow(2), overflow(3)).at(-1)).toMatchObject({
      reason: 'context_overflow',
    });
    const judging = [...verifying({ steps: [checks, judge] }), sealed(3, verified())];
    expect(led(...judging, overflow(4)).at(-1)).toMatchObject({
      point: { job: 'verify', step: 1 },
    });
  });
  test('invalid_result is a failed verification; a judge’s is unparseable (EV-42, EV-50)', () => {
    const run = runAfter(...working(), sealed(2, failed('invalid_result')));
    expect(run).toMatchObject({ attempt: 2, counters: { attempts: 1, totalErrors: 1 } });
    const sealedOne = runAfter(...working(), sealed(2, executed({ outcome: 'invalid_result' })));
    expect(sealedOne).toMatchObject({ attempt: 2, counters: { attempts: 1, totalErrors: 1 } });
    const judging = [...verifying({ steps: [checks, judge] }), sealed(3, verified())];
    expect(led(...judging, sealed(4, failed('invalid_result'))).at(-1)).toMatchObject({
      parseRetries: 1,
    });
  });
  test('budget_exhausted names the budget that is spent, or else the likely one', () => {
    const stop = (brakes: Partial<typeof terms.brakes>, more = {}) =>
      led(
        ...working({ brakes: { ...terms.brakes, ...brakes } }),
        sealed(2, failed('budget_exhausted', more)),
      ).at(-1);
    expect(stop({ tokens: 50 }, { usage })).toMatchObject({ reason: 'tokens' });
    expect(stop({ costUsd: 20 })).toMatchObject({
      disposition: 'budget_exhausted',
      reason: 'cost',
    });
  });
  test('rate_limited waits for a stored timer and spends no attempt (L-E1)', () => {
    const limited = [...working(), sealed(2, failed('rate_limited'))];
    expect(led(...limited).at(-1)).toMatchObject({ reason: 'rate_limited', until: 300_000 });
    expect(led(...limited, fire('wait', 2, 300_000))).toMatchObject([
      { type: 'job.dispatched', attempt: 1, why: 'retried', point: { session: 'resume' } },
    ]);
  });
});

describe('a limit (L-E1, L-E8, L-E9)', () => {
  const limit = sealed(2, executed({ outcome: 'limit', limitUntil: at(500_000) }));
  test('is waited for until the instant that the agent named', () => {
    expect(led(...working(), limit).at(-1)).toMatchObject({ type: 'run.waiting', until: 500_000 });
    expect(runAfter(...working(), limit, fire('wait', 2, 500_000)).spent.waitedMs).toBe(500_000);
  });
  test('that a wrong clock says is over is waited for a minute', () => {
    const over = sealed(2, executed({ outcome: 'limit', limitUntil: at(-5) }));
    expect(led(...working(), over).at(-1)).toMatchObject({ until: 60_000 });
  });
  test('beyond the waiting time parks; a resume grants it anew', () => {
    const brakes = { ...terms.brakes, waitTimeMs: 400_000 };
    const parked = [...working({ brakes }), limit];
    expect(led(...parked).at(-1)).toMatchObject({
      reason: 'wait_exhausted',
      class: 'rate_limited',
    });
    expect(led(...parked, resume())[0]).toMatchObject({ granted: { waitTimeMs: 400_000 } });
  });
  test('told to stop, the run is paused and says when it could go on', () =>
    expect(afterWith('paused', ...working({ onLimit: 'stop' }), limit)).toMatchObject({
      resumesAt: 500_000,
    }));
  test('told to ask, nothing waits by itself', () =>
    expect(led(...working({ onLimit: 'ask' }), limit).at(-1)).toMatchObject({
      reason: 'wait_exhausted',
    }));
});

describe('a verdict that proves nothing (XP-27)', () => {
  const outcomes = ['missing_evidence', 'verifier_unavailable', 'indeterminate'] as const;
  test.each(outcomes)('%s: three tries with back-off, no attempt, then parked', (outcome) => {
    const commands: RunCommand[] = [...verifying()];
    const until: number[] = [];
    for (const n of [3, 4, 5]) {
      commands.push(sealed(n, verified({ outcome, summary: 'no answer' })));
      const run = history(...commands).reduce(evolve, initialRun);
      if (run.status !== 'active' || run.stage.phase !== 'waiting') break;
      until.push(run.stage.until);
      expect(run.stage.reason).toBe('backoff');
      commands.push(fire('wait', run.stage.generation, run.stage.until));
    }
    expect(until).toEqual([5_000, 10_000]);
    expect(afterWith('needs_operator', ...commands)).toMatchObject({
      reason: outcome,
      detail: 'no answer',
      counters: { attempts: 0 },
    });
    expect(led(...commands, resume({}, 9)).at(-1)).toMatchObject({
      point: { job: 'verify' },
      attempt: 1,
    });
  });
  test('the back-off is spread by the chance that comes with the command', () => {
    const { execution: of, end } = sealed(3, verified({ outcome: 'indeterminate' })) as Extract<
      RunCommand,
      { type: 'job_ended' }
    >;
    const half = command({ type: 'job_ended', execution: of, end, fraction: 0.5 }, 0, driver);
    expect(led(...verifying(), half).at(-1)).toMatchObject({ until: 2_500 });
  });
  test('a flaky pass, or one of another commit, is none (R1)', () => {
    for (const odd of [{ flaky: true }, { commit: commit('other') }]) {
      expect(led(...verifying(), sealed(3, verified(odd)))[0]).toMatchObject({
        facts: { outcome: 'indeterminate' },
      });
    }
  });
  test('a pass over the base itself spends an attempt (DESIGN 4.1, R1)', () => {
    const pass = verified({ equalsBase: true });
    expect(led(...verifying(), sealed(3, pass)).slice(0, 2)).toMatchObject([
      { facts: { outcome: 'missing_evidence' } },
      { type: 'attempt.ended', attempt: { summary: 'the agent changed nothing' } },
    ]);
    const allowed = [...verifying({ allowNoChange: true }), sealed(3, pass)];
    expect(led(...allowed).at(-1)?.type).toBe('run.completed');
  });
  test('a pass over the base, asked for as no commit and named by the verifier, may count (R1)', () => {
    const idle = sealed(2, executed({ commit: null, equalsBase: true, filesChanged: 0 }));
    const named = verified({ commit: commit('base') });
    const history = [...working({ allowNoChange: true }), idle, sealed(3, named)];
    expect(led(...history).at(-1)?.type).toBe('run.completed');
    const own = [...working({ git: false }), sealed(2, executed({ commit: null }))];
    expect(led(...own, sealed(3, named))[0]).toMatchObject({ facts: { outcome: 'indeterminate' } });
  });
  test('work that lies in submodules alone, committed nowhere, is told from no work', () => {
    const findings = [{ kind: 'submodule_uncommitted', paths: ['lib'], more: 0 }] as const;
    const turn = executed({ commit: null, equalsBase: true, findings });
    const summary =
      'the agent changed only what lies in submodules and committed nothing there: lib';
    expect(led(...working(), sealed(2, turn)).at(-2)).toMatchObject({ attempt: { summary } });
  });
  test('a pass over no commit is one only without git (R1)', () => {
    const turn = executed({ commit: null });
    const none = [...working({ git: false }), sealed(2, turn)];
    expect(led(...none, sealed(3, verified({ commit: null }))).at(-1)?.type).toBe('run.completed');
    expect(led(...working(), sealed(2, turn)).at(-2)).toMatchObject({ type: 'attempt.ended' });
  });
  test('a judge without a name is still not the runtime', () => {
    const judging = [...verifying({ steps: [checks, judge] }), sealed(3, verified())];
    const state = runAfter(...judging);
    const nameless = { ...state, terms: { ...state.terms, checker: null } };
    expect(led(...judging, sealed(4, verified()))[0]).toMatchObject({ by: 'oracle@demo' });
    const decision = decide(nameless, sealed(4, verified()));
    expect(decision.ok && decision.value[0]).toMatchObject({ by: 'judge' });
  });
  test('a judge before a look that the green baseline appends is numbered apart', () => {
    const green = [start({ steps: [checks, judge] }), sealed(1, prepared({ baseline: 'green' }))];
    expect(runAfter(...green).terms.steps.at(-1)).toMatchObject({ kind: 'manual', criterion: 2 });
  });
});

describe('findings', () => {
  const find = (kind: 'drift' | 'protected' | 'foreign_write', paths = ['a', 'b'], more = 0) =>
    sealed(2, executed({ findings: [{ kind, paths, more }] }));
  test('drift by a link is told with where the link leads', () => {
    const note = 'src/up is a link out of the tree, to /etc';
    const drift = (...paths: string[]) =>
      sealed(2, executed({ findings: [{ kind: 'drift', paths, more: 0, notes: [note] }] }));
    const detailOf = (turn: RunCommand) => afterWith('needs_operator', ...working(), turn).detail;
    expect(detailOf(drift('src/up'))).toBe(note);
    const both = detailOf(drift('src/up', 'docs/a'));
    expect(both).toBe(`${note}; outside the scope in all: src/up, docs/a`);
  });
  test('drift parks with the files (DESIGN 8)', () =>
    expect(afterWith('needs_operator', ...working(), find('drift', ['a'], 4))).toMatchObject({
      reason: 'drift_detected',
      detail: 'changed outside the scope: a and 4 more',
      paths: ['a'],
      more: 4,
      ...goesOn({ job: 'verify', commit: 'c1' }),
    }));
  test('a foreign write is recorded and shown, and stops nothing', () =>
    expect(types(...working(), find('foreign_write'))).toEqual([
      'usage.recorded',
      'finding.recorded',
      'turn.ended',
      'job.dispatched',
    ]));
  test('protected files park, ask, or are put back by the verifier', () => {
    expect(led(...working(), find('protected')).at(-1)).toMatchObject({
      reason: 'protected_changed',
    });
    expect(led(...working({ onProtected: 'restore' }), find('protected')).at(-1)?.type).toBe(
      'job.dispatched',
    );
    expect(led(...working({ onProtected: 'ask' }), find('protected')).at(-1)).toMatchObject({
      type: 'gate.opened',
      gate: { kind: 'protected', paths: ['a', 'b'], commit: 'c1' },
    });
  });
  test('a list that cannot be shown whole is not asked about', () =>
    expect(
      led(...working({ onProtected: 'ask' }), find('protected', ['a'], 1)).at(-1),
    ).toMatchObject({
      reason: 'protected_changed',
    }));
  test('what a human allowed is no finding again', () => {
    const allowed = [...working(), find('drift'), resume({ allow: ['a', 'b'] })];
    const again = sealed(4, executed({ findings: [{ kind: 'drift', paths: ['a'], more: 0 }] }));
    const next = [...allowed, sealed(3, verified({ outcome: 'failed' })), again];
    expect(led(...next).at(-1)).toMatchObject({ point: { job: 'verify' } });
  });
});

describe('a gate', () => {
  const steps = [checks, manual];
  const looking = [...verifying({ steps, approvalsExpireMs: 100 }), sealed(3, verified())];
  const answer = (outcome: 'approved' | 'rejected', n = 1) =>
    command({
      type: 'resolve_gate',
      approval: `run1.a${n}` as never,
      outcome,
      note: digest('note'),
      summary: 'label is cut off',
    });
  test('makes no job (EV-45, EV-65)', () =>
    expect(types(...looking)).toEqual(['verification.recorded', 'gate.opened']));
  test('approved is a pass by a human, and carries the receipt of the checks', () =>
    expect(led(...looking, answer('approved'))).toMatchObject([
      { type: 'gate.resolved', outcome: 'approved', by: 'ada', channel: 'terminal', note: 'note' },
      { type: 'verification.recorded', facts: { outcome: 'passed' }, by: 'ada', execution: null },
      { type: 'attempt.ended', attempt: { outcome: 'passed', receipt: 'receipt' } },
      { type: 'run.completed', verification: 'passed', receipt: 'receipt', by: 'ada' },
    ]));
  test('rejected is a failed verification with the reasons', () =>
    expect(led(...looking, answer('rejected')).slice(2)).toMatchObject([
      { type: 'attempt.ended', attempt: { outcome: 'failed', summary: 'label is cut off' } },
      { type: 'job.dispatched', attempt: 2 },
    ]));
  test('has one answer; the second hears the first (A1)', () => {
    const twice = (n: number) => () =>
      history(...looking, answer('rejected'), answer('approved', n));
    expect(twice(1)).toThrow(/"code":"approval.resolved","outcome":"rejected","by":"ada"/);
    expect(twice(2)).toThrow(/approval.unknown/);
    expect(() => history(...looking, answer('approved', 7))).toThrow(/approval.unknown/);
    expect(() => history(start(), answer('approved'))).toThrow(/approval.unknown/);
  });
  test('reminds, later and later, and not for ever', () => {
    const commands: RunCommand[] = [...verifying({ steps }), sealed(3, verified())];
    for (let count = 1; count <= 30; count += 1) {
      commands.push(fire('gate_reminder', 1, count));
      expect(history(...commands).at(-1)).toMatchObject({ type: 'gate.reminded', count });
    }
    expect(led(...commands, fire('gate_reminder', 1, 99))).toEqual([]);
  });
  test('expires only where the definition says so, and not before its time', () => {
    expect(led(...looking, fire('gate_expiry', 1, 99))).toEqual([]);
    expect(led(...looking, fire('gate_expiry', 1, 100)).at(-1)).toMatchObject({
      reason: 'review_expired',
    });
    const never = [...verifying({ steps }), sealed(3, verified())];
    expect(led(...never, fire('gate_expiry', 1, 1e9))).toEqual([]);
  });
  const guarded = [
    ...working({ onProtected: 'ask', approvalsExpireMs: 100 }),
    sealed(2, executed({ findings: [{ kind: 'protected', paths: ['ci.yml'], more: 0 }] })),
  ];
  test('of protected files: approved allows exactly those', () => {
    const run = afterWith('active', ...guarded, answer('approved'));
    expect(run).toMatchObject({ allowedPaths: ['ci.yml'], stage: { phase: 'verifying' } });
  });
  test('of protected files: rejected spends the attempt and puts them back', () => {
    const run = afterWith('active', ...guarded, answer('rejected'));
    expect(run).toMatchObject({
      allowedPaths: [],
      attempt: 2,
      stage: { point: { restore: true } },
    });
  });
  test('of protected files: expired fails closed', () =>
    expect(led(...guarded, fire('gate_expiry', 1, 100)).at(-1)).toMatchObject({
      reason: 'protected_changed',
      paths: ['ci.yml'],
    }));
  test('is voided when the run is cancelled, or broken under it', () => {
    for (const gate of [looking, guarded]) {
      const cancel = command({ type: 'cancel', note: '' });
      expect(types(...gate, cancel)).toEqual(['gate.resolved', 'run.cancelled']);
      const broken = command({ type: 'park_internal_error', detail: 'a bug' }, 0, driver);
      expect(led(...gate, broken)).toMatchObject([
        { type: 'gate.resolved', outcome: 'voided' },
        { type: 'run.parked', reason: 'internal_error', ...goesOn({ job: 'verify' }) },
      ]);
    }
  });
});

test('what parks belongs to one disposition (DESIGN 4.1)', () => {
  expect(dispositionOf('no_progress')).toBe('stalled');
  expect(dispositionOf('wall')).toBe('budget_exhausted');
  expect(dispositionOf('internal_error')).toBe('escalated');
});

test('reminders come after an hour, then later, at most daily', () => {
  expect([0, 1, 2, 9, 99].map((count) => reminderMs(count) / 3_600_000)).toEqual([1, 2, 4, 24, 24]);
});

test('an agent that is blocked parks as one that asks (L-B7)', () =>
  expect(led(...working(), sealed(2, executed({ outcome: 'blocked' }))).at(-1)).toMatchObject({
    reason: 'blocked_by_question',
    detail: 'The agent is blocked.',
  }));

test('each rest names the verbs that fit it (UX 2.2)', () => {
  const asking = [...working(), sealed(2, executed({ outcome: 'question' }))];
  expect(fittingVerbs(runAfter(...asking))).toEqual([
    'answer "…"',
    'accept --reason "…"',
    'cancel',
  ]);
  const looking = [...verifying({ steps: [manual] })].slice(0, 2);
  expect(fittingVerbs(runAfter(...looking, sealed(2, executed())))).toEqual([
    'approve',
    'reject --note "…"',
    'cancel',
  ]);
});
