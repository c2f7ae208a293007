/**
 * Goal: an agent that cannot be started spends no attempt, and one that merely exits non-zero is
 * no failure: the check decides what it left.
 */
import { afterAll, expect, test, vi } from 'vitest';
import { removeRig, run } from '../../test/support/lane-rig.ts';
import type { Commit } from '../domain/ids.ts';

/** Real processes on a busy machine: a bound, not an expectation. */
vi.setConfig({ testTimeout: 60_000 });
afterAll(removeRig);

const missing = 'exec /nonexistent/agent';
const left = (commit: string | null) => ({
  workspace: {
    snapshot: async () => ({
      commit: commit as Commit | null,
      ...{ equalsBase: commit === null, filesChanged: commit === null ? 0 : 1, leftOut: [] },
    }),
  },
});

test('an agent that a shell cannot start is no attempt at the work (RR-29)', async () => {
  const { result } = await run({ agent: missing, ...left(null) });
  expect(result).toMatchObject({
    ...{ kind: 'failed', class: 'dispatch_failed' },
    detail: expect.stringMatching(
      /^the agent ended with exit 127: .* not found; last line: .*nonexistent/,
    ),
  });
});

test('nor in a later attempt, where the work is as it was handed out', async () => {
  const job = { role: 'execute', attempt: 2, step: null, commit: 'c1' } as const;
  const dispatch = { job: { ...job, tree: 'same', session: 'fresh' } } as never;
  const { result } = await run({ agent: 'exit 126', ...left('c1'), dispatch });
  expect(result).toMatchObject({ kind: 'failed', class: 'dispatch_failed' });
});

test.each([
  ['it changed something before', missing, left('c2')],
  ['it says how its turn ended', `echo '{"outcome":"done"}' > "$PAWL_RESULT_FILE"; exit 127`],
  ['it merely failed', 'echo boom >&2; exit 1', left(null)],
])('its turn ended, and the check decides: %s (L-O1)', async (_, agent, world = left(null)) => {
  expect((await run({ agent, ...world })).result).toMatchObject({ outcome: 'turn_ended' });
});

test('a judge that cannot be started has not judged; what one printed is his answer', async () => {
  const { result } = await run({ agent: missing, role: 'judge' });
  expect(result).toMatchObject({ kind: 'failed', class: 'dispatch_failed' });
  const answered = await run({ agent: 'echo pass; exit 127', role: 'judge' });
  expect(answered.result).toMatchObject({ kind: 'verified' });
});
