/** Goal: only a human lifts a gate, and a wrong verb is answered with the right one. */
import { expect, test } from 'vitest';
import { at, commit, exampleView } from '../../test/support/example-run.ts';
import { claude, typed } from '../../test/support/scripted-cli.ts';
import { scriptedClient } from '../../test/support/scripted-client.ts';
import type { RunView } from '../ports/client.ts';
import type { ApprovalId } from '../ports/words.ts';

const parked = (change: Partial<RunView> = {}): RunView =>
  exampleView({
    status: 'needs_operator',
    phase: null,
    disposition: 'escalated',
    reason: 'attempts_exhausted',
    detail: 'npm test exit 1 · 9 failed',
    options: [{ command: 'pawl resume 7k2m --attempts +3', effect: 'more attempts' }],
    ...change,
  });
const gated = (): RunView =>
  exampleView({
    status: 'waiting_human',
    phase: null,
    gate: {
      kind: 'manual',
      approval: '7k2mab34cd56.a1' as ApprovalId,
      look: 'Look at /settings',
      commit: commit('9'),
      step: 1,
      askedAt: at(0),
      expiresAt: null,
    },
  });
const complete = (change: Partial<RunView> = {}): RunView =>
  exampleView({ status: 'complete', phase: null, verification: 'passed', ...change });
const called = (view: RunView) => scriptedClient([view]);

const gates = [
  [['resume', '7k2m', '--attempts', '+3'], parked],
  [['accept', '7k2m', '--reason', 'known'], parked],
  [['consult', '7k2m'], parked],
  [['answer', '7k2m', 'keep it'], () => parked({ reason: 'blocked_by_question' })],
  [['retry', '7k2m'], parked],
  [['approve', '7k2m'], gated],
  [['reject', '7k2m', '--note', 'cut off'], gated],
  [['land', '7k2m'], complete],
] as const;

test.each(gates)(
  '%j by an agent is refused, and recorded on the run (UX 4.4-10, 0.4)',
  async (line, make) => {
    const client = called(make());
    const { exit, err } = await typed(line, { client, principal: claude });
    expect(exit).toBe(2);
    const does = line[0] === 'consult' ? 'spends on opinions' : 'lifts a halt';
    expect(err).toContain(
      `error[human_required]: "pawl ${line[0]}" ${does}, and only a human may do that`,
    );
    expect(err).toContain(
      'found        started by claude (CLAUDECODE is set), not from a terminal',
    );
    expect(err).toContain('next         ask the operator to run:  pawl');
    expect(client.calls.map(({ verb }) => verb)).toEqual(['recordRefusal', 'close']);
    expect(client.calls[0]?.details[1]).toMatchObject({
      kind: 'automation',
      actor: 'claude',
      ancestry: 'agent',
    });
  },
);

test('the words of the refusal are those of the specification (UX 4.4-10)', async () => {
  const { err } = await typed(['resume', '7k2m', '--attempts', '+3'], {
    client: called(parked()),
    principal: claude,
  });
  expect(err).toBe(`error[human_required]: "pawl resume" lifts a halt, and only a human may do that
  found        started by claude (CLAUDECODE is set), not from a terminal
  next         ask the operator to run:  pawl resume 7k2m --attempts +3
`);
});

test('without a terminal nobody is a human', async () => {
  const pipe = { stdoutIsTerminal: false };
  expect(
    await typed(['approve', '7k2m'], { client: called(gated()), principal: pipe }),
  ).toMatchObject({ exit: 2 });
});

test('a terminal whose ancestors cannot be told is a human, recorded as unknown', async () => {
  const client = called(gated());
  expect(
    (await typed(['approve', '7k2m'], { client, principal: { ancestry: 'unknown' } })).exit,
  ).toBe(0);
  expect(client.calls[0]?.details.at(-1)).toMatchObject({
    kind: 'human',
    channel: 'terminal',
    ancestry: 'unknown',
  });
});

test('prune -y is for humans; to look is for everybody', async () => {
  const client = scriptedClient();
  expect((await typed(['prune', '-y'], { client, principal: claude })).exit).toBe(2);
  expect((await typed(['prune'], { client, principal: claude })).out).toContain(
    'nothing was removed',
  );
  expect(client.calls.some(({ verb }) => verb === 'prune')).toBe(false);
});

test.each([
  [
    ['approve', '7k2m'],
    parked(),
    '7k2m is parked (attempts spent), not waiting for approval. Did you mean: pawl resume 7k2m --attempts +3',
  ],
  [
    ['resume', '7k2m'],
    gated(),
    '7k2m is waiting for approval, not paused or parked. Did you mean: pawl approve 7k2m',
  ],
  [
    ['resume', '7k2m'],
    exampleView(),
    '7k2m is active, not paused or parked. Did you mean: pawl watch 7k2m',
  ],
  [
    ['answer', '7k2m', 'x'],
    parked(),
    '7k2m is parked (attempts spent), not waiting for an answer.',
  ],
  [
    ['accept', '7k2m', '--reason', 'x'],
    exampleView({ status: 'paused', phase: null }),
    '7k2m is paused, not parked. Did you mean: pawl resume 7k2m',
  ],
  [['pause', '7k2m'], complete(), '7k2m is complete, not active. Did you mean: pawl land 7k2m'],
  [['cancel', '7k2m'], complete(), '7k2m is complete, not open.'],
  [['land', '7k2m'], exampleView(), '7k2m is active, not complete. Did you mean: pawl watch 7k2m'],
  [['hint', '7k2m', 'x'], complete(), '7k2m is complete, not open.'],
  [['retry', '7k2m'], exampleView(), '7k2m is active, not ended or parked.'],
])('%j in the wrong state is answered with the right verb (UX 2.2)', async (line, view, words) => {
  const client = called(view);
  const { exit, err } = await typed(line, { client });
  expect(exit).toBe(2);
  expect(err).toContain(`error[wrong_verb]: ${words}`);
  expect(client.calls.map(({ verb }) => verb)).toEqual(['close']);
});

