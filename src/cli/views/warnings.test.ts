import { expect, test } from 'vitest';
import { exampleDefinition, exampleView } from '../../../test/support/example-run.ts';
import { noStory } from '../../ports/story.ts';
import type { Finding } from '../../ports/words.ts';
import { finalLines } from './final.ts';
import { groupRuns, statusLines } from './status.ts';
import { warningRows } from './warnings.ts';

const done = exampleView({ status: 'complete', phase: null, verification: 'passed' });
const page = (findings: readonly Finding[]) =>
  finalLines({
    view: done,
    definition: exampleDefinition(),
    story: { ...noStory, findings },
    verdicts: [],
    changed: null,
    look: [],
    receipt: null,
    target: null,
    at: String,
    called: 'pawl',
    columns: 100,
  }).join('\n');

test('a checkout that the agent wrote into is not called untouched, and is named (L-A15, L-G21)', () => {
  expect(page([])).toContain('your checkout was not touched');
  const written = page([{ kind: 'foreign_write', paths: ['src/a\u001b[2Jb.ts'], more: 0 }]);
  expect(written).not.toContain('your checkout was not touched');
  expect(written).toContain('foreign write: "src/a\\033[2Jb.ts"');
  expect(written).not.toContain('\u001b');
});

test('a checkout whose HEAD moved is not called untouched either (L-G22)', () => {
  const moved = page([{ kind: 'checkout_moved', paths: ['main → elsewhere'], more: 0 }]);
  expect(moved).toContain('checkout moved: main → elsewhere');
  expect(moved).not.toContain('your checkout was not touched');
});

test('each ref that changed has a row, and one with the way back', () => {
  const paths = ['branch gone 1a2b3c4 gone', 'branch myown new at 5d6e7f8'];
  const notes = ['git branch gone 1a2b3c4d5e6f', ''];
  const findings = [{ kind: 'refs_changed', paths, notes, more: 2 }] as const;
  expect(warningRows(done, { ...noStory, findings })).toEqual([
    ['found', 'changed in your repository while the agent ran:'],
    ['', '  branch gone 1a2b3c4 gone'],
    ['', '    back: git branch gone 1a2b3c4d5e6f'],
    ['', '  branch myown new at 5d6e7f8'],
    ['', '  2 more'],
  ]);
  expect(page(findings)).toContain('back: git branch gone 1a2b3c4d5e6f');
});

test('what was found in every turn is one row, with the rest counted', () => {
  const paths = ['a', 'b', 'c', 'd', 'e', 'f'];
  const twice: Finding = { kind: 'large_untracked', paths, more: 3 };
  expect(warningRows(done, { ...noStory, findings: [twice, twice] })).toEqual([
    ['found', 'large untracked: a, b, c, d, e, 4 more'],
  ]);
});

test('trouble of pawl itself comes first, above all groups (UX 5.2)', () => {
  const detail = 'store unwritable: no space left for /home/me/state';
  const lines = statusLines({
    groups: groupRuns([done]),
    driver: null,
    trouble: [{ id: 'store.writable', state: 'fail', detail, next: 'pawl prune' }],
    now: 0,
    at: () => '10:00',
    since: '22:10',
    called: 'npx pawl',
    columns: 100,
  });
  expect(lines[0]).toBe(`! ${detail} → npx pawl prune`);
  expect(lines[1]).toBe('');
});

test('who could not be told is never cut off a line of status (DESIGN 11a)', () => {
  const view = { ...done, ancestryUnknown: ['accept'], refusedGates: 26 };
  for (const columns of [60, 80, 160]) {
    const lines = statusLines({
      groups: groupRuns([view]),
      driver: null,
      now: 0,
      at: () => '10:00',
      since: '22:10',
      called: 'npx pawl',
      columns,
    } as Parameters<typeof statusLines>[0]);
    expect(lines.join('\n'), String(columns)).toContain('ancestry unknown · 26 gate verbs refused');
  }
});
