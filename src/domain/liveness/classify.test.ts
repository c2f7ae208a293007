/** The lines of the rule that no recorded condition reaches, and the figures that may be set. */
import { describe, expect, test } from 'vitest';
import { classify, livenessAt, observe } from './classify.ts';
import { livenessDefaults as figures, figuresWith } from './figures.ts';
import { beginWatch, type LaneTerms, type LaneWatch, type Observation } from './watch.ts';

const terms: LaneTerms = { hasDoor: true, modelTimeoutMs: null, timeoutMs: null };
type Step = Observation extends infer One
  ? One extends unknown
    ? Omit<One, 'atMs'>
    : never
  : never;

/** Each step a second after the one before. */
function seenAfter(steps: readonly Step[], of: Partial<LaneTerms> = {}): LaneWatch {
  return steps.reduce<LaneWatch>(
    (watch, step) => observe(watch, { ...step, atMs: watch.rawMs + 1_000 } as Observation, figures),
    beginWatch({ ...terms, ...of }, 0),
  );
}
/** Lets so many seconds pass under watch: a notice every two of them. */
function waited(watch: LaneWatch, seconds: number): LaneWatch {
  let later = watch;
  for (let s = 2; s <= seconds; s += 2) {
    later = observe(later, { kind: 'notice', atMs: watch.rawMs + s * 1_000 }, figures);
  }
  return later;
}
const live: Step = { kind: 'lifecycle', state: 'live' };
const look = (state = 'S', isRootAlive = true): Step => ({
  kind: 'processes',
  look: { isRootAlive, processes: [{ id: 'a', state, cpuTicks: 0, written: 0 }] },
});
const tool = (timeoutMs: number | null, id = 't'): Step => ({
  ...{ kind: 'tool_started', id, name: 'npm test', timeoutMs },
});
const told = (watch: LaneWatch) => {
  const { state, reason } = classify(watch, figures);
  return [state, reason];
};

describe('dead and frozen (RR-15)', () => {
  test('a program that is gone is dead at once, whatever else is seen', () => {
    const seen = seenAfter([live, { kind: 'work' }, look('T'), look('T', false)]);
    expect(told(seen)).toEqual(['dead', null]);
    expect(classify(seen, figures).forMs).toBe(2_000);
    expect(
      told(seenAfter([live, { kind: 'work' }, { kind: 'lifecycle', state: 'terminal' }])),
    ).toEqual([...['dead', null]]);
  });
  test('a tree is frozen after two seconds, and no longer when one process goes on', () => {
    const stopped = seenAfter([live, { kind: 'work' }, look('T')]);
    expect(told(stopped)).toEqual(['working_protocol', null]);
    expect(told(waited(stopped, 2))).toEqual(['stalled', 'frozen']);
    const again = observe(
      waited(stopped, 2),
      { ...look('S'), atMs: 6_000 } as Observation,
      figures,
    );
    expect(told(again)).toEqual(['working_protocol', null]);
  });
});

describe('work (RR-15, RR-16)', () => {
  test('of the protocol counts for 30 s, and before an open tool', () => {
    const work = seenAfter([live, { kind: 'work' }]);
    expect(told(waited(work, 30))).toEqual(['working_protocol', null]);
    expect(told(waited(work, 32))).toEqual(['quiet', null]);
    const open = seenAfter([live, tool(null), { kind: 'work' }]);
    expect(told(waited(open, 30))).toEqual(['working_protocol', null]);
    expect(told(waited(open, 32))).toEqual(['working_tool', null]);
  });
  test('of a changed file counts for 30 s, after the first look', () => {
    const files = (newest: number): Step => ({ kind: 'files', newest });
    expect(told(seenAfter([live, files(5), files(5)]))).toEqual(['quiet', null]);
    const changed = seenAfter([live, files(5), files(6)]);
    expect(told(waited(changed, 30))).toEqual(['working_local', null]);
    expect(told(waited(changed, 32))).toEqual(['quiet', null]);
  });
});

