/** Goal: what single pages promise beyond their golden files (golden.test.ts). */
import { expect, test } from 'vitest';
import {
  attempt,
  changed,
  definition,
  done,
  events,
  io,
  noneShared,
  pages,
  parked,
  story,
  verdict,
  view,
  when,
} from '../../../test/support/example-pages.ts';
import { at } from '../../../test/support/example-run.ts';
import { clockSeconds } from '../format.ts';
import { noDriver } from '../seats.ts';
import { paint } from '../style.ts';
import { escalationLines } from './escalation.ts';
import { factOf } from './fact.ts';
import { finalLines } from './final.ts';
import { pipeLine } from './lines.ts';
import { attemptLines, historyLines, openLines } from './show.ts';
import { groupRuns, statusLines } from './status.ts';

test('lines of a pipe are one per fact, without colour or escape (UX 3.4)', async () => {
  const lines = events.flatMap((stored) => {
    const fact = factOf(stored, { view, definition, story, at: when });
    return fact === null ? [] : [pipeLine(clockSeconds(io, stored.at), view.short, fact)];
  });
  for (const line of lines) expect(line).not.toMatch(/[\u0000-\u001f]/);
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('../../../test/golden/cli/pipe.txt');
});

test('the escalation page fits 40 lines, whatever was tried (UX 5.1)', () => {
  const many = {
    ...parked,
    attempts: Array.from({ length: 100 }, (_, i) => attempt(i + 1, 800 + i)),
    paths: Array.from({ length: 20 }, (_, i) => `p${i}`),
  };
  const lines = escalationLines({
    view: many,
    definition,
    story,
    now: at(1300),
    at: when,
    text: null,
    same: noneShared,
    printed: [],
    counted: { total: null, baselineFailed: null },
    called: 'pawl',
    columns: 100,
  });
  expect(lines.length).toBeLessThanOrEqual(40);
});

test('what was refused is told on every page of an attempt, with the way to allow it', () => {
  const refused = { count: 2, tool: 'Bash', call: 'git push', why: 'deny' } as const;
  const told = '2 requests refused: Bash "git push" (onPermission deny)';
  const withIt = {
    ...story,
    attempts: new Map([...story.attempts].map(([n, one]) => [n, { ...one, refused }])),
  };
  const attempts = [attempt(1, 800, { refused })];
  const page = { definition, story: withIt, now: at(1300), at: when, called: 'pawl', columns: 160 };
  const open = openLines({ ...page, view: { ...view, attempts } });
  expect(open.join('\n')).toContain(told);
  expect(historyLines({ ...view, attempts }).join('\n')).toContain(told);
  const counted = { total: null, baselineFailed: null };
  const nothing = { text: null, same: noneShared, printed: [], counted };
  const stuck = escalationLines({ ...page, ...nothing, view: { ...parked, attempts } });
  expect(stuck.join('\n')).toContain(told);
  const [first] = withIt.attempts.values();
  if (first === undefined) throw new Error('there is no attempt');
  const one = { story: withIt, verdicts: [], outputs: [], changed: null, columns: 160 };
  expect(attemptLines({ ...one, told: first }).join('\n')).toContain(told);
  const ended = events.find(({ event }) => event.type === 'attempt.ended');
  if (ended === undefined) throw new Error('no attempt has ended');
  const event = { ...ended.event, attempt: attempts[0] } as typeof ended.event;
  const fact = factOf({ ...ended, event }, { view, definition, story: withIt, at: when });
  expect(fact?.line?.below).toContain(told);
});

test('the block is at most eight lines (UX 3.1)', () => {
  for (const columns of [60, 100, 160])
    expect(pages['block']?.(columns).length).toBeLessThanOrEqual(8);
});

test('work without a driver is shown as that, above everything else', () => {
  const lines = statusLines({
    groups: groupRuns([view]),
    driver: null,
    trouble: [noDriver],
    now: at(1300),
    at: when,
    since: '22:10',
    called: 'pawl',
    columns: 100,
  });
  expect(lines[0]).toMatch(/^! no driver: work is ready and no process does it/);
});

test('nothing to say is said (UX 5.2)', () => {
  const lines = statusLines({
    groups: groupRuns([]),
    driver: null,
    now: at(1300),
    at: when,
    since: '22:10',
    called: 'pawl',
    columns: 100,
  });
  expect(lines).toContain('nothing needs you. 0 runs open.');
});

test('signs fall back without UTF-8, and colour only repeats them (UX 0.3)', () => {
  const plain = { columns: 100, isColored: false, isUtf8: false };
  expect(paint('✓ complete · a → b', plain)).toBe('ok complete - a -> b');
  expect(paint('✗ attempt 1', plain)).toBe('fail attempt 1');
  expect(paint('! needs operator', plain)).toBe('!! needs operator');
  const colored = { columns: 100, isColored: true, isUtf8: true };
  expect(paint('✓ complete', colored)).toBe('\u001b[32m✓\u001b[0m complete');
  expect(paint('!important', colored)).toBe('!important');
});

const ended = {
  story,
  verdicts: [verdict],
  changed,
  look: [],
  receipt: null,
  target: null,
  at: when,
  called: 'pawl',
  columns: 100,
};

test('without a base nothing is said to be unchanged: nothing was compared', () => {
  const bare = { ...done, base: null, head: null };
  const page = finalLines({ ...ended, view: bare, definition }).join('\n');
  expect(page.replaceAll(/\s+/g, ' ')).toContain(
    "protected files and the check's own were compared with those at the start, nothing else was",
  );
  expect(page).not.toMatch(/unchanged|drift/);
  const source = { ...definition.source, isolation: 'none' } as const;
  const own = { view: { ...done, head: null }, definition: { ...definition, source } };
  expect(finalLines({ ...ended, ...own }).join('\n')).toMatch(
    /your own folder as it lies there · base .* · protected files unchanged · drift/,
  );
});

test('a run that stopped at a limit says so on its page, and until when', () => {
  const paused = { ...view, status: 'paused', phase: null, resumesAt: at(9000) } as const;
  const page = finalLines({ ...ended, view: paused, definition }).join('\n');
  expect(page).toContain(`stopped    a usage limit, until ${when(at(9000))}; no attempt was spent`);
});
