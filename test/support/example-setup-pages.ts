/** Pages that a newcomer meets (UX 1.1, 1.2, 5.3, 5.4) as data, drawn at every width. */
import { cardKeys } from '../../src/cli/approval-card.ts';
import type { Discovery } from '../../src/cli/discovery.ts';
import { crashLines, demoLines } from '../../src/cli/views/demo.ts';
import { agentLines, discoveryLines } from '../../src/cli/views/discovery.ts';
import { doctorLines, type Section } from '../../src/cli/views/doctor.ts';
import { factOf } from '../../src/cli/views/fact.ts';
import { finalLines } from '../../src/cli/views/final.ts';
import { gateLines } from '../../src/cli/views/gate.ts';
import { finishedLines } from '../../src/cli/views/lines.ts';
import { type Trial, trialLines } from '../../src/cli/views/trial.ts';
import { knownAgents } from '../../src/detect/agents.ts';
import type { HealthCheck } from '../../src/ports/health.ts';
import type { StoredEvent } from '../../src/ports/store.ts';
import { noStory, tell } from '../../src/ports/story.ts';
import {
  attempt,
  changed,
  definition,
  done,
  story,
  verdict,
  view,
  waiting,
  when,
} from './example-pages.ts';
import { at, commit, digest, exampleDefinition, exampleView, execution } from './example-run.ts';
import { dates } from './scripted-detection.ts';

const found = {
  checkout: {
    ...{ git: true, root: '/home/me/dates', bare: false, head: commit('3'), branch: 'main' },
    ...{ dirty: [], upstream: null, submodules: false, linkedWorktree: false },
  },
  detected: { ...dates, notes: [] },
  leftBehind: ['.env'],
} as unknown as Discovery;
const installed = (['claude', 'codex'] as const).map((name) => ({
  agent: knownAgents.find((each) => each.name === name) ?? missing(name),
  version: name === 'claude' ? '2.1.332' : '0.171.0',
  login: name === 'claude' ? ('yes' as const) : ('unknown' as const),
}));
const trial: Trial = {
  setup: 'npm ci',
  setupMs: 38_000,
  report: {
    ...{ outcome: 'red', setup: 'done', summary: '', unrunnable: null, message: null },
    criteria: verdict.criteria.map((result) =>
      result.kind === 'lint'
        ? result
        : {
            ...result,
            outcome: 'failed' as const,
            counts: { passed: 118, failed: 2, skipped: null },
          },
    ),
  },
};

const check = (
  id: string,
  state: HealthCheck['state'],
  detail: string,
  next: string | null = null,
): HealthCheck => ({ id, state, detail, next });
const mute = '! it does not tell which tools it runs: a long one looks like silence';
const agent = (name: string, cells: string | null, next: string | null = null) => ({
  ...{ name, next, cells: cells?.split('|') ?? null },
  notes: name === 'qwen' ? (['outlives', 'door'] as const) : [],
  problems: name === 'qwen' ? [mute] : [],
});
const sections: readonly Section[] = [
  {
    name: 'machine',
    checks: [
      check('machine.node', 'ok', 'node 22.13.1'),
      check('machine.git', 'ok', 'git 2.43'),
      check('machine.disk', 'ok', '118 GB free'),
      check('machine.sleep', 'warn', 'sleeps after 30m on battery', 'keepAwake works on AC only'),
    ],
  },
  {
    name: 'store',
    checks: [
      check('store.place', 'ok', '/home/me/.local/state/pawl (local ext4)'),
      check('store.sync', 'ok', 'sync proven: 3 fsyncs for 3 commits'),
      check('store.chain', 'ok', 'chain verified, 41 streams'),
    ],
  },
  {
    name: 'driver',
    checks: [
      check('driver.seat', 'fail', 'no driver, and 2 runs have work', 'pawl service start'),
      check('driver.trees', 'warn', '1 leftover worktree 2.1 GB', 'pawl prune'),
    ],
  },
  {
    name: 'agents',
    checks: [check('agents.codex', 'unknown', 'codex 0.171.0, login unknown')],
    agents: [
      agent('claude', '2.1.332|yes, key|json|yes|metered|yes|yes|clean|today'),
      agent('codex', '0.171.0|unknown|json|–|–|–|–|–|–', 'pawl doctor --probe codex'),
      agent('qwen', '0.15.10|yes|acp|no|total|door*|yes|leaves 1*|2026-11-28'),
      agent('gemini', null),
    ],
  },
  {
    name: 'project',
    checks: [
      check('project.file', 'ok', 'pawl.yaml valid'),
      check('project.protected', 'warn', 'protected is empty: tests may be edited to pass'),
    ],
  },
  { name: 'notify', checks: [check('notify.0', 'ok', 'desktop (test sent)')] },
];