describe('the lifecycle (RR-12)', () => {
  test('starting is silent for at most 180 s, completing for at most 60 s', () => {
    const starting = seenAfter([]);
    expect(told(waited(starting, 178))).toEqual(['quiet', 'starting']);
    expect(told(waited(starting, 180))).toEqual(['stalled', 'starting']);
    const completing = seenAfter([live, { kind: 'lifecycle', state: 'completing' }]);
    expect(told(waited(completing, 58))).toEqual(['quiet', 'completing']);
    expect(told(waited(completing, 60))).toEqual(['stalled', 'completing']);
    expect(classify(waited(completing, 58), figures).lifecycle).toEqual({
      ...{ state: 'completing', forMs: 58_000, leftMs: 2_000 },
    });
  });
  test('an overdue stage is said even of a lane that works', () => {
    const seen = observe(waited(seenAfter([]), 200), { kind: 'work', atMs: 201_000 }, figures);
    const { state, lifecycle } = classify(seen, figures);
    expect([state, lifecycle.state, lifecycle.leftMs]).toEqual([
      ...['working_protocol', 'starting', -21_000],
    ]);
  });
  test('the same stage said twice does not begin again', () => {
    const twice = seenAfter([live, { kind: 'notice' }, live]);
    expect(classify(twice, figures).lifecycle).toEqual({
      ...{ state: 'live', forMs: 2_000, leftMs: null },
    });
  });
});

describe('tools (RR-15, L-D8)', () => {
  test('a call is overdue after 180 s, or after its own time-out', () => {
    const open = waited(seenAfter([live, tool(null)]), 200);
    expect(classify(open, figures)).toMatchObject({
      ...{ state: 'working_tool', forMs: 200_000, leftMs: 400_000 },
      tool: { name: 'npm test', forMs: 200_000, leftMs: -20_000, signs: [] },
    });
    const declared = waited(seenAfter([live, tool(900_000)]), 200);
    expect(classify(declared, figures).tool?.leftMs).toBe(700_000);
  });
  test('a declared time-out and a minute is the ceiling', () => {
    const open = seenAfter([live, tool(100_000)]);
    expect(told(waited(open, 158))).toEqual(['working_tool', null]);
    expect(told(waited(open, 160))).toEqual(['stalled', 'tool_ceiling']);
  });
  test('of several the one that reaches its ceiling first is shown; ended ones are not', () => {
    const two = seenAfter([live, tool(null, 'long'), tool(60_000, 'short')]);
    expect(classify(waited(two, 40), figures).tool?.leftMs).toBe(20_000);
    const one = observe(two, { kind: 'tool_ended', id: 'short', atMs: 4_000 }, figures);
    expect(classify(waited(one, 40), figures).tool?.leftMs).toBe(180_000 - 42_000);
  });
  test('a start said twice does not begin again, an unknown end ends nothing', () => {
    const twice = observe(
      waited(seenAfter([live, tool(null)]), 40),
      {
        ...tool(null),
        atMs: 43_000,
      } as Observation,
      figures,
    );
    expect(classify(twice, figures).tool?.forMs).toBe(41_000);
    const ended = observe(twice, { kind: 'tool_ended', id: 'other', atMs: 44_000 }, figures);
    expect(classify(ended, figures).tool?.forMs).toBe(42_000);
  });
  test('the end of a turn closes what is open, and a series of refusals', () => {
    const open = seenAfter([
      ...[live, tool(null), { kind: 'request', call: 1 } as const],
      { kind: 'response', call: 1, isOk: false },
    ]);
    expect(told(waited(open, 40))).toEqual(['working_tool', null]);
    const ended = observe(open, { kind: 'turn_ended', atMs: 5_000 }, figures);
    expect(told(waited(ended, 40))).toEqual(['quiet', null]);
  });
});

describe('a human is asked (RR-10)', () => {
  test('the tool that waits is not open, and begins when it was answered', () => {
    const asked = waited(seenAfter([live, tool(null), { kind: 'asked', tool: 't' }]), 4_000);
    expect(told(asked)).toEqual(['quiet', 'awaiting_input']);
    expect(classify(asked, figures).forMs).toBe(4_000_000);
    const answered = observe(asked, { kind: 'answered', atMs: asked.rawMs }, figures);
    expect(classify(waited(answered, 40), figures).tool?.forMs).toBe(40_000);
  });
  test('a question of no tool, or of one that is gone, and an answer to nothing', () => {
    const question = seenAfter([live, { kind: 'asked', tool: null }, { kind: 'answered' }]);
    expect(told(question)).toEqual(['quiet', null]);
    const gone = seenAfter([live, { kind: 'asked', tool: 'x' }, { kind: 'answered' }]);
    expect(gone.tools.size).toBe(0);
    const nothing = seenAfter([live]);
    expect(observe(nothing, { kind: 'answered', atMs: 1_000 }, figures)).toEqual(nothing);
  });
});

