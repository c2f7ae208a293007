/**
 * Goal: the pages say what the specification says, and none is wider than the terminal.
 * Method: one run told at 60, 100 and 160 columns, compared with files in test/golden/cli.
 */
import { expect, test } from 'vitest';
import {
  at,
  commit,
  digest,
  exampleDefinition,
  exampleView,
  execution,
  startedAt,
} from '../../../test/support/example-run.ts';
import { scriptedIo } from '../../../test/support/scripted-io.ts';
import type { RunView } from '../../ports/client.ts';
import type { StoredEvent } from '../../ports/store.ts';
import type { ApprovalId, AttemptSummary, RunId, Verdict } from '../../ports/words.ts';
import { clock, clockSeconds } from '../format.ts';
import { noStory, tell } from '../story.ts';
import { paint } from '../style.ts';
import { widthOf } from '../text.ts';
import { blockLines } from './block.ts';
import { escalationLines } from './escalation.ts';
import { factOf } from './fact.ts';
import { finalLines } from './final.ts';
import { gateLines } from './gate.ts';
import { headerLines } from './header.ts';
import { finishedLines, pipeLine } from './lines.ts';
import { attemptLines, openLines } from './show.ts';
import { groupRuns, statusLines } from './status.ts';

const widths = [60, 100, 160] as const;
const io = scriptedIo({ now: startedAt + 1_300_000 });
const when = (instant: number): string => clock(io, instant);
const definition = exampleDefinition();
const view = exampleView();

const attempt = (
  n: number,
  seconds: number,
  change: Partial<AttemptSummary> = {},
): AttemptSummary => ({
  n,
  outcome: 'failed',
  summary: 'npm test exit 1 · 1 failed, 119 passed',
  commit: commit(String(n)),
  receipt: digest('a'),
  failedTests: 1,
  score: null,
  endedAt: at(seconds),
  ...change,
});
const usage = (costUsd: number) =>
  ({ costUsd, source: 'metered', tokensIn: 1, tokensOut: 1, cacheRead: 0, cacheWrite: 0 }) as const;
const end = {
  exit: 0,
  signal: null,
  rung: 'cgroup',
  proof: 'kernel',
  lastLine: 'done, all tests pass',
} as const;
const dispatched = (n: number, number: number, job: 'prepare' | 'execute') => ({
  type: 'job.dispatched' as const,
  execution: execution(n),
  n,
  attempt: number,
  point:
    job === 'prepare'
      ? ({ job } as const)
      : ({ job, session: 'fresh', tree: 'same', commit: null } as const),
  why: 'first' as const,
  tries: 0,
  parseRetries: 0,
});

const told: readonly (readonly [seconds: number, event: object])[] = [
  [0, { type: 'run.started' }],
  [1, dispatched(1, 1, 'prepare')],
  [
    53,
    {
      type: 'baseline.recorded',
      outcome: 'red',
      summary: 'npm test fails (2 failed, 118 passed)',
      receipt: digest('b'),
    },
  ],
  [54, dispatched(2, 1, 'execute')],
  [700, { type: 'usage.recorded', execution: execution(2), usage: usage(0.61) }],
  [
    700,
    {
      type: 'turn.ended',
      attempt: 1,
      commit: commit('1'),
      equalsBase: false,
      filesChanged: 4,
      end,
      sessionId: null,
      journal: null,
    },
  ],
  [778, { type: 'attempt.ended', attempt: attempt(1, 778) }],
  [780, dispatched(3, 2, 'execute')],
  [
    800,
    {
      type: 'recovery.recorded',
      execution: execution(3),
      class: 'lane_died',
      proof: 'kernel',
      action: 'requeue',
      detail: 'exit 137',
    },
  ],
  [
    805,
    {
      type: 'run.waiting',
      reason: 'rate_limited',
      until: at(1600),
      generation: 1,
      detail: '',
      tries: 0,
      parseRetries: 0,
    },
  ],
  [
    810,
    {
      type: 'finding.recorded',
      execution: execution(3),
      finding: { kind: 'drift', paths: ['docs/x.md', 'a\u001b[31mb'], more: 2 },
    },
  ],
];
const events = told.map(([seconds, event], i) => ({
  position: i + 1,
  run: view.id as RunId,
  version: i + 1,
  actor: 'test',
  at: at(seconds),
  event: { at: at(seconds), ...event },
})) as unknown as readonly StoredEvent[];
const story = tell(noStory, events);

