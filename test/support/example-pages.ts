/**
 * The pages of the specification (UX 1 to 5) as data: what each is made of, so that one table can
 * draw all of them at every width.
 */
import { clock } from '../../src/cli/format.ts';
import type { ReceiptFacts } from '../../src/cli/receipt-facts.ts';
import { blockLines } from '../../src/cli/views/block.ts';
import { escalationLines } from '../../src/cli/views/escalation.ts';
import { factOf } from '../../src/cli/views/fact.ts';
import { finalLines } from '../../src/cli/views/final.ts';
import { gateLines } from '../../src/cli/views/gate.ts';
import { headerLines } from '../../src/cli/views/header.ts';
import { finishedLines } from '../../src/cli/views/lines.ts';
import { attemptLines, openLines } from '../../src/cli/views/show.ts';
import { groupRuns, statusLines } from '../../src/cli/views/status.ts';
import type { RunView } from '../../src/ports/client.ts';
import type { Position, StoredEvent } from '../../src/ports/store.ts';
import { noStory, tell } from '../../src/ports/story.ts';
import type { ApprovalId, AttemptSummary, RunId, Verdict } from '../../src/ports/words.ts';
import {
  at,
  commit,
  digest,
  exampleDefinition,
  exampleView,
  execution,
  startedAt,
} from './example-run.ts';
import { scriptedIo } from './scripted-io.ts';

export const io = scriptedIo({ now: startedAt + 1_300_000 });
export const when = (instant: number): string => clock(io, instant);
export const definition = exampleDefinition();
export const view = exampleView();

export const attempt = (
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
export const events = told.map(([seconds, event], i) => ({
  position: `${i + 1}` as Position,
  run: view.id as RunId,
  version: i + 1,
  actor: 'test',
  at: at(seconds),
  event: { at: at(seconds), ...event },
})) as unknown as readonly StoredEvent[];
export const story = tell(noStory, events);

export const verdict: Verdict = {
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
export const changed = [
  { path: 'src/weeks.ts', status: 'modified', added: 6, removed: 2 },
  { path: 'test/parse.test.ts', status: 'modified', added: 46, removed: 12 },
] as const;
const receipt: ReceiptFacts = {
  results: verdict.criteria.map((result) => ({
    ...result,
    baseline: result.counts === null ? null : { passed: 118, failed: 2, skipped: null },
    human: null,
  })),
  protectedFiles: 6,
  worker: null,
};
export const noneShared = { reasons: [], attempts: [], files: [] } as const;
export const parked: RunView = exampleView({
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
export const done = exampleView({
  status: 'complete',
  phase: null,
  verification: 'passed',
  receipt: digest('c'),
  endedAt: at(1300),
  execution: null,
});
export const waiting = exampleView({
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

export const pages: Readonly<Record<string, (columns: number) => readonly string[]>> = {
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
      look: ['test/parse.test.ts   a test file changed (2 tests added, 0 removed, 0 skipped)'],
      receipt,
      target: 'unmoved',
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
      look: ['test/parse.test.ts   a test file changed (2 tests added, 0 removed, 0 skipped)'],
      receipt,
      target: 'unmoved',
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
      same: {
        reasons: ['css › keeps order of @import', 'css › hashes stable', 'ssr › streams head'],
        attempts: [3, 4],
        files: ['src/css/order.ts'],
      },
      printed: [],
      counted: { total: 412, baselineFailed: 41 },
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
      same: noneShared,
      printed: [],
      counted: { total: null, baselineFailed: null },
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
