/** The words of UX 3.1 for what a heartbeat tells, and those for the reasons behind a state. */
import { expect, test } from 'vitest';
import type { RunView } from '../ports/client.ts';
import { deliveryOf, livenessOf, livenessWords } from './liveness.ts';

const now = 1_800_000_000_000;
const ago = (seconds: number) => now - seconds * 1_000;
const viewOf = (signals: string | null, status = 'RUNNING') =>
  ({ execution: { status, signals, dispatchedAt: ago(3) }, driver: {} }) as unknown as RunView;
const words = (signals: Readonly<Record<string, unknown>>) =>
  livenessWords(viewOf(JSON.stringify(signals)), now);

test.each([
  [{ state: 'working_protocol', since: ago(5) }, 'working'],
  [{ state: 'working_protocol', modelSince: ago(48) }, 'working, waiting for the model 48s'],
  [
    { state: 'working_local', since: ago(120) },
    'working (no protocol event for 2m; output is changing)',
  ],
  [
    { state: 'working_tool', since: ago(720), deadline: ago(-180), tool: 'npm test' },
    'working, tool in flight 12m: npm test (deadline 15m)',
  ],
  [
    { state: 'working_tool', since: ago(252), deadline: ago(72), tool: 'npm test' },
    'tool overdue 1m12s: npm test',
  ],
  [{ state: 'quiet', since: ago(240), deadline: ago(-60) }, 'quiet 4m, stalled at 5m'],
  [{ state: 'quiet', since: ago(240), lastFileAt: ago(30) }, 'quiet 4m; files changed 30s ago'],
  [{ state: 'starting', since: ago(3) }, 'starting 3s'],
  [
    { state: 'completing', since: ago(8), deadline: ago(-52) },
    'finishing: turn ended, process still up 8s (killed at 60s)',
  ],
  [
    { state: 'stalled', since: ago(360), nudge: 1, nudges: 2 },
    'stalled 6m: no event, no new screen, no file; nudging (1 of 2)',
  ],
  [{ state: 'dead', detail: 'exit 137' }, 'dead: exit 137; starting again'],
])('%j is told as %s (RR-15)', (signals, expected) => expect(words(signals)).toBe(expected));

test.each([
  ['model_wait', 'quiet 4m, waiting for the model, stalled at 7m'],
  ['backoff', 'quiet 4m, the model refused and is asked again, stalled at 7m'],
  ['awaiting_input', 'quiet 4m, a person is asked, stalled at 7m'],
])('a quiet lane says why: %s', (reason, expected) => {
  const quiet = { state: 'quiet', since: ago(240), deadline: ago(-180), lastFileAt: ago(30) };
  expect(words({ ...quiet, reason })).toBe(expected);
});

test.each([
  ['frozen', 'every process of it is stopped'],
  ['model_wait', 'the model does not answer'],
  ['backoff', 'the model refuses'],
  ['tool_progress', 'its tool shows no CPU, no output, no file'],
  ['tool_ceiling', 'its tool has run too long'],
  ['starting', 'it was started and did nothing yet'],
  ['completing', 'its turn ended, the process is still up'],
  ['of a later version', 'no event, no new screen, no file'],
])('a stalled lane says why: %s (RR-6)', (reason, expected) => {
  expect(words({ state: 'stalled', since: ago(360), reason })).toBe(`stalled 6m: ${expected}`);
});

test.each(['{', 'null', '7', '{"state":7,"since":"x"}'])(
  'signals that are %s are none',
  (signals) => {
    expect(livenessOf(viewOf(signals))).toEqual({
      ...{ state: 'working', reason: null, since: ago(3), deadline: null, detail: null },
    });
  },
);

test('a lane whose holder is dead is never told as healthy, whatever it said last (RR-6, RR-46)', () => {
  const view = viewOf(JSON.stringify({ state: 'quiet', since: ago(6) }));
  const gone = { ...view, execution: { ...view.execution, holderGone: true } } as RunView;
  expect(livenessOf(gone)).toMatchObject({ state: 'dead', reason: 'holder_gone' });
  expect(livenessWords(gone, now)).toBe('dead: the lane is gone; starting again');
  expect(livenessWords({ ...gone, driver: null }, now)).toBe(
    'dead: the lane is gone; no driver: work is ready and no process does it → pawl service start',
  );
  expect(livenessWords({ ...view, driver: null }, now)).toMatch(/^quiet 6s.*; no driver$/);
});

test.each([
  ['sent', 'quiet 4m, stalled at 10m; prompt sent, not seen yet'],
  ['seen', 'quiet 4m, stalled at 10m; prompt seen, not started yet'],
  ['started', 'quiet 4m, stalled at 10m'],
  ['failed', 'quiet 4m, stalled at 10m; its prompt was not taken up'],
])('a lane that is still says of its prompt: %s (RR-17)', (delivery, expected) => {
  const quiet = { state: 'quiet', since: ago(240), deadline: ago(-360), delivery };
  expect(words(quiet)).toBe(expected);
  expect(deliveryOf(viewOf(JSON.stringify(quiet)))).toBe(delivery);
});

test('a lane at work says nothing of its prompt, unless it failed (RR-17)', () => {
  const working = { state: 'working_protocol', since: ago(5) };
  expect(words({ ...working, delivery: 'seen' })).toBe('working');
  expect(words({ ...working, delivery: 'failed' })).toBe('working; its prompt was not taken up');
});

test.each([null, '{', '{"delivery":7}', '{"delivery":"of a later version"}'])(
  'signals that are %s tell nothing of a prompt (RR-17)',
  (signals) => expect(deliveryOf(viewOf(signals))).toBeNull(),
);