const verdict: Verdict = {
  outcome: 'passed',
  commit: commit('9'),
  verifier: execution(4),
  verifierIdentity: 'runtime',
  receipt: digest('c'),
  summary: 'npm test exit 0 · 120 passed',
  criteria: [
    {
      index: 0,
      kind: 'lint',
      what: 'npm run lint',
      outcome: 'passed',
      score: null,
      reasons: [],
      suggestedFix: null,
      exit: 0,
      counts: null,
      durationMs: 4_000,
      executions: 1,
      flaky: false,
      output: null,
    },
    {
      index: 1,
      kind: 'test',
      what: 'npm test',
      outcome: 'passed',
      score: null,
      reasons: [],
      suggestedFix: null,
      exit: 0,
      counts: { passed: 120, failed: 0, skipped: null },
      durationMs: 13_800,
      executions: 1,
      flaky: false,
      output: null,
    },
  ],
};
const changed = [
  { path: 'src/weeks.ts', status: 'modified', added: 6, removed: 2 },
  { path: 'test/parse.test.ts', status: 'modified', added: 46, removed: 12 },
] as const;
const parked: RunView = exampleView({
  status: 'needs_operator',
  phase: null,
  disposition: 'escalated',
  reason: 'attempts_exhausted',
  detail: 'npm test exit 1 · 9 failed',
  attempt: { n: 5, max: 5 },
  attempts: [1, 2, 3, 4, 5].map((n) =>
    attempt(n, 778 + n, { failedTests: [28, 12, 3, 3, 9][n - 1] ?? null }),
  ),
  best: 4,
  execution: null,
  refusedGates: 1,
  ancestryUnknown: ['approve'],
  options: [
    {
      command: 'pawl resume 7k2m --attempts +3 --from-attempt 4',
      effect: 'more attempts from the best tree',
    },
    {
      command: 'cd "$(pawl path 7k2m)"   then  pawl resume 7k2m --verify-now',
      effect: 'do it yourself',
    },
    { command: 'pawl cancel 7k2m', effect: 'end it, keep the branch' },
  ],
});
const done = exampleView({
  status: 'complete',
  phase: null,
  verification: 'passed',
  receipt: digest('c'),
  endedAt: at(1300),
  execution: null,
});
const waiting = exampleView({
  status: 'waiting_human',
  phase: null,
  gate: {
    kind: 'manual',
    approval: '7k2m.a1' as ApprovalId,
    look: 'Look at /settings in German',
    commit: commit('9'),
    step: 1,
    askedAt: at(1000),
    expiresAt: null,
  },
});