const grants = ['--attempts', '+3', '--cost', '+$2.50', '--tokens', '1000', '--time', '+2h'];

test('resume hands over every grant as it was typed', async () => {
  const granted = { ...exampleView().granted, tokens: 5 };
  const attempt = { outcome: 'failed', summary: '', receipt: null, failedTests: 1 } as const;
  const attempts = [{ ...attempt, n: 4, commit: commit('4'), score: null, endedAt: at(9) }];
  const client = called(parked({ granted, attempts }));
  await typed(['resume', '7k2m', ...grants, '--hint', 'weeks.ts', '--from-attempt', '4'], {
    client,
  });
  expect(client.calls[0]?.details[0]).toEqual({
    grants: { attempts: 3, costUsd: 2.5, tokens: 1000, timeMs: 7_200_000 },
    hint: 'weeks.ts',
    verifyNow: null,
    restore: false,
    allow: [],
    happened: null,
    fresh: false,
    now: false,
    fromAttempt: 4,
  });
});

test.each([
  [['--allow', 'a', '--allow', 'b'], 'drift_detected', { allow: ['a', 'b'], restore: false }],
  [['--restore'], 'protected_changed', { restore: true, allow: [] }],
  [['--did-not-happen'], 'unknown_outcome', { happened: false }],
  [['--happened', '--fresh'], 'unknown_outcome', { happened: true, fresh: true }],
] as const)('resume %j goes to a run that is parked for it: %s', async (flags, reason, request) => {
  const client = called(parked({ reason }));
  expect((await typed(['resume', '7k2m', ...flags], { client })).exit).toBe(0);
  expect(client.calls[0]?.details[0]).toMatchObject(request);
});

const waiting = exampleView({
  phase: 'waiting',
  waiting: { reason: 'rate_limited', until: at(9_000), detail: '' },
});
test.each([
  [['--restore'], parked(), '--restore does not fit: 7k2m is parked (attempts spent)'],
  [
    ['--restore'],
    parked({ reason: 'protected_changed', branch: null }),
    'it works in /home/me/dates itself, where nothing is put back',
  ],
  [['--allow', 'x'], parked(), '--allow does not fit: 7k2m is parked (attempts spent)'],
  [['--happened'], parked(), '--happened does not fit: 7k2m is parked (attempts spent)'],
  [['--tokens', '+5'], parked(), '--tokens grants nothing: 7k2m has no such brake'],
  [['--from-attempt', '9'], parked(), 'attempt 9 has no recorded work'],
  [
    ['--fresh', '--verify-now'],
    parked(),
    '--verify-now and --fresh each say where the run goes on',
  ],
  [['--now', '--cost', '+5'], waiting, '7k2m is waiting (rate limited): only --now fits'],
] as const)(
  'resume %j where it would change nothing is refused: %#',
  async (flags, view, words) => {
    const client = called(view);
    const { exit, err } = await typed(['resume', '7k2m', ...flags], { client });
    expect({ exit, calls: client.calls.map(({ verb }) => verb) }).toEqual({
      exit: 2,
      calls: ['close'],
    });
    expect(err).toContain(words);
    expect(err).toMatch(/\n {2}next {9}pawl (?:resume|show) 7k2m/);
  },
);

test('--verify-now records the worktree as it is, and judges that commit', async () => {
  const client = called(parked());
  await typed(['resume', '7k2m', '--verify-now'], { client });
  expect(client.calls[0]?.details[0]).toMatchObject({ verifyNow: { commit: commit('7') } });
});

test('accept needs a reason, reject a note', async () => {
  expect((await typed(['accept', '7k2m'], { client: called(parked()) })).err).toContain(
    'error[note_missing]',
  );
  expect((await typed(['reject', '7k2m'], { client: called(gated()) })).err).toContain(
    'error[note_missing]',
  );
});

test('a grant of a brake that a run has not is answered with the one that it needs', async () => {
  const client = scriptedClient([
    exampleView({
      status: 'needs_operator',
      phase: null,
      reason: 'attempts_exhausted',
      granted: { ...exampleView().granted, costUsd: null },
      options: [
        { command: 'pawl retry 7k2m', effect: 'anew' },
        { command: 'pawl resume 7k2m --attempts +3', effect: 'more attempts' },
      ],
    }),
  ]);
  const { exit, err } = await typed(['resume', '7k2m', '--cost', '+5'], { client });
  expect(exit).toBe(2);
  expect(err).toContain('--cost grants nothing: 7k2m has no such brake');
  expect(err).toContain('next         pawl resume 7k2m --attempts +3');
});
