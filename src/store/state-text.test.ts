import { expect, test } from 'vitest';
import { runAfter, run as runId, start, working } from '../../test/support/run-fixtures.ts';
import type { Execution } from '../domain/execution/state.ts';
import type { ExecutionId, Instant, RunId } from '../domain/ids.ts';
import type { RunAggregate } from '../domain/run/aggregate.ts';
import { runsKept, stateText } from './state-text.ts';

const execution = (n: number, status: Execution['status']): Execution => ({
  id: `${runId}.${n}` as ExecutionId,
  n,
  job: { role: 'execute', attempt: 1, step: null, commit: null, tree: 'same', session: 'fresh' },
  status,
  dispatchedAt: 0 as Instant,
  grant: null,
  seal: null,
  class: null,
  cancelAsked: false,
});
const started: RunAggregate = { run: runAfter(start()), executions: [] };

test('the text is what JSON.stringify gives, for a new part and for one that has a text already (S2)', () => {
  const states = stateText();
  const one = { ...started, executions: [execution(1, 'RUNNING'), execution(2, 'DISPATCHED')] };
  const two = { ...one, executions: [execution(1, 'CHECKPOINTED'), ...one.executions.slice(1)] };
  const three = { ...two, run: runAfter(...working()) };
  for (const state of [started, one, two, three, one]) {
    expect(states.text(runId, state)).toBe(JSON.stringify(state));
  }
});

test('what another process has written since is read, not what was written here (S1)', () => {
  const states = stateText();
  states.text(runId, started);
  const theirs = { ...started, executions: [execution(1, 'RUNNING')] };
  expect(states.parse(runId, JSON.stringify(theirs))).toEqual(theirs);
  expect(states.parse(runId, JSON.stringify(started))).toEqual(started);
});

test('a text that was written here is not parsed again', () => {
  const states = stateText();
  const text = states.text(runId, started);
  expect(states.parse(runId, text)).toBe(started);
  expect(states.parse('another' as RunId, text)).not.toBe(started);
});

test('no more than the last used runs are kept (S3)', () => {
  const states = stateText();
  const text = states.text(runId, started);
  for (let n = 1; n < runsKept; n += 1) states.text(`run${n + 1}` as RunId, started);
  expect(states.parse(runId, text)).toBe(started);
  states.text('one more' as RunId, started);
  expect(states.parse(runId, text)).not.toBe(started);
});
