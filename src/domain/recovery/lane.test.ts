/**
 * Goal: the table of DESIGN §13 in its order; who is spared and who is ended, cell by cell.
 * Method: one lane at rest, with the one fact changed that a line asks for.
 */
import { describe, expect, test } from 'vitest';
import { recoveryFigures } from './figures.ts';
import {
  causeOf,
  decideLane,
  type LaneFacts,
  type LaneTold,
  laneLines,
  nudgeAtMs,
} from './lane.ts';

const usual = recoveryFigures({ requeues: 2, transfers: 3 });
const well: LaneFacts = {
  sighted: 'alive',
  forMs: 0,
  ttlMs: 30_000,
  lost: null,
  isHumanAsked: false,
  told: null,
  nudges: 0,
  looks: 0,
};
const told = (more: Partial<LaneTold>): LaneTold => ({
  ...{ state: 'stalled', reason: null, delivery: 'started', stalledMs: 0 },
  ...more,
});
const decided = (more: Partial<LaneFacts>, figures = usual) =>
  decideLane({ ...well, ...more }, figures);
const stalled = (stalledMs: number, more: Partial<LaneFacts> = {}, reason: string | null = null) =>
  decided({ told: told({ stalledMs, reason }), looks: 2, ...more });
const leave = { do: 'leave' } as const;

describe('who is left alone', () => {
  test('a lane that works, is quiet, or tells nothing', () => {
    expect(decided({})).toEqual({ line: null, step: leave });
    for (const state of ['working_protocol', 'working_local', 'quiet', 'starting', 'dead']) {
      expect(decided({ told: told({ state, stalledMs: 1e9 }), looks: 9 }).step).toEqual(leave);
    }
  });
  test('who waits for a human, whatever its clocks say (RR-10)', () => {
    const late = { told: told({ stalledMs: 1e9 }), looks: 9 };
    expect(decided({ ...late, isHumanAsked: true })).toEqual({
      line: 'human_attention',
      step: leave,
    });
    const dialog = told({ state: 'stalled', reason: 'awaiting_input', stalledMs: 1e9 });
    expect(decided({ told: dialog, looks: 9 }).line).toBe('human_attention');
  });
  test('who is inside a tool call that is believed, over its own beats as well (L-D7, L-D8)', () => {
    const inTool = { told: told({ state: 'working_tool' }), looks: 9 };
    expect(decided(inTool)).toEqual({ line: 'tool_in_flight', step: leave });
    expect(decided({ ...inTool, sighted: 'silent', forMs: 29_999 }).line).toBe('tool_in_flight');
    expect(decided({ ...inTool, sighted: 'elsewhere', forMs: 0 }).line).toBe('tool_in_flight');
  });
});

describe('who is positively dead is acted on at the first look (RR-23)', () => {
  const asked = { isHumanAsked: true, told: told({ state: 'working_tool' }) };
  test('even with a question before a human, or a tool in flight', () => {
    const lost = { class: 'disk_full', detail: 'no space' } as const;
    expect(decided({ ...asked, sighted: 'dead', lost })).toEqual({
      line: 'positively_dead',
      step: { do: 'end', ...lost },
    });
    expect(decided({ sighted: 'dead' }).step).toMatchObject({ do: 'end', class: 'lane_died' });
    expect(decided({ ...asked, sighted: 'sealed' }).step).toEqual({ do: 'submit' });
    const untraced = decided({ ...asked, sighted: 'untraced' }).step;
    expect(untraced).toMatchObject({ do: 'end', class: 'unknown_outcome' });
  });
});

describe('a lease', () => {
  test('that is over by our clock is lost, not before (RR-24)', () => {
    expect(decided({ sighted: 'silent', forMs: 29_999 })).toEqual({ line: null, step: leave });
    const over = decided({ sighted: 'silent', forMs: 30_000 });
    expect(over.line).toBe('lease');
    expect(over.step).toEqual({
      ...{ do: 'end', class: 'transport_lost' },
      detail: 'the host stood still for 30 s',
    });
    expect(decided({ sighted: 'elsewhere', forMs: 29_999 }).step).toEqual(leave);
    expect(decided({ sighted: 'elsewhere', forMs: 30_000 }).step).toEqual({ do: 'expire' });
  });
});

