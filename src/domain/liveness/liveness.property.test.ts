/**
 * Goal: the invariants of the rule hold after any signals whatever. Method: random sequences of
 * observations with random gaps, among them sleep, stopped processes and clocks that go back; each
 * property is titled by the invariants that it tries.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { classify, type Liveness, livenessAt, observe } from './classify.ts';
import type { TreeLook } from './evidence.ts';
import { livenessDefaults as figures } from './figures.ts';
import { blankScreen, isProducing, sampled } from './screen.ts';
import { beginWatch, type LaneTerms, type LaneWatch, type Observation } from './watch.ts';

type Seen = Observation extends infer One
  ? One extends unknown
    ? Omit<One, 'atMs'>
    : never
  : never;

const id = fc.constantFrom('a', 'b', 'c');
const call = fc.nat(3);
const timeoutMs = fc.option(fc.integer({ min: 1_000, max: 900_000 }));
const process = fc.record({
  id: fc.constantFrom('root', 'x', 'y'),
  state: fc.constantFrom('R', 'S', 'T', 'Z'),
  cpuTicks: fc.nat(100_000),
  written: fc.option(fc.nat(100_000)),
});
const look: fc.Arbitrary<TreeLook> = fc.record({
  isRootAlive: fc.constant(true),
  processes: fc.array(process, { maxLength: 3 }),
});
const rows = fc.array(fc.constantFrom('one row', 'two rows', '⠧ wait 3s', 'retrying', 'row of 5'), {
  maxLength: 3,
});
const plain = (kind: 'work' | 'notice' | 'poll' | 'turn_ended' | 'answered' | 'bytes') =>
  fc.constant<Seen>({ kind });
const lifecycle = fc.constantFrom('starting', 'live', 'completing', 'idle');

const signs: fc.Arbitrary<Seen> = fc.oneof(
  plain('work'),
  plain('bytes'),
  plain('poll'),
  plain('turn_ended'),
  plain('answered'),
  fc.record({ kind: fc.constant('tool_started'), id, name: id, timeoutMs }),
  fc.record({ kind: fc.constant('tool_ended'), id }),
  fc.record({ kind: fc.constant('asked'), tool: fc.option(id) }),
  fc.record({ kind: fc.constant('lifecycle'), state: lifecycle }),
  fc.record({ kind: fc.constant('request'), call }),
  fc.record({ kind: fc.constant('response'), call, isOk: fc.boolean() }),
  fc.record({ kind: fc.constant('processes'), look }),
  fc.record({ kind: fc.constant('files'), newest: fc.nat(50) }),
  fc.record({ kind: fc.constant('screen'), rows }),
  fc.constant<Seen>({ kind: 'baseline' }),
  fc.constant<Seen>({ kind: 'resized' }),
  fc.constant<Seen>({ kind: 'wrote' }),
) as fc.Arbitrary<Seen>;

const gapMs = fc.oneof(
  { arbitrary: fc.integer({ min: 0, max: 6_000 }), weight: 9 },
  { arbitrary: fc.integer({ min: -5_000, max: 90_000_000 }), weight: 1 },
);
const history = fc.record({
  terms: fc.record({ hasDoor: fc.boolean(), modelTimeoutMs: timeoutMs, timeoutMs }),
  steps: fc.array(fc.tuple(gapMs, signs), { maxLength: 60 }),
});

interface History {
  readonly terms: LaneTerms;
  readonly steps: readonly (readonly [number, Seen])[];
}

/** Every watch on the way, the last one last. */
function lived({ terms, steps }: History): readonly [LaneWatch, ...LaneWatch[]] {
  const all: [LaneWatch, ...LaneWatch[]] = [beginWatch(terms, 0)];
  let watch = all[0];
  let atMs = 0;
  for (const [gap, seen] of steps) {
    atMs += gap;
    watch = observe(watch, { ...seen, atMs } as Observation, figures);
    all.push(watch);
  }
  return all;
}
const last = (one: History): LaneWatch => {
  const all = lived(one);
  return all.at(-1) ?? all[0];
};

/** Looks that find nothing, every two seconds. */
function* silence(from: LaneWatch, seconds: number): Iterable<Liveness> {
  let watch = from;
  for (let s = 2; s <= seconds; s += 2) {
    watch = observe(watch, { kind: 'notice', atMs: from.rawMs + s * 1_000 }, figures);
    yield classify(watch, figures);
  }
}

