/**
 * The state machines as tables, made by asking the deciders: every status against every command.
 * `tools/state-tables.mjs` writes the result to docs/state-machines.md, so the drawing cannot lie.
 */
import { decide as decideExecution } from '../../src/domain/execution/decide.ts';
import { evolve as evolveExecution } from '../../src/domain/execution/evolve.ts';
import type { Execution, Job } from '../../src/domain/execution/state.ts';
import { permissions } from '../../src/domain/principal/may.ts';
import { decide } from '../../src/domain/run/decide.ts';
import { evolve, initialRun } from '../../src/domain/run/evolve.ts';
import type { RunCommand } from '../../src/domain/run/message.ts';
import { needsOf } from '../../src/domain/run/needs.ts';
import { type ParkReason, parkReasons, type RunState } from '../../src/domain/run/state.ts';
import * as of from './execution-fixtures.ts';
import {
  at,
  checks,
  command,
  commit,
  digest,
  driver,
  executed,
  execution,
  failed,
  fire,
  jobEnded,
  lane,
  laneEnd,
  manual,
  prepared,
  resume,
  runAfter,
  sealed,
  start,
  terms,
  verified,
  verifying,
  working,
} from './run-fixtures.ts';

type Row = readonly string[];

function table(head: Row, rows: readonly Row[]): string {
  const line = (cells: Row) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

const asking = command(
  {
    type: 'open_permission',
    execution: execution(2),
    ask: { request: 'p1', tool: 'shell', title: 'git push', args: 'a', definition: 'd' },
  },
  0,
  driver,
);

const voiding = command(
  { type: 'void_permission', execution: execution(2), request: 'p1' },
  0,
  driver,
);

/** One run in every status, and in every phase of the active one. */
const runs: Readonly<Record<string, RunState>> = {
  unborn: initialRun,
  'active: preparing': runAfter(start()),
  'active: executing': runAfter(...working()),
  'active: verifying': runAfter(...verifying()),
  'active: waiting': runAfter(...working(), sealed(2, executed({ outcome: 'limit' }))),
  'waiting_human: manual': runAfter(
    ...verifying({ steps: [checks, manual] }),
    sealed(3, verified()),
  ),
  'waiting_human: protected': runAfter(
    ...working({ onProtected: 'ask' }),
    sealed(2, executed({ findings: [{ kind: 'protected', paths: ['t'], more: 0 }] })),
  ),
  'waiting_human: permission': runAfter(...working(), asking),
  paused: runAfter(
    ...working(),
    sealed(2, executed({ outcome: 'limit' })),
    command({ type: 'pause', now: false }),
  ),
  'needs_operator: attempts_exhausted': runAfter(
    ...verifying({ brakes: { ...terms.brakes, attempts: 1 } }),
    sealed(3, verified({ outcome: 'failed' })),
  ),
  'needs_operator: attempts_exhausted, a council is asked': runAfter(
    ...verifying({ brakes: { ...terms.brakes, attempts: 1 } }),
    sealed(3, verified({ outcome: 'failed' })),
    command({ type: 'consult', profiles: ['oracle', 'fixer'] }),
  ),
  'needs_operator: blocked_by_question': runAfter(
    ...working(),
    sealed(2, executed({ outcome: 'question' })),
  ),
  'needs_operator: auth_required': runAfter(...working(), sealed(2, failed('auth_required'))),
  cancelling: runAfter(...working(), command({ type: 'cancel', note: '' })),
  complete: runAfter(...verifying(), sealed(3, verified())),
  cancelled: runAfter(start(), command({ type: 'cancel', note: '', leased: false })),
};

/**
 * The commands, with the choices that lead to different ends. Ends of jobs are of the awaited one.
 */
function commands(run: RunState): Readonly<Record<string, RunCommand>> {
  const n = run.status === 'unborn' ? 1 : run.counters.executions;
  const approval = (run.status === 'waiting_human' ? run.gate.approval : 'run1.a1') as never;
  const gate = { type: 'resolve_gate', approval, note: null, summary: 'seen' } as const;
  const landing = { into: 'main', method: 'squash', reverified: true } as const;
  return {
    start: start(),
    hint: command({ type: 'hint', text: digest('hint') }),
    pause: command({ type: 'pause', now: false }),
    'pause --now': command({ type: 'pause', now: true }),
    resume: resume(),
    'resume --attempts +3': resume({ grants: { attempts: 3 } }),
    'resume --now': resume({ now: true }),
    'resume --verify-now': resume({ verifyNow: { commit: commit('c1') } }),
    'cancel, unclaimed': command({ type: 'cancel', note: '', leased: false }),
    'cancel, claimed': command({ type: 'cancel', note: '' }),
    'cancel --now, claimed': command({ type: 'cancel', note: '', now: true }),
    consult: command({ type: 'consult', profiles: null }),
    accept: command({ type: 'accept', reason: 'known' }),
    answer: command({ type: 'answer', text: digest('answer') }),
    approve: command({ ...gate, outcome: 'approved' }),
    reject: command({ ...gate, outcome: 'rejected' }),
    record_landing: command({ type: 'record_landing', commit: commit('m'), ...landing }),
    'job_ended: prepared': sealed(n, prepared()),
    'job_ended: executed': sealed(n, executed()),
    'job_ended: question': sealed(n, executed({ outcome: 'question', end: laneEnd })),
    'job_ended: advised': sealed(n, { kind: 'advised', text: digest('opinion') }),
    'job_ended: passed': sealed(n, verified()),
    'job_ended: failed verdict': sealed(n, verified({ outcome: 'failed' })),
    'job_ended: unparseable': sealed(n, verified({ outcome: 'unparseable' })),
    'job_ended: verifier_unavailable': sealed(n, verified({ outcome: 'verifier_unavailable' })),
    'job_ended: lane_died': sealed(n, failed('lane_died')),
    'job_ended: rate_limited': sealed(n, failed('rate_limited')),
    'job_ended: cancelled': jobEnded(n, { how: 'cancelled', proof: 'kernel' }),
    'job_ended: unknown': jobEnded(n, { how: 'unknown', detail: 'lost' }),
    'job_ended: another': sealed(99, executed()),
    ...timers(run, n),
    open_permission: asking,
    void_permission: voiding,
    no_capacity: command({ type: 'no_capacity', until: at(1_000), detail: 'busy' }, 0, driver),
    stop_for_budget: command(
      { type: 'stop_for_budget', budget: 'day', detail: '$5.00 of $5.00' },
      0,
      driver,
    ),
    fail_dispatch: command({ type: 'fail_dispatch', detail: 'EAGAIN' }, 0, driver),
    park_internal_error: command({ type: 'park_internal_error', detail: 'a bug' }, 0, driver),
    record_refusal: command({ type: 'record_refusal', command: 'land', refused: lane }, 0, driver),
    plan_notice: command(
      { type: 'plan_notice', about: 1, kind: 'complete', to: ['desktop'] },
      0,
      driver,
    ),
    record_notice: command(
      { type: 'record_notice', about: 1, to: 'desktop', state: 'delivered', detail: '' },
      0,
      driver,
    ),
    record_sleep: command({ type: 'record_sleep', since: at(1), until: at(2) }, 3, driver),
    record_escalation: keeping(run),
  };
}

function keeping(run: RunState): RunCommand {
  const since = run.status === 'needs_operator' ? run.since : at(0);
  return command({ type: 'record_escalation', since, escalation: digest('page') }, 3, driver);
}

function timers(run: RunState, n: number): Readonly<Record<string, RunCommand>> {
  const generations = timerGenerations(run);
  return {
    'timer: wait': fire('wait', generations.wait, 1_000_000),
    'timer: active_time': fire('active_time', 1, 1_000_000),
    'timer: attempt_time': fire('attempt_time', n, 1_000_000),
    'timer: cancel_deadline': fire('cancel_deadline', generations.cancel, 1_000_000),
    'timer: opinions': fire('opinions', n, 100_000_000),
    'timer: stale': fire('wait', 99, 1),
  };
}

function timerGenerations(run: RunState) {
  const wait = run.status === 'active' && run.stage.phase === 'waiting' ? run.stage.generation : 1;
  return { wait, cancel: run.status === 'cancelling' ? run.generation : 1 };
}

function nameOf(run: RunState): string {
  switch (run.status) {
    case 'active':
      return run.stage.phase === 'waiting'
        ? `active: waiting (${run.stage.reason})`
        : `active: ${run.stage.phase}`;
    case 'needs_operator':
      return `needs_operator: ${run.reason}`;
    case 'waiting_human':
      return `waiting_human: ${run.gate.kind}`;
    default:
      return run.status;
  }
}

function runRows(run: RunState): readonly Row[] {
  return Object.entries(commands(run)).flatMap(([name, next]) => {
    const decision = decide(run, next);
    if (!decision.ok) return [];
    const types = decision.value.map(({ type }) => `\`${type}\``).join(' ');
    const to = nameOf(decision.value.reduce(evolve, run));
    return [[name, types === '' ? '– (no-op)' : types, to === nameOf(run) ? 'the same' : to]];
  });
}

function refused(run: RunState): string {
  const codes = new Map<string, string[]>();
  for (const [name, next] of Object.entries(commands(run))) {
    const decision = decide(run, next);
    if (decision.ok) continue;
    codes.set(decision.error.code, [...(codes.get(decision.error.code) ?? []), name]);
  }
  return [...codes].map(([code, names]) => `\`${code}\`: ${names.join(', ')}`).join('; ');
}

function runSection(): string {
  return Object.entries(runs)
    .map(([status, run]) => {
      const rows = runRows(run);
      const taken = rows.length === 0 ? 'Nothing.' : table(['command', 'events', 'to'], rows);
      return `### ${status}\n\n${taken}\n\nRefused: ${refused(run) || 'nothing'}.`;
    })
    .join('\n\n');
}

const executionCommands = {
  dispatch: of.dispatch,
  claim: of.claim('g2', 'n2'),
  'claim, again': of.claim(),
  start: of.begin(),
  checkpoint: of.save(),
  result: of.seal('g1', 'other'),
  'result, again': of.seal(),
  ask: of.ask('g1', 'p2'),
  'ask, again': of.ask(),
  answer: of.answer(),
  request_cancel: of.askCancel,
  cancel_ack: of.acknowledge(),
  'cancel_ack, unproven': of.acknowledge('g1', 'unproven'),
  'any, stale grant': of.seal('g0'),
  'lose, proven': of.lose(),
  'lose, unproven': of.lose({ proof: 'unproven' }),
  'lose, window_exhausted': of.lose({ class: 'window_exhausted' }),
  'lose, unknown_outcome': of.lose({ class: 'unknown_outcome' }),
  withdraw: of.withdraw,
  adopt: of.adopt(),
  'adopt, stale grant': of.adopt('g9'),
  reconcile: of.reconcile,
} as const;

/** Those that a check, which is run again and never UNKNOWN, answers otherwise than a lane. */
function executionSection(job: Job = of.job): string {
  const isLane = job.role === of.job.role;
  const rows = Object.entries(executionCommands).flatMap(([name, next]) => {
    const cells = of.statuses.map((status) => executionCell(of.inStatus(status, job), next));
    const ofLane = of.statuses.map((status) => executionCell(of.inStatus(status), next));
    return isLane || cells.join() !== ofLane.join() ? [[name, ...cells]] : [];
  });
  return table(['', ...of.statuses], rows);
}

function executionCell(before: Execution, next: (typeof executionCommands)['claim']): string {
  const decision = decideExecution(before, next);
  if (!decision.ok) return `\`${decision.error.code.split('.').at(-1)}\``;
  const states: string[] = [];
  let state = before;
  for (const event of decision.value) {
    state = evolveExecution(state, event);
    states.push(state.status);
  }
  return `→ ${states.join(' → ')}`;
}

function needRows(): readonly Row[] {
  return Object.entries(parkReasons).flatMap(([disposition, reasons]) =>
    reasons.map((reason: ParkReason) => [
      disposition,
      `\`${reason}\``,
      needsOf(reason)
        .map((need) => `\`${need.replaceAll('|', '\\|')}\``)
        .join(' ') || 'nothing more',
    ]),
  );
}

const kinds = ['human', 'automation', 'lane', 'worker', 'driver'] as const;

function principalRows(): readonly Row[] {
  return Object.entries(permissions).map(([name, who]) => [
    `\`${name}\``,
    ...kinds.map((kind) => who[kind]?.replace('_', ' ') ?? '–'),
  ]);
}

export function stateMachines(): string {
  return `<!-- Generated by tools/state-tables.mjs from the deciders; do not edit. -->

# State machines

Every table here is made by asking the deciders of \`src/domain\`, so it cannot differ from them.

## Run

For each status (and phase of \`active\`): the commands that are taken, the events they lead to, and
where the run is then. The sample runs have one check, three attempts, and no work beyond the first.

${runSection()}

### What a resume needs

${table(['disposition', 'reason', 'needs'], needRows())}

## Execution

Commands against the twelve states: where each leads, or the code of the refusal. A worker's commands
carry the current grant unless said otherwise.

${executionSection()}

### Checks

Where setup and checks answer otherwise than a lane: they are run again, so none is UNKNOWN; they ask
for no leave, and no late seal of theirs is adopted.

${executionSection({ ...of.job, role: 'verify' })}

## Who may

${table(['command', ...kinds], principalRows())}
`;
}