describe('no progress (RR-25)', () => {
  test('is nudged twice, and re-spawned after seven sweeps, each by two looks', () => {
    expect([1, 2].map((n) => nudgeAtMs(n, usual))).toEqual([30_000, 60_000]);
    expect(stalled(29_999).step).toEqual(leave);
    const first = stalled(30_000);
    expect(first.line).toBe('idle');
    expect(first.step).toMatchObject({ do: 'nudge', n: 1 });
    expect(stalled(59_999, { nudges: 1 }).step).toEqual(leave);
    expect(stalled(60_000, { nudges: 1 }).step).toMatchObject({ do: 'nudge', n: 2 });
    expect(stalled(104_999, { nudges: 2 }).step).toEqual(leave);
    expect(stalled(105_000, { nudges: 2 }).step).toEqual({
      ...{ do: 'end', class: 'lane_died' },
      detail: 'no progress: no event, no new screen, no file; stalled for 105 s, nudged 2 times',
    });
    for (const ms of [30_000, 105_000]) expect(stalled(ms, { looks: 1 }).step).toEqual(leave);
  });
  test('is told with its cause and with what was tried', () => {
    const detail = (nudges: number, reason: string) => {
      const { step } = stalled(200_000, { nudges }, reason);
      return 'detail' in step ? step.detail : null;
    };
    expect(detail(0, 'frozen')).toBe(
      'no progress: every process of it is stopped; stalled for 200 s',
    );
    expect(detail(1, 'model_wait')).toMatch(/its model does not answer; .*, nudged once$/);
    expect(causeOf('tool_ceiling')).toBe('its tool runs for longer than it is believed');
  });
  test('of a tool that hangs is a line of its own, before idle (L-D9)', () => {
    for (const reason of ['tool_progress', 'tool_ceiling']) {
      const one = stalled(105_000, {}, reason);
      expect(one.line).toBe('tool_progress');
      expect(one.step).toMatchObject({ do: 'end', class: 'lane_died' });
    }
  });
  test('of a lane whose prompt was not delivered is not nudged: nobody would hear it', () => {
    const late = told({ delivery: 'failed', stalledMs: 0 });
    expect(decided({ told: late, looks: 1 })).toEqual({ line: 'delivery', step: leave });
    expect(decided({ told: late, looks: 2 }).step).toMatchObject({
      ...{ do: 'end', class: 'lane_died' },
      detail: expect.stringContaining('prompt'),
    });
  });
  test('follows the figures of its run (RR-40)', () => {
    const terms = { requeues: 2, transfers: 3, nudges: 0, silenceMs: 45_000 };
    const figures = recoveryFigures(terms);
    const at = (stalledMs: number) =>
      decided({ told: told({ stalledMs }), looks: 2 }, figures).step;
    expect(at(44_999)).toEqual(leave);
    expect(at(45_000)).toMatchObject({ do: 'end' });
    const five = recoveryFigures({ ...terms, nudges: 5 });
    expect(nudgeAtMs(1, five)).toBe(15_000);
  });
  test('is not asked of a host whose own beats stand still', () => {
    const still = { sighted: 'silent', forMs: 30_000, looks: 9 } as const;
    expect(decided({ ...still, told: told({ stalledMs: 1e9 }) }).line).toBe('lease');
  });
  test('of a lane on another machine is ended there by its lease', () => {
    const far = decided({ sighted: 'elsewhere', told: told({ stalledMs: 1e9 }), looks: 2 });
    expect(far).toMatchObject({ line: 'idle', step: { do: 'end', class: 'lane_died' } });
  });
});

test('the order is the one of the design', () => {
  expect(laneLines).toEqual([
    'human_attention',
    'tool_in_flight',
    'positively_dead',
    'delivery',
    'lease',
    'tool_progress',
    'idle',
  ]);
});
