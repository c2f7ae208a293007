/**
 * Goal: in every state every verb either works or is refused with one that does (UX 2.2).
 * Method: all pairs. A refusal names a command; that command is typed, filled in, on the same run.
 */
import { expect, test } from 'vitest';
import { at, commit, exampleView } from '../../test/support/example-run.ts';
import { typed } from '../../test/support/scripted-cli.ts';
import { scriptedClient } from '../../test/support/scripted-client.ts';
import { optionsFor } from '../domain/escalation/options.ts';
import { parkReasons } from '../domain/run/state.ts';
import type { RunView } from '../ports/client.ts';
import type { ApprovalId, ParkReason } from '../ports/words.ts';

const gate = { approval: '7k2mab34cd56.a1' as ApprovalId, askedAt: at(0), expiresAt: null };
const attempts: RunView['attempts'] = [
  {
    n: 1,
    outcome: 'failed',
    summary: '2 failed',
    commit: commit('9'),
    receipt: null,
    failedTests: 2,
    score: null,
    endedAt: at(100),
  },
];
const resting = { phase: null, attempts, best: 1 } as const;
const settled = { ...resting, status: 'complete', verification: 'passed' } as const;

/** As the engine shows it: the options with the id and the best attempt filled in. */
function parked(reason: ParkReason): RunView {
  const options = optionsFor(reason, '7k2m').map(({ text, command }) => ({
    effect: text,
    command: command.replaceAll('<n>', '1'),
  }));
  const granted = { ...exampleView().granted, tokens: 1_000, steps: 10 };
  const paths = ['ci.yml'];
  const disposition = 'escalated' as const;
  return exampleView({
    ...{ ...resting, status: 'needs_operator', disposition, reason, options, granted, paths },
  });
}

const states: Readonly<Record<string, RunView>> = {
  active: exampleView(),
  waiting: exampleView({
    phase: 'waiting',
    waiting: { reason: 'rate_limited', until: at(9_000), detail: '' },
  }),
  'waiting_human: manual': exampleView({
    ...{ ...resting, status: 'waiting_human' },
    gate: { ...gate, kind: 'manual', look: 'look', commit: commit('9'), step: 1 },
  }),
  'waiting_human: protected': exampleView({
    ...{ ...resting, status: 'waiting_human' },
    gate: { ...gate, kind: 'protected', commit: commit('9'), paths: ['ci.yml'] },
  }),
  paused: exampleView({ ...resting, status: 'paused' }),
  cancelling: exampleView({ ...resting, status: 'cancelling' }),
  complete: exampleView(settled),
  'complete: overridden': exampleView({ ...settled, verification: 'overridden' }),
  'complete: landed': exampleView({ ...settled, landed: { commit: commit('8'), into: 'main' } }),
  'complete: no work': exampleView({ ...settled, head: null, attempts: [] }),
  cancelled: exampleView({ ...resting, status: 'cancelled', cancelCause: 'cancelled' }),
  'cancelled: no branch': exampleView({
    ...{ ...resting, status: 'cancelled', cancelCause: 'refused', branch: null },
  }),
  ...Object.fromEntries(
    Object.values(parkReasons)
      .flat()
      .map((reason) => [`needs_operator: ${reason}`, parked(reason)]),
  ),
};

const verbs: Readonly<Record<string, readonly string[]>> = {
  hint: ['hint', '7k2m', 'x'],
  pause: ['pause', '7k2m'],
  cancel: ['cancel', '7k2m'],
  resume: ['resume', '7k2m'],
  'resume --now': ['resume', '7k2m', '--now'],
  approve: ['approve', '7k2m', '--yes'],
  reject: ['reject', '7k2m', '--note', 'x'],
  answer: ['answer', '7k2m', 'x'],
  accept: ['accept', '7k2m', '--reason', 'x'],
  retry: ['retry', '7k2m', '-d', '--agent-cmd', 'a'],
  land: ['land', '7k2m'],
};

/** UX 2.2: what each state takes. */
const taken: readonly (readonly [state: RegExp, verbs: readonly string[]])[] = [
  [/^active/, ['hint', 'pause', 'cancel']],
  [/^waiting$/, ['hint', 'pause', 'cancel', 'resume --now']],
  [/^waiting_human/, ['hint', 'cancel', 'approve', 'reject']],
  [/^paused/, ['hint', 'cancel', 'resume', 'resume --now']],
  [/blocked_by_question/, ['hint', 'cancel', 'answer', 'accept', 'retry']],
  [/^needs_operator/, ['hint', 'cancel', 'resume', 'resume --now', 'accept', 'retry']],
  [/^cancelling/, ['hint', 'cancel']],
  [/landed/, ['retry']],
  [/no work/, ['retry']],
  [/^complete/, ['land', 'retry']],
  [/^cancelled/, ['retry']],
];
const takes = (state: string): readonly string[] =>
  taken.find(([pattern]) => pattern.test(state))?.[1] ?? [];

/** Placeholders as a person would fill them in. */
const filled = (command: string): readonly string[] =>
  command
    .split(/ {2,}/)[0]
    ?.replaceAll('"…"', 'text')
    .replaceAll('+n', '+1')
    .replaceAll('+$', '+5')
    .replaceAll('<path>…', 'ci.yml')
    .replaceAll('<name>', 'claude')
    .split(' ')
    .slice(1) ?? [];

const pairs = Object.keys(states).flatMap((state) =>
  Object.keys(verbs).map((verb) => [state, verb] as const),
);

test.each(pairs)('%s × %s', async (state, verb) => {
  const view = states[state] ?? exampleView();
  const type = (line: readonly string[]) => typed(line, { client: scriptedClient([view]) });
  const { exit, err } = await type(verbs[verb] ?? []);
  if (takes(state).includes(verb)) {
    expect({ exit, err }).toEqual({ exit: 0, err: '' });
    return;
  }
  expect(exit).toBeGreaterThan(0);
  expect(err).toMatch(/^error\[(?:wrong_verb|land_refused)\]/);
  const next = /\n {2}next {9}(pawl .+)/.exec(err)?.[1] ?? '';
  expect(next).toContain('7k2m');
  // Looking is taken in every state, and a live view of a run that nobody moves has no end.
  if (next.startsWith('pawl watch ')) return;
  const again = await type([...filled(next), '--json']);
  expect(again.out).not.toContain('pawl.error/1');
});

test('every state of a run is in the table', () => {
  const statuses = new Set(Object.values(states).map(({ status }) => status));
  expect([...statuses].sort()).toEqual([
    'active',
    'cancelled',
    'cancelling',
    'complete',
    'needs_operator',
    'paused',
    'waiting_human',
  ]);
});
