/** The small pure policies: retry, signals, history, budget, approvals, brakes, escalation. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { executed, operator, runAfter, sealed, working } from '../../test/support/run-fixtures.ts';
import { resolve } from './approval/approval.ts';
import { defaultBrakes, defaultBrakesFor } from './brakes/defaults.ts';
import { likelyBudget, spentBudget } from './budget/budget.ts';
import { missingIn, optionsFor } from './escalation/options.ts';
import { escalations, otherAgent } from './escalation/table.ts';
import { compactHistory } from './history/history.ts';
import type { ApprovalId, Instant } from './ids.ts';
import { backOffMs } from './retry/back-off.ts';
import { needsOf } from './run/needs.ts';
import { type ParkReason, parkReasons } from './run/state.ts';
import { brakesProblem } from './run/terms.ts';
import { formatForPrompt, hasConvergenceSignals } from './signals/signals.ts';

describe('back-off', () => {
  test('doubles up to a ceiling, and is never nothing', () => {
    const most = (tries: number) => backOffMs({ tries, baseMs: 100, mostMs: 1_000, fraction: 1 });
    expect([0, 1, 2, 3, 4, 5, 99].map(most)).toEqual([100, 100, 200, 400, 800, 1_000, 1_000]);
    expect(backOffMs({ tries: 3, baseMs: 100, mostMs: 1_000, fraction: 0 })).toBe(10);
  });
  test('is spread over the whole of it (full jitter)', () => {
    fc.assert(
      fc.property(fc.nat(40), fc.double({ min: -1, max: 2, noNaN: true }), (tries, fraction) => {
        const ms = backOffMs({ tries, baseMs: 100, mostMs: 1_000, fraction });
        expect(ms).toBeGreaterThanOrEqual(10);
        expect(ms).toBeLessThanOrEqual(1_000);
      }),
    );
  });
});

describe('convergence signals (EV-9, EV-13, EV-47, EV-64)', () => {
  const none = { totalErrors: 0, unhealedErrors: 0, timeouts: 0 };
  test('are errors not healed, or time-outs in a row, at the threshold', () => {
    expect(hasConvergenceSignals(none)).toBe(false);
    expect(hasConvergenceSignals({ ...none, totalErrors: 9, unhealedErrors: 2 })).toBe(false);
    expect(hasConvergenceSignals({ ...none, unhealedErrors: 3 })).toBe(true);
    expect(hasConvergenceSignals({ ...none, timeouts: 3 })).toBe(true);
    expect(hasConvergenceSignals({ ...none, timeouts: 3 }, 4)).toBe(false);
  });
  test('reach the next attempt as one warning line', () => {
    expect(formatForPrompt(none)).toBe('');
    expect(formatForPrompt({ ...none, totalErrors: 1 })).toMatch(/^Warning: 1 error so far\./);
    expect(formatForPrompt({ totalErrors: 4, unhealedErrors: 2, timeouts: 1 })).toMatch(
      /^Warning: 4 errors so far, 2 not recovered from, 1 time-outs in a row\. [^\n]+$/,
    );
  });
});

describe('history (EV-43)', () => {
  const entry = { n: 1, passed: false, reason: '1 failed', artifacts: [] };
  test('is empty before the first attempt', () => expect(compactHistory([])).toBe(''));
  test('names every attempt with its verdict and artifacts', () => {
    const attempts = [
      entry,
      { ...entry, n: 2, artifacts: ['a.log', 'b.log'] },
      { ...entry, n: 3, passed: true },
    ];
    expect(compactHistory(attempts)).toBe(
      [
        '# Loop Attempt History',
        '[Attempt 1] FAIL: 1 failed',
        '[Attempt 2] FAIL: 1 failed → artifacts: a.log, b.log',
        '[Attempt 3] PASS',
        '',
      ].join('\n'),
    );
  });
  test('is bounded whatever the number, and one line each', () => {
    const many = (count: number) =>
      Array.from({ length: count }, (_, index) => ({
        n: index + 1,
        passed: false,
        reason: 'x\n'.repeat(5_000),
        artifacts: Array.from({ length: 99 }, () => 'a'.repeat(900)),
      }));
    const text = compactHistory(many(2_000));
    expect(text.length).toBeLessThan(65_000);
    expect(text).toContain('(1980 earlier attempts left out)');
    expect(text).toContain('89 more');
    expect(text.split('\n').length).toBe(23);
    expect(compactHistory(many(21))).toContain('(1 earlier attempt left out)');
  });
});

describe('budgets', () => {
  const run = runAfter(...working(), sealed(2, executed()));
  const at = (ms: number) => ms as Instant;
  const granted = { ...run.granted, timeMs: null };
  test('are spent when the figure reaches what is granted, money first', () => {
    expect(spentBudget({ ...run, granted }, at(1e9))).toBeNull();
    expect(spentBudget({ ...run, granted: { ...granted, costUsd: 1 } }, at(0))).toBe('cost');
    expect(spentBudget({ ...run, granted: { ...granted, tokens: 100 } }, at(0))).toBe('tokens');
    expect(spentBudget({ ...run, granted: { ...granted, timeMs: 10 } }, at(9))).toBeNull();
    expect(spentBudget({ ...run, granted: { ...granted, timeMs: 10 } }, at(10))).toBe('wall');
    expect(
      spentBudget({ ...run, granted: { ...granted, timeMs: 10 }, activeSince: null }, at(99)),
    ).toBeNull();
  });
  test('of unknown money halt nothing: tokens and time do (ruling 18)', () => {
    const usage = {
      costUsd: null,
      source: 'none',
      tokensIn: 5,
      tokensOut: 0,
      cacheRead: 0,
      cacheWrite: 0,
    } as const;
    const blind = runAfter(...working(), sealed(2, executed({ usage })));
    expect(blind.spent).toMatchObject({ costUsd: 0, costKnown: false });
    expect(spentBudget({ ...blind, granted: { ...granted, costUsd: 1 } }, at(0))).toBeNull();
  });
  test('that a lane was stopped by are guessed from what is set', () => {
    expect(likelyBudget({ ...granted, costUsd: 1 })).toBe('cost');
    expect(likelyBudget({ ...granted, tokens: 1 })).toBe('tokens');
    expect(likelyBudget(granted)).toBe('wall');
  });
});

test('an approval is resolved once, and later answers hear the first (A1, A2)', () => {
  const id = 'r.a1' as ApprovalId;
  const asked = { approval: id, outcome: 'approved', by: operator.actor } as const;
  expect(resolve({ status: 'open', id }, asked)).toEqual({ ok: true, value: asked });
  const resolved = { status: 'resolved', id, outcome: 'rejected', by: 'bob' } as const;
  expect(resolve(resolved, asked)).toEqual({
    ok: false,
    error: { code: 'approval.resolved', outcome: 'rejected', by: 'bob' },
  });
  expect(resolve(null, asked)).toEqual({ ok: false, error: { code: 'approval.unknown' } });
  expect(resolve({ status: 'open', id: 'r.a2' as ApprovalId }, asked).ok).toBe(false);
});

test('the default brakes are those of ruling 20, and hold money only where it is metered', () => {
  expect(defaultBrakes).toMatchObject({ attempts: 5, costUsd: 20, timeMs: 28_800_000 });
  expect(defaultBrakes).toMatchObject({ attemptTimeMs: 5_400_000, waitTimeMs: 43_200_000 });
  expect(brakesProblem(defaultBrakes)).toBeNull();
  expect(defaultBrakesFor({ metered: true }).costUsd).toBe(20);
  expect(defaultBrakesFor({ metered: false }).costUsd).toBeNull();
});

describe('escalation options (UX 5.1, RR-34)', () => {
  const reasons = Object.values(parkReasons).flat() as readonly ParkReason[];
  test.each(reasons)(
    '%s offers something to do, first what the page’s author would do',
    (reason) => {
      const options = optionsFor(reason, '7k2m');
      expect(options[0]?.command).not.toContain('<run>');
      expect(options.length).toBeLessThanOrEqual(8);
      expect(options.some(({ command }) => command.includes('cancel'))).toBe(true);
      // The run itself can go on, and is not begun anew or given up for want of a way.
      expect(options.some(({ command }) => /pawl (?:resume|answer) 7k2m/.test(command))).toBe(true);
      expect(escalations[reason].why).not.toMatch(/\.$/);
    },
  );
  test.each(reasons)(
    '%s leaves a human cancel, accept and a changed definition (EV-68)',
    (reason) => {
      const anything = [
        {},
        { isInPlace: true },
        { missing: { kind: 'secret', name: 'KEY' } as const },
      ];
      for (const more of anything) {
        const said = optionsFor(reason, '7k2m', { ...facts, ...more });
        for (const verb of ['cancel', 'accept', 'retry']) {
          expect(
            said.filter(({ command }) => command.startsWith(`pawl ${verb} 7k2m`)).length,
            verb,
          ).toBeGreaterThan(0);
        }
        expect(said.at(-1)?.command).toBe('pawl cancel 7k2m');
        expect(new Set(said.map(({ command }) => command)).size).toBe(said.length);
      }
    },
  );
  const facts = { best: 4, paths: ['a.ts', "it's b.ts"], maker: 'claude', isUnjudged: false };
  const first = (reason: ParkReason, more = {}) =>
    optionsFor(reason, '7k2m', { ...facts, ...more })[0];
  const commandsOf = (reason: ParkReason, more = {}) =>
    optionsFor(reason, '7k2m', { ...facts, ...more }).map(({ command }) => command);
  test.each(reasons)('%s prints only what can be typed as it stands', (reason) => {
    for (const more of [{}, { best: null, paths: [] }]) {
      const said = optionsFor(reason, '7k2m', { ...facts, ...more });
      for (const { command, text } of said) expect(command + text).not.toMatch(/<|\+n|\+\$/);
    }
  });
  test.each(reasons)(
    '%s: each way to resume brings what its reason needs (DESIGN 13)',
    (reason) => {
      const ways = commandsOf(reason).filter((command) => command.startsWith('pawl resume'));
      for (const way of ways) {
        const isMet = (need: string) =>
          need.split(' | ').some((flag) => way.includes(flag.split(' ')[0] ?? flag));
        expect(needsOf(reason).every(isMet) || way.includes('--verify-now'), way).toBe(true);
      }
    },
  );
  test('a missing secret or variable is not met by a login: the way to it comes first', () => {
    const isNotSet = 'KEY is not set for the driver: start the driver where it is, or …';
    expect(missingIn(isNotSet)).toEqual({ kind: 'variable', name: 'KEY' });
    expect(missingIn(`the secret TOKEN cannot be had (env: ${isNotSet})`)).toEqual({
      kind: 'variable',
      name: 'KEY',
      secret: 'TOKEN',
    });
    const unreadable = missingIn('the secret TOKEN cannot be had (file: /x: ENOENT)');
    expect(unreadable).toEqual({ kind: 'secret', name: 'TOKEN' });
    expect(missingIn('Not logged in · Please run /login')).toBeNull();
    const texts = (missing: ReturnType<typeof missingIn>) =>
      optionsFor('auth_required', '7k2m', { ...facts, missing }).map(({ text }) => text);
    expect(texts(null)[0]).toBe('log in (run claude once), then go on');
    expect(texts({ kind: 'variable', name: 'KEY' })[0]).toMatch(/^export KEY, end the driver/);
    const kept = { kind: 'variable', name: 'KEY', secret: 'TOKEN' } as const;
    expect(texts(kept)[1]).toBe('say where it is kept: secrets: { TOKEN: "file:…" }');
    expect(texts(unreadable).join(' ')).not.toContain('log in');
  });
  test('the first option is what the page’s author would do, by reason (UX 5.1)', () => {
    expect(first('auth_required')?.text).toBe('log in (run claude once), then go on');
    expect(first('drift_detected')?.command).toBe('pawl resume 7k2m --restore');
    expect(first('protected_changed')?.command).toBe('pawl resume 7k2m --restore');
    expect(first('unknown_outcome')?.command).toBe('pawl resume 7k2m --happened');
    expect(first('blocked_by_question')?.command).toBe('pawl answer 7k2m "…"');
    expect(first('verifier_unavailable')?.command).toBe('pawl resume 7k2m --now');
    expect(first('attempts_exhausted')?.command).toBe(
      'pawl resume 7k2m --attempts +3 --from-attempt 4',
    );
    expect(first('attempts_exhausted', { best: null })).toEqual({
      text: 'more attempts',
      command: 'pawl resume 7k2m --attempts +3',
    });
  });
  test('work that nobody has judged is judged before more is paid (ruling 3)', () => {
    expect(first('cost')?.command).toBe('pawl resume 7k2m --cost +5');
    expect(first('cost', { isUnjudged: true })?.command).toBe('pawl resume 7k2m --verify-now');
    expect(commandsOf('cost', { isUnjudged: true })).toHaveLength(commandsOf('cost').length);
    expect(first('auth_required', { isUnjudged: true })?.command).toBe('pawl resume 7k2m');
  });
  test('the paths are named as a shell takes them; too many are named by their pattern', () => {
    expect(commandsOf('drift_detected')[1]).toBe(
      `pawl resume 7k2m --allow a.ts --allow 'it'\\''s b.ts'`,
    );
    const many = Array.from({ length: 6 }, (_, i) => `f${i}`);
    expect(commandsOf('drift_detected', { paths: many })[1]).toBe("pawl resume 7k2m --allow '**'");
  });
  test('in the own folder nothing is offered that stands on a tree (UX 2.4)', () => {
    expect(commandsOf('protected_changed', { paths: ['a'], isInPlace: true })).toEqual([
      'pawl resume 7k2m --allow a',
      'pawl diff 7k2m',
      'pawl accept 7k2m --reason "…"',
      'pawl retry 7k2m --edit',
      'pawl cancel 7k2m',
    ]);
    const all = reasons.flatMap((reason) => commandsOf(reason, { isInPlace: true }));
    expect(all.filter((command) => /--restore|--verify-now/.test(command))).toEqual([]);
    for (const reason of reasons) {
      expect(commandsOf(reason, { isInPlace: true, isUnjudged: true }).length).toBeGreaterThan(1);
    }
  });
  test.each(reasons)(
    '%s names another agent where one is known, and else offers none',
    (reason) => {
      const named = (more: object) =>
        commandsOf(reason, more).filter((one) => / --agent/.test(one));
      expect([named({}), named({ agent: null })]).toEqual([[], []]);
      const isOffered = escalations[reason].options.some(({ text }) => text === otherAgent.text);
      const all = isOffered ? ['pawl retry 7k2m --agent pi --from last'] : [];
      expect(named({ agent: 'pi' })).toEqual(all);
    },
  );
  test.each(reasons)('%s offers what its resume needs (DESIGN 13)', (reason) => {
    const flags = needsOf(reason).flatMap((need) => need.match(/--[a-z-]+|^answer/g) ?? []);
    const commands = optionsFor(reason, '7k2m')
      .map(({ command }) => command)
      .join('\n');
    for (const flag of flags) expect(commands).toContain(flag);
  });
});
