/** Goal: a notice is planned before it is sent, settled once, and counted by where it went. */
import { expect, test } from 'vitest';
import { automation, command, driver, start } from '../../../test/support/run-fixtures.ts';
import { decide } from './decide.ts';
import { evolve, initialRun } from './evolve.ts';
import type { RunCommand } from './message.ts';
import type { LivingRun, RunState } from './state.ts';

const plan = (about: number, to: readonly string[], issuer = driver) =>
  command({ type: 'plan_notice', about, kind: 'needs_operator', to }, 5, issuer);
const outcome = (about: number, to: string, state: 'delivered' | 'not_delivered', detail = '') =>
  command({ type: 'record_notice', about, to, state, detail }, 6, driver);

function after(...commands: readonly RunCommand[]): RunState {
  return commands.reduce<RunState>((state, each) => {
    const decision = decide(state, each);
    if (!decision.ok) throw new Error(decision.error.code);
    return decision.value.reduce(evolve, state);
  }, initialRun);
}
const noticesOf = (state: RunState) => (state as LivingRun).notices;

test('what is planned waits for its outcome; the same plan again is a no-op (L-H9)', () => {
  const planned = after(start(), plan(7, ['desktop', 'ntfy:ntfy.sh']));
  expect(noticesOf(planned)).toEqual({
    seen: 7,
    pending: [
      { about: 7, kind: 'needs_operator', to: 'desktop' },
      { about: 7, kind: 'needs_operator', to: 'ntfy:ntfy.sh' },
    ],
    told: [],
  });
  for (const again of [7, 3]) {
    expect(decide(planned, plan(again, ['desktop']))).toEqual({ ok: true, value: [] });
  }
});

test('a plan without a target is none, and targets are bounded and told apart', () => {
  expect(noticesOf(after(start(), plan(7, [])))).toBeUndefined();
  const many = Array.from({ length: 12 }, (_, i) => `command:${i % 10}`);
  expect(noticesOf(after(start(), plan(7, many)))?.pending.length).toBe(8);
});

test('an outcome is counted once, by target; nobody waits for another', () => {
  const sent = after(
    start(),
    plan(7, ['desktop', 'ntfy:ntfy.sh']),
    outcome(7, 'desktop', 'not_delivered', 'no display'),
    outcome(7, 'desktop', 'delivered'),
    outcome(8, 'ntfy:ntfy.sh', 'delivered'),
    outcome(7, 'ntfy:ntfy.sh', 'delivered'),
    plan(9, ['desktop']),
    outcome(9, 'desktop', 'not_delivered', 'still no display'),
    plan(11, ['desktop']),
    outcome(11, 'desktop', 'delivered'),
  );
  expect(noticesOf(sent)).toEqual({
    seen: 11,
    pending: [],
    told: [
      { to: 'ntfy:ntfy.sh', delivered: 1, notDelivered: 0, detail: '' },
      { to: 'desktop', delivered: 1, notDelivered: 2, detail: 'still no display' },
    ],
  });
});

test('only the machinery tells what was sent (DESIGN 11a)', () => {
  expect(decide(after(start()), plan(1, ['desktop'], { ...automation, kind: 'lane' }))).toEqual({
    ok: false,
    error: { code: 'principal.refused', command: 'plan_notice', kind: 'lane' },
  });
});

test('the counts stay when the run moves on (R8)', () => {
  const moved = after(
    start(),
    plan(7, ['desktop']),
    command({ type: 'pause', now: false }),
    command({ type: 'cancel', note: '', leased: false }, 9),
  );
  expect(moved.status).toBe('cancelled');
  expect(noticesOf(moved)?.seen).toBe(7);
});