const pages: Readonly<Record<string, (columns: number) => readonly string[]>> = {
  header: (columns) =>
    headerLines(
      view,
      definition,
      ['main is 2 commits behind origin/main (nothing was fetched)'],
      columns,
    ),
  facts: (columns) =>
    events.flatMap((stored) => {
      const line = factOf(stored, { view, definition, story, at: when })?.line;
      return line == null ? [] : finishedLines(line, columns);
    }),
  block: (columns) =>
    blockLines({
      view,
      definition,
      story,
      now: at(1170),
      at: when,
      columns,
      keys: 'd detach · p pause · l log · ? keys',
      called: 'pawl',
      laneLines: [
        'read src/parse.ts',
        'edit src/weeks.ts +6 −2',
        '\u001b[32m$ npm test -- parse\u001b[0m 日本語',
      ],
    }),
  final: (columns) =>
    finalLines({
      view: done,
      definition,
      story,
      verdicts: [verdict],
      changed,
      at: when,
      called: 'pawl',
      columns,
    }),
  overridden: (columns) =>
    finalLines({
      view: { ...done, verification: 'overridden', detail: '3 failures are known' },
      definition,
      story,
      verdicts: [],
      changed,
      at: when,
      called: 'pawl',
      columns,
    }),
  escalation: (columns) =>
    escalationLines({
      view: parked,
      definition,
      story: { ...story, parkedAt: at(1200) },
      now: at(1300),
      at: when,
      text: null,
      same: ['css › keeps order of @import'],
      called: 'pawl',
      columns,
    }),
  question: (columns) =>
    escalationLines({
      view: {
        ...parked,
        reason: 'blocked_by_question',
        attempts: [],
        best: null,
        options: [{ command: 'pawl answer 7k2m "…"', effect: 'answer it' }],
      },
      definition,
      story,
      now: at(1300),
      at: when,
      text: 'May I drop the old API?\nIt is used by two callers.',
      same: [],
      called: 'pawl',
      columns,
    }),
  gate: (columns) =>
    gateLines({
      view: waiting,
      definition,
      story,
      verdicts: [verdict],
      changed,
      now: at(1300),
      called: 'pawl',
      columns,
    }),
  open: (columns) =>
    openLines({ view, definition, story, now: at(1170), at: when, called: 'pawl', columns }),
  attempt: (columns) =>
    attemptLines({
      told: story.attempts.get(1) ?? missing(),
      story,
      verdicts: [
        {
          ...verdict,
          criteria: verdict.criteria.map((result) => ({
            ...result,
            outcome: 'failed' as const,
            exit: 1,
            reasons: ['parse › accepts ISO week dates'],
          })),
        },
      ],
      outputs: [null, 'line one\n\u001b[31mline two\u001b[0m\n'],
      changed,
      columns,
    }),
  status: (columns) =>
    statusLines({
      groups: groupRuns([
        view,
        parked,
        waiting,
        done,
        exampleView({
          name: 'flaky-login-test',
          waiting: { reason: 'rate_limited', until: at(4000), detail: '' },
          phase: 'waiting',
        }),
        exampleView({ status: 'cancelled', phase: null, cancelCause: 'refused' }),
      ]),
      driver: { pid: 4122, isService: false },
      now: at(1300),
      at: when,
      since: 'yesterday 22:10',
      called: 'pawl',
      columns,
    }),
};
function missing(): never {
  throw new Error('the story has no such attempt');
}

const cases = Object.keys(pages).flatMap((name) =>
  widths.map((columns) => [name, columns] as const),
);

test.each(cases)('%s at %i columns', async (name, columns) => {
  const lines = pages[name]?.(columns) ?? missing();
  for (const line of lines) expect(widthOf(line), line).toBeLessThanOrEqual(columns);
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot(
    `../../../test/golden/cli/${name}-${columns}.txt`,
  );
});

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
    same: [],
    called: 'pawl',
    columns: 100,
  });
  expect(lines.length).toBeLessThanOrEqual(40);
});

test('the block is at most eight lines (UX 3.1)', () => {
  for (const columns of widths) expect(pages['block']?.(columns).length).toBeLessThanOrEqual(8);
});

test('work without a driver is shown as that, above everything else', () => {
  const lines = statusLines({
    groups: groupRuns([view]),
    driver: null,
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

const ended = { story, verdicts: [verdict], changed, at: when, called: 'pawl', columns: 100 };

test('without a base nothing is said to be unchanged: nothing was compared', () => {
  const bare = { ...done, base: null, head: null };
  const page = finalLines({ ...ended, view: bare, definition }).join('\n');
  expect(page).toContain('no git: the folder as it lies there, compared with nothing');
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
