/** Goal: S1–S5 of lane.ts hold whatever is seen. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { looksMin, recoveryFigures } from './figures.ts';
import { decideLane, type LaneFacts, type LaneStep, type Sighted } from './lane.ts';

const sighted = fc.constantFrom<Sighted>(
  ...(['alive', 'silent', 'elsewhere', 'sealed', 'dead', 'untraced'] as const),
);
const told = fc.record({
  state: fc.constantFrom('stalled', 'working_tool', 'working_protocol', 'quiet', 'starting'),
  reason: fc.constantFrom(null, 'awaiting_input', 'tool_progress', 'tool_ceiling', 'frozen', 'odd'),
  delivery: fc.constantFrom(null, 'sent', 'seen', 'started', 'failed'),
  stalledMs: fc.nat(300_000),
});
const facts: fc.Arbitrary<LaneFacts> = fc.record({
  sighted,
  forMs: fc.nat(300_000),
  ttlMs: fc.constantFrom(1, 30_000),
  lost: fc.constant(null),
  isHumanAsked: fc.boolean(),
  told: fc.option(told),
  nudges: fc.nat(6),
  looks: fc.nat(4),
});
const figures = fc
  .record({
    requeues: fc.nat(20),
    transfers: fc.nat(20),
    nudges: fc.nat(5),
    silenceMs: fc.integer({ min: 30_000, max: 3_600_000 }),
  })
  .map(recoveryFigures);
const check = (holds: (one: LaneFacts, step: LaneStep, terms: typeof usual) => void) =>
  fc.assert(
    fc.property(facts, figures, (one, terms) => {
      holds(one, decideLane(one, terms).step, terms);
    }),
    { numRuns: 500 },
  );
const usual = recoveryFigures({ requeues: 2, transfers: 3 });

const isHeard = ({ sighted: how, forMs, ttlMs }: LaneFacts) =>
  how === 'alive' || ((how === 'silent' || how === 'elsewhere') && forMs < ttlMs);

test('S1: who waits for a human or is inside a tool call is left alone while its holder lives', () => {
  check((one, step) => {
    const isSpared =
      one.isHumanAsked ||
      one.told?.reason === 'awaiting_input' ||
      one.told?.state === 'working_tool';
    if (isHeard(one) && isSpared) expect(step.do).toBe('leave');
  });
});

test('S2: what is positively dead is acted on at the first look', () => {
  check((one, step) => {
    if (['dead', 'sealed', 'untraced'].includes(one.sighted)) {
      expect(step.do).not.toBe('leave');
      expect(step.do).not.toBe('nudge');
    }
  });
});

test('S3: a deadline alone needs two looks that agree', () => {
  check((one, step) => {
    if (isHeard(one) && one.looks < looksMin) expect(step.do).toBe('leave');
  });
});

test('S4: nudges are bounded, numbered, and come before the end, which noise cannot put off', () => {
  check((one, step, terms) => {
    if (step.do === 'nudge') {
      expect(step.n).toBe(one.nudges + 1);
      expect(step.n).toBeLessThanOrEqual(terms.nudges);
      expect(one.told?.stalledMs).toBeLessThan(terms.silenceMs);
    }
    const isOver = one.told?.state === 'stalled' && one.told.stalledMs >= terms.silenceMs;
    const isSpared = one.isHumanAsked || one.told?.reason === 'awaiting_input';
    if (isHeard(one) && isOver && !isSpared && one.looks >= looksMin) expect(step.do).toBe('end');
  });
});

test('S5: the same look gives the same answer, and a nudge that was given is not given again', () => {
  check((one, step, terms) => {
    expect(decideLane(one, terms).step).toEqual(step);
    if (step.do !== 'nudge') return;
    const after = decideLane({ ...one, nudges: step.n }, terms).step;
    if (after.do === 'nudge') expect(after.n).toBe(step.n + 1);
  });
});
