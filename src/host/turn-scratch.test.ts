/**
 * Goal: what a turn is given lies in the scratch of its execution and nowhere else, and whatever an
 * agent does with its turn, the host has the last word.
 * Method: real agents (shell) in real folders, told by the rig of lane-host.test.ts.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { living, removeRig, run } from '../../test/support/lane-rig.ts';
import { compactHistory } from '../domain/history/history.ts';

/** Real processes on a busy machine: a bound, not an expectation. */
vi.setConfig({ testTimeout: 60_000 });
afterAll(removeRig);

const attempts = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    n: index + 1,
    passed: false,
    reason: 'ä'.repeat(5_000),
    artifacts: Array.from({ length: 50 }, () => 'x'.repeat(500)),
  }));
const agent = `printf '%s' "$PAWL_HISTORY_FILE" > where; cp "$PAWL_HISTORY_FILE" seen
  stat -c %a "$PAWL_HISTORY_FILE" > mode; ls -A > listed`;

test('the history of attempts is a file in the scratch of the turn, never in the tree (EV-27)', async () => {
  const { tree, spool } = await run({ agent, dispatch: { history: compactHistory(attempts(1)) } });
  expect(readFileSync(join(tree, 'where'), 'utf8')).toBe(
    join(spool, 'turn', '.loop-history-test.md'),
  );
  expect(spool.startsWith(tree)).toBe(false);
  expect(readFileSync(join(tree, 'mode'), 'utf8').trim()).toBe('600');
  expect(readFileSync(join(tree, 'seen'), 'utf8')).toBe(compactHistory(attempts(1)));
});

test('it is empty before the first attempt, and bounded after a hundred (EV-27, EV-43)', async () => {
  const first = await run({ agent, dispatch: { history: compactHistory([]) } });
  expect(readFileSync(join(first.tree, 'seen'), 'utf8')).toBe('');
  const later = await run({ agent, dispatch: { history: compactHistory(attempts(100)) } });
  const seen = readFileSync(join(later.tree, 'seen'), 'utf8');
  expect(seen).toContain('(80 earlier attempts left out)');
  expect(seen).toContain('[Attempt 100] FAIL');
  expect(seen.length).toBeLessThan(70_000);
});

test.each([
  ['a turn that ended', agent, {}],
  ['a turn that was ended', 'sleep 605; true', { deadlineMs: 300 }],
  ['an agent that was killed', 'kill -9 $$', {}],
] as const)(
  'after %s the history file goes, and that file alone (EV-51, ruling 6)',
  async (_, does, more) => {
    const { spool, tree } = await run({ agent: does, dispatch: more });
    expect(readdirSync(join(spool, 'turn')).sort()).toEqual(['prompt.md']);
    for (const kept of ['journal', 'seal.json', 'grant.json']) {
      expect(existsSync(join(spool, kept)), kept).toBe(true);
    }
    expect(existsSync(tree)).toBe(true);
  },
);

test('a cancelled turn leaves no history file either (EV-51)', async () => {
  const { exit, spool } = await run({
    agent: 'sleep 606; true',
    beats: () => ({ ok: true, cancel: true, pause: false }),
  });
  expect(exit.how).toBe('cancelled');
  expect(readdirSync(join(spool, 'turn')).sort()).toEqual(['prompt.md']);
});

test('the host puts nothing of its own into the tree; what the agent wrote stays there (EV-44)', async () => {
  const { tree, result } = await run({
    agent: 'had=$(ls -A); printf "%s" "$had" > before; touch made',
  });
  expect(readFileSync(join(tree, 'before'), 'utf8')).toBe('');
  expect(readdirSync(tree).sort()).toEqual(['before', 'made']);
  expect(result).toMatchObject({ kind: 'executed', filesChanged: 2 });
});

test.each(['worktree', 'none'] as const)(
  'a turn works in the folder it is given, isolation %s, and its artifact path is a token (SL-57)',
  async (isolation) => {
    const { tree, opened, spool } = await run({
      agent: '',
      argv: ['sh', '-c', 'pwd -P > here; echo "$0" > told; echo work > "$0"', '{artifact}'],
      isolation,
    });
    expect(readFileSync(join(tree, 'here'), 'utf8').trim()).toBe(tree);
    const artifact = join(spool, 'turn', 'artifact.md');
    expect(readFileSync(join(tree, 'told'), 'utf8').trim()).toBe(artifact);
    expect(readFileSync(artifact, 'utf8')).toBe('work\n');
    expect(opened).toMatchObject([{ isolation }]);
  },
);

test.each([
  ['hangs', 'sleep 607; true', { class: 'window_exhausted' }],
  ['exits early', 'true', { outcome: 'turn_ended' }],
  ['crashes', 'kill -SEGV $$', { class: 'lane_died' }],
  ['asks a survey on its terminal and its input', 'read -r x < /dev/tty || cat > /dev/null', {}],
  ['keeps all it says in a buffer', 'exec cat > /dev/null', { outcome: 'turn_ended' }],
  ['stops itself without a word', 'kill -STOP $$', { class: 'window_exhausted' }],
  ['claims that the run is complete', 'echo DONE; echo {} > "$PAWL_RESULT_FILE"', {}],
])(
  'an agent that %s gets one last word from the host, and completes nothing (RR-2)',
  async (_, does, end) => {
    const { result, told, tree } = await run({ agent: does, dispatch: { deadlineMs: 3_000 } });
    expect(result).toMatchObject(end);
    expect(['executed', 'failed']).toContain(result?.kind);
    expect(told.filter((word) => word === 'result')).toHaveLength(1);
    expect(living(tree)).toEqual([]);
  },
);
