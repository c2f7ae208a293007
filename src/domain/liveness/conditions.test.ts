/**
 * Goal: each measured condition is called what it is. Method: every condition of the study is
 * played second by second for 115 s, with the models door and without; from 60 s on the state has
 * to be the right one at every second. What happens long after the recordings ended is played on,
 * too.
 */
import { describe, expect, test } from 'vitest';
import {
  type Condition,
  conditions,
  type Expected,
  modelTimeoutsMs,
  waiting,
} from '../../../test/support/liveness-conditions.ts';
import { type Liveness, livenessAt, observe } from './classify.ts';
import type { TreeLook } from './evidence.ts';
import { livenessDefaults as figures } from './figures.ts';
import { beginWatch, type LaneWatch, type Observation } from './watch.ts';

type Seen = Observation extends infer One
  ? One extends unknown
    ? Omit<One, 'atMs'>
    : never
  : never;

function begun({ program }: Pick<Condition, 'program'>, hasDoor: boolean): LaneWatch {
  const modelTimeoutMs = modelTimeoutsMs[program] ?? null;
  return beginWatch({ hasDoor, modelTimeoutMs, timeoutMs: null }, 0);
}

function* observations(condition: Condition, second: number, hasDoor: boolean): Iterable<Seen> {
  if (second === 0) yield { kind: 'lifecycle', state: 'live' };
  yield { kind: 'screen', rows: condition.rows(second) };
  yield { kind: 'processes', look: tree(condition, second) };
  if (second === 1) yield { kind: 'baseline' };
  if (condition.changesFiles && second % 2 === 0) yield { kind: 'files', newest: second };
  if (condition.asks && second === 2) yield { kind: 'asked', tool: null };
  if (hasDoor && second >= 2) yield* models[condition.model](second - 2);
}

type OfModel = (second: number) => readonly Seen[];
const asked = (call: number): Seen => ({ kind: 'request', call });
const ended = (call: number, isOk: boolean): Seen => ({ kind: 'response', call, isOk });
const bytes: Seen = { kind: 'bytes' };

/** What the door sees of the model, from the second second on. */
const models: Readonly<Record<Condition['model'], OfModel>> = {
  nothing: () => [],
  silent: (second) => (second === 0 ? [asked(1)] : []),
  half: (second) => (second === 0 ? [asked(1)] : second < 6 ? [bytes] : []),
  streaming: (second) => (second === 0 ? [asked(1)] : second % 5 === 0 ? [bytes] : []),
  refusing: (second) => (second % 10 === 0 ? [asked(second), ended(second, false)] : []),
  gave_up: (second) =>
    second === 0 ? [asked(1), ended(1, false)] : second === 1 ? [{ kind: 'turn_ended' }] : [],
  polled: (second) => {
    if (second === 0) return [asked(0), bytes, ended(0, true)];
    return second % 30 === 0 ? [asked(second), bytes, { kind: 'poll' }, ended(second, true)] : [];
  },
};

function tree({ tool, stops }: Condition, second: number): TreeLook {
  const state = stops && second >= 45 ? 'T' : 'S';
  const agent = { id: 'agent', state, cpuTicks: second * 9, written: second * 2_000 };
  const isOpen = tool !== null && second >= 10;
  const done = second - 10;
  const child = {
    ...{ id: 'tool', state, cpuTicks: (tool?.ticks ?? 0) * done },
    written: (tool?.written ?? 0) * done,
  };
  return { isRootAlive: true, processes: isOpen ? [agent, child] : [agent] };
}

/** The lane at each second. */
function* played(condition: Condition, hasDoor: boolean, seconds: number): Iterable<Liveness> {
  let watch = begun(condition, hasDoor);
  for (let second = 0; second < seconds; second += 1) {
    const atMs = second * 1000;
    for (const seen of observations(condition, second, hasDoor)) {
      watch = observe(watch, { ...seen, atMs } as Observation, figures);
    }
    yield livenessAt(watch, atMs + 999, figures);
  }
}

const described = ({ state, reason, tool }: Liveness): Expected => [
  state,
  ...(reason === null ? [] : [reason]),
  ...(tool?.signs ?? []),
];

/** The different descriptions of the seconds from 60 on. */
function later(condition: Condition, hasDoor: boolean): readonly string[] {
  const all = [...played(condition, hasDoor, 115)].slice(60).map(described);
  return [...new Set(all.map((one) => one.join(' ')))];
}

describe('recorded conditions (RR-4, RR-6, RR-14, RR-15)', () => {
  const cases = conditions.map(
    (condition) => [condition.program, condition.name, condition] as const,
  );
  test.each(cases)('%s: %s', (_, __, condition) => {
    expect(later(condition, true)).toEqual([condition.withDoor.join(' ')]);
    expect(later(condition, false)).toEqual([condition.screenAlone.join(' ')]);
  });

  test('cover every condition of the study in each of the programs', () => {
    const count = (program: string) =>
      conditions.filter((condition) => condition.program === program).length;
    expect(['claude', 'gemini', 'opencode', 'pi', 'qwen', 'copilot'].map(count)).toEqual(
      Array.from({ length: 6 }, () => 16),
    );
    expect(count('codex')).toBe(18);
  });
});

const found = (name: string, program: string) => {
  const condition = conditions.find((one) => one.name === name && one.program === program);
  if (condition === undefined) throw new Error(`no condition ${name} of ${program}`);
  return condition;
};

/** The first second at which the lane is called stalled, and why. */
function stalledAt(condition: Condition, hasDoor = true) {
  let second = 0;
  for (const liveness of played(condition, hasDoor, 3_000)) {
    if (liveness.state === 'stalled') return [second, liveness.reason];
    second += 1;
  }
  return null;
}

describe('deadlines (RR-12, RR-15, L-D2, L-D7, L-D8, L-D13)', () => {
  test.each([
    ['gemini', 2 + 60 + 60],
    ['qwen', 2 + 120 + 60],
    ['claude', 2 + 360 + 60],
    ['codex', 2 + 420],
    ['pi', 2 + 420],
  ])('a hanging model stalls %s after its own time-out', (program, second) => {
    expect(stalledAt(found('model hangs', program))).toEqual([second, 'model_wait']);
  });
  test('a refusing model stalls the lane 300 s after the first refusal', () => {
    expect(stalledAt(found('model refuses', 'claude'))).toEqual([2 + 300, 'backoff']);
  });
  test('silence stalls after 120 s with the door and 600 s without', () => {
    expect(stalledAt(found('idle', 'claude'))).toEqual([120, null]);
    expect(stalledAt(found('idle', 'claude'), false)).toEqual([600, null]);
  });
  test('a lane that repaints while its tool sleeps is found after 600 s', () => {
    expect(stalledAt(found('tool sleeps', 'gemini'))).toEqual([10 + 600, 'tool_progress']);
  });
  test.each(['tool computes', 'tool draws a spinner', 'tool writes files'])(
    '%s: it is believed for 30 min',
    (name) => {
      expect(stalledAt(found(name, 'gemini'))).toEqual([10 + 1_800, 'tool_ceiling']);
    },
  );
  test('a human is waited for without end', () => {
    expect(stalledAt(found('permission dialog', 'claude'))).toBeNull();
  });
  test('a new joke every 15 s is no work', () => {
    const rows = new Set(Array.from({ length: 60 }, (_, s) => waiting.qwen(s)[0]));
    expect(rows.size).toBeGreaterThan(50);
    expect(later(found('model hangs', 'qwen'), false)).toEqual(['quiet']);
  });
});