const holds = (property: (one: History) => void) =>
  fc.assert(fc.property(history as fc.Arbitrary<History>, property));
const isWorking = ({ state }: Liveness) => state.startsWith('working');
const within = (at: number | null, now: number, ms: number) => at !== null && now - at <= ms;

/** What may stand behind a working state, and whether it does. */
function signsBehind({ state, leftMs }: Liveness, watch: LaneWatch): readonly boolean[] {
  const { nowMs, lastWorkMs, lastFileMs, evidence, screen } = watch;
  if (state === 'working_protocol') return [within(lastWorkMs, nowMs, 30_000)];
  if (state === 'working_tool') return [leftMs !== null && leftMs > 0];
  return [
    within(lastFileMs, nowMs, 30_000),
    within(screen.countedMs.at(-3) ?? null, nowMs, 20_000),
    within(evidence.lastCpuMs, nowMs, 10_000),
  ];
}

describe('liveness', () => {
  test('L1: a program that is gone is dead at once', () =>
    holds((one) => {
      const before = last(one);
      const stopped = { id: 'root', state: 'T', cpuTicks: 0, written: 0 };
      const gone: TreeLook = { isRootAlive: false, processes: [stopped] };
      const { rawMs } = before;
      const watch = observe(before, { kind: 'processes', look: gone, atMs: rawMs }, figures);
      expect(livenessAt(watch, rawMs + 4_000, figures)).toMatchObject({ state: 'dead' });
    }));

  test('L2: a frozen tree is stalled, whatever else is seen (L-D12)', () =>
    holds((one) => {
      const before = last(one);
      const stopped = { id: 'root', state: 'T', cpuTicks: 0, written: 0 };
      const tree: TreeLook = { isRootAlive: true, processes: [stopped] };
      const atMs = before.rawMs;
      let watch = observe(before, { kind: 'processes', look: tree, atMs }, figures);
      for (const after of [0, 1_000, 2_000]) {
        watch = observe(watch, { kind: 'bytes', atMs: atMs + after }, figures);
      }
      expect(classify(watch, figures)).toMatchObject({ state: 'stalled', reason: 'frozen' });
    }));

  test('L3: a working state has a sign within its window (RR-6)', () =>
    holds((one) => {
      for (const watch of lived(one)) {
        const liveness = classify(watch, figures);
        if (isWorking(liveness)) expect(signsBehind(liveness, watch)).toContain(true);
      }
    }));

  test('L4: work of the protocol is never called stalled, unless frozen (RR-6)', () =>
    holds((one) => {
      for (const watch of lived(one)) {
        const { state, reason } = classify(watch, figures);
        if (state !== 'stalled' || reason === 'frozen') continue;
        expect(within(watch.lastWorkMs, watch.nowMs, 30_000)).toBe(false);
        if (reason?.startsWith('tool')) continue;
        expect(within(watch.lastFileMs, watch.nowMs, 30_000)).toBe(false);
        expect(isProducing(watch.screen, watch.nowMs, figures)).toBe(false);
      }
    }));

  test('L5: without a new sign a lane is called stalled, or waits for a human (RR-12)', () =>
    holds((one) => {
      const end = [...silence(last(one), 3_600)].at(-1);
      const isHuman = end?.reason === 'awaiting_input';
      expect(isHuman ? 'stalled' : end?.state).toBe('stalled');
    }));

  test('L6: notices change nothing but that time passes (L-D13)', () =>
    holds((one) => {
      const watch = last(one);
      const noticed = observe(watch, { kind: 'notice', atMs: watch.rawMs + 1_500 }, figures);
      expect(classify(noticed, figures)).toEqual(livenessAt(watch, watch.rawMs + 1_500, figures));
    }));

  test('L7: time that nobody watched counts as one look (L-D19)', () =>
    holds((one) => {
      const watch = last(one);
      const slept = livenessAt(watch, watch.rawMs + 8 * 3_600_000, figures);
      const looked = livenessAt(watch, watch.rawMs + figures.lookEveryMs, figures);
      const told = ({ state, reason, leftMs }: Liveness) => ({ state, reason, leftMs });
      expect(told(slept)).toEqual(told(looked));
    }));

  test('L8: no clock runs while a human is waited for', () =>
    holds((one) => {
      const watch = last(one);
      if (classify(watch, figures).reason !== 'awaiting_input') return;
      let later = watch;
      for (let s = 0; s < 7_200; s += 2) {
        later = observe(later, { kind: 'notice', atMs: watch.rawMs + s * 1_000 }, figures);
      }
      const answered = (of: LaneWatch) =>
        classify(observe(of, { kind: 'answered', atMs: of.rawMs }, figures), figures);
      expect(answered(later)).toEqual(answered(watch));
    }));

  test('L9: a tool that only repaints is found, and its ceiling is reset by nothing', () => {
    const begun = beginWatch({ hasDoor: true, modelTimeoutMs: null, timeoutMs: null }, 0);
    const opened = { kind: 'tool_started', id: 'a', name: 'a', timeoutMs: null, atMs: 0 } as const;
    const repaint = fc.array(rows, { minLength: 900, maxLength: 900 });
    fc.assert(
      fc.property(repaint, fc.boolean(), (screens, isComputing) => {
        let watch = observe(begun, opened, figures);
        let stalled: number | null = null;
        screens.forEach((shown, index) => {
          const atMs = (index + 1) * 2_000;
          const busy = { id: 'x', state: 'R', cpuTicks: index * 100, written: 0 };
          const tree: TreeLook = { isRootAlive: true, processes: isComputing ? [busy] : [] };
          watch = observe(watch, { kind: 'processes', look: tree, atMs }, figures);
          watch = observe(watch, { kind: 'screen', rows: shown, atMs }, figures);
          if (classify(watch, figures).state === 'stalled') stalled ??= atMs;
        });
        expect(stalled).toBe(isComputing ? 1_800_000 : 600_000);
      }),
      { numRuns: 10, endOnFailure: true },
    );
  });

  test('L10: without new signs a lane only falls', () =>
    holds((one) => {
      const rank = (liveness: Liveness) =>
        isWorking(liveness) ? 0 : ['quiet', 'stalled', 'dead'].indexOf(liveness.state) + 1;
      // A process that was just seen is a tool's only once it is three seconds old.
      const ranks = [...silence(last(one), 2_400)].slice(2).map(rank);
      expect(ranks).toEqual([...ranks].sort((a, b) => a - b));
    }));

  test('W1: the watched clock never goes back, and never runs faster than time', () =>
    holds((one) => {
      const all = lived(one);
      all.slice(1).forEach((watch, index) => {
        const before = all[index] ?? watch;
        expect(watch.nowMs).toBeGreaterThanOrEqual(before.nowMs);
        expect(watch.nowMs - before.nowMs).toBeLessThanOrEqual(watch.rawMs - before.rawMs);
      });
    }));

  test('W3: what is remembered is bounded', () =>
    holds((one) => {
      const { tools, inFlight, evidence, screen } = last(one);
      expect(Math.max(tools.size, inFlight.size, evidence.cpu.length)).toBeLessThanOrEqual(64);
      expect(screen.countedMs.length).toBeLessThanOrEqual(21);
    }));
});