/** The demo's three attempts: two are called done by the agent and are not. */
const demoDefinition = exampleDefinition({
  name: 'repair-median',
  project: { ...definition.project, kind: 'demo' },
  criteria: definition.criteria.flatMap((criterion) =>
    criterion.kind === 'test' ? [{ ...criterion, command: 'node --test' }] : [],
  ),
});
const demoRun = exampleView({
  ...{ name: 'repair-median', short: '9f2c', attempt: { n: 3, max: 6 } },
  branch: 'pawl/repair-median-9f2c',
  spent: { ...view.spent, costUsd: 0, costKnown: false, tokensIn: 0, tokensOut: 0, cacheRead: 0 },
});
const demoEvents = [1, 2, 3].flatMap((n) => {
  const isLast = n === 3;
  const end = { exit: 0, signal: null, rung: 'cgroup', proof: 'kernel' };
  const turn = {
    ...{ type: 'turn.ended', attempt: n, commit: commit(String(n)), equalsBase: false },
    ...{ filesChanged: 1, sessionId: null, journal: null },
    end: { ...end, lastLine: 'done, all tests pass' },
  };
  const summary = isLast ? 'exit 0 · 12 passed' : `exit 1 · ${n} failed, ${12 - n} passed`;
  const outcome = isLast ? ('passed' as const) : ('failed' as const);
  const failedTests = isLast ? 0 : n;
  const ended = attempt(n, n * 2, { outcome, summary, failedTests });
  const start = {
    ...{ type: 'job.dispatched', execution: execution(n), n, attempt: n, why: 'first' },
    ...{ point: { job: 'execute', session: 'fresh', tree: 'same', commit: null }, tries: 0 },
  };
  return [
    { at: at(n * 2 - 2), event: { ...start, parseRetries: 0, at: at(n * 2 - 2) } },
    { at: at(n * 2 - 1), event: { ...turn, at: at(n * 2 - 1), execution: execution(n) } },
    { at: at(n * 2), event: { type: 'attempt.ended', attempt: ended, at: at(n * 2) } },
  ];
}) as unknown as readonly StoredEvent[];

const demoResults = verdict.criteria.slice(1).map((result) => ({
  ...{ ...result, what: 'node --test', durationMs: 300 },
  counts: { passed: 12, failed: 0, skipped: null },
}));

function demoPage(columns: number): string[] {
  const told = tell(noStory, demoEvents);
  const world = { view: demoRun, definition: demoDefinition, story: told, at: when };
  const facts = demoEvents.flatMap((stored) => {
    const line = factOf(stored, world)?.line;
    return line == null ? [] : finishedLines(line, columns);
  });
  const directory = '/tmp/pawl-demo-k3fa9c';
  return [
    ...demoLines({ directory, check: 'node --test', called: 'npx pawl', columns }),
    ...facts,
    '',
    ...finalLines({
      ...world,
      view: { ...demoRun, ...ending, project: directory },
      verdicts: [{ ...verdict, criteria: demoResults }],
      changed: changed.slice(0, 1),
      look: [],
      receipt: null,
      target: 'unmoved',
      called: 'npx pawl',
      columns,
    }),
    ...crashLines('npx pawl', columns),
  ];
}
const { status, phase, verification, receipt } = done;
const ending = { status, phase, verification, receipt, endedAt: at(8), execution: null };

const asking = exampleView({
  ...{ status: 'waiting_human', phase: null, definition: digest('03ff9c1e77ab') },
  gate: {
    ...{ kind: 'permission', approval: '7k2mab34cd56.a2' as never, execution: execution(3) },
    ask: {
      ...{ request: 'p1', tool: 'execute', title: 'git push origin HEAD' },
      ...{ args: '9c1e77ab03ff', definition: '77ab03ff9c1e' },
    },
    point: { job: 'execute', session: 'fresh', tree: 'same', commit: null },
    ...{ askedAt: at(1120), expiresAt: null },
  },
});

export const setupPages: Readonly<Record<string, (columns: number) => readonly string[]>> = {
  demo: demoPage,
  init: (columns) => [
    ...discoveryLines(found, columns),
    ...agentLines(installed, columns),
    '',
    ...trialLines(trial, columns),
  ],
  card: (columns) => [
    ...gateLines({
      ...{ view: waiting, definition, story, verdicts: [verdict], changed, now: at(1300), columns },
      called: 'pawl',
    }),
    '',
    ...cardKeys(waiting, columns),
  ],
  'card-protected': (columns) =>
    cardKeys(
      exampleView({
        ...{ status: 'waiting_human', attempt: view.attempt },
        gate: {
          ...{ kind: 'protected', approval: '7k2m.a2' as never, paths: ['.github/ci.yml'] },
          ...{ commit: commit('9'), askedAt: at(0), expiresAt: null },
        },
      }),
      columns,
    ),
  'card-permission': (columns) => [
    ...gateLines({
      definition: { ...definition, permissions: 'ask', onPermission: 'ask' },
      ...{ view: asking, story, verdicts: [], changed: null, now: at(1300), columns },
      called: 'pawl',
    }),
    '',
    ...cardKeys(asking, columns),
  ],
  doctor: (columns) => doctorLines(sections, ['the store is readable by you alone'], columns),
};

function missing(name: string): never {
  throw new Error(`no agent ${name} is known`);
}