describe('the models door', () => {
  const request: Step = { kind: 'request', call: 1 };
  test('a wait counts from the newest byte', () => {
    const half = waited(seenAfter([live, request, { kind: 'bytes' }]), 100);
    expect(classify(half, figures)).toMatchObject({
      ...{ state: 'quiet', reason: 'model_wait', forMs: 100_000, leftMs: 320_000 },
    });
  });
  test('a try within a series of refusals does not begin a new wait', () => {
    const refused: Step = { kind: 'response', call: 1, isOk: false };
    const series = observe(
      waited(seenAfter([live, request, refused]), 290),
      {
        ...request,
        atMs: 294_000,
      },
      figures,
    );
    expect(classify(series, figures)).toMatchObject({ reason: 'model_wait', leftMs: 9_000 });
    const good = observe(series, { kind: 'response', call: 1, isOk: true, atMs: 295_000 }, figures);
    expect(told(good)).toEqual(['quiet', null]);
  });
  test('a poll takes back what its request looked like; without a byte it is a notice', () => {
    const work = waited(seenAfter([live, { kind: 'work' }, request]), 28);
    const polled = observe(
      observe(work, { kind: 'bytes', atMs: 32_000 }, figures),
      {
        ...{ kind: 'poll', atMs: 33_000 },
      },
      figures,
    );
    expect(polled.lastWorkMs).toBe(2_000);
    const notice = seenAfter([live, { kind: 'work' }, { kind: 'poll' }]);
    expect(told(notice)).toEqual(['working_protocol', null]);
  });
});

describe('a lane whose tools are not told apart (L-D7)', () => {
  const busy = (n: number): Step => ({
    kind: 'processes',
    look: {
      isRootAlive: true,
      processes: [{ id: 'a', state: 'R', cpuTicks: n * 100, written: 0 }],
    },
  });
  const computing = (seconds: number) => Array.from({ length: seconds }, (_, n) => busy(n));
  test('works while its processes do, under a ceiling', () => {
    const noDoor = { hasDoor: false, timeoutMs: 700_000 };
    expect(told(seenAfter([live, ...computing(700)], noDoor))).toEqual(['working_local', null]);
    expect(told(seenAfter([live, ...computing(762)], noDoor))).toEqual(['quiet', null]);
    expect(told(seenAfter([live, ...computing(1_362)], noDoor))).toEqual(['stalled', null]);
  });
  test('is quiet from the last of it on', () => {
    const done = waited(seenAfter([live, ...computing(20)], { hasDoor: false }), 60);
    expect(classify(done, figures)).toMatchObject({ state: 'quiet', forMs: 60_000 });
  });
});

describe('what is remembered is bounded (W3)', () => {
  test('open tools and requests beyond 64', () => {
    const many = Array.from({ length: 100 }, (_, n) => tool(null, `t${n}`));
    const requests = Array.from({ length: 100 }, (_, n): Step => ({ kind: 'request', call: n }));
    const watch = seenAfter([live, ...many, ...requests]);
    expect([watch.tools.size, watch.inFlight.size]).toEqual([64, 64]);
  });
});

test('an observation that nobody knows is a bug', () => {
  const odd = { kind: 'odd', atMs: 0 } as unknown as Observation;
  expect(() => observe(seenAfter([]), odd, figures)).toThrow(/unreachable/);
});

describe('figures', () => {
  test('of a lane win over those of its loop and its project; null leaves them', () => {
    const set = figuresWith({ idleMs: 1, toolCallMs: 2 }, {}, { idleMs: 3, toolProgressMs: null });
    expect(set).toEqual({ ...figures, quietMs: 3, quietWithDoorMs: 3, toolCallMs: 2 });
    expect(figuresWith({ toolProgressMs: 4 }).toolProgressMs).toBe(4);
    expect(figuresWith()).toEqual(figures);
  });
  test('the screen is told of resizes and of what the host typed', () => {
    const seen = seenAfter([live, { kind: 'resized' }, { kind: 'wrote' }]);
    expect(seen.screen).toMatchObject({ isResized: true, mutedUntilMs: 5_000 });
    expect(livenessAt(seen, 4_000, figures).lifecycle.forMs).toBe(3_000);
  });
});