describe('screens', () => {
  const glyph = fc.constantFrom('⠋', '⠙', '✻', '|', '/', '…', '■', '');
  const repaint = fc
    .tuple(glyph, fc.nat(59), fc.nat(59))
    .map(([spin, minutes, seconds]) => [
      ...[
        `${spin} Working (${minutes}m ${seconds}s • esc to interrupt)`,
        `${spin} 0${minutes % 10}:12`,
      ],
    ]);
  test('N1: a repaint is never work, whatever its glyphs and timers', () => {
    fc.assert(
      fc.property(fc.array(repaint, { minLength: 3, maxLength: 50 }), (frames) => {
        const end = frames.reduce(
          (watch, shown, index) => sampled(watch, shown, index * 1_000, figures),
          blankScreen,
        );
        expect(end.producedMs).toBeNull();
      }),
    );
  });
  test('N3: what was shown once is never new again', () => {
    fc.assert(
      fc.property(fc.array(rows, { maxLength: 20 }), (frames) => {
        const play = (from: typeof blankScreen) =>
          frames.reduce((watch, shown, n) => sampled(watch, shown, n * 1_000, figures), from);
        const again = play({ ...play(blankScreen), countedMs: [], producedMs: null });
        expect(again.countedMs).toEqual([]);
      }),
    );
  });
});
