/** Arbitrary things that people, hosts, timers and the engine may do to a run, sensible or not. */
import fc from 'fast-check';
import type { ExecutionCommand } from '../../src/domain/execution/message.ts';
import type {
  Execution,
  FailureClass,
  JobResult,
  ProofStrength,
} from '../../src/domain/execution/state.ts';
import type { ExecutionId, GrantId } from '../../src/domain/ids.ts';
import type { Principal } from '../../src/domain/principal/principal.ts';
import { awaitedExecutions } from '../../src/domain/run/evolve.ts';
import { askingLane } from '../../src/domain/run/evolve-permission.ts';
import type { ResumeOptions, RunCommand, TimerKind } from '../../src/domain/run/message.ts';
import {
  at,
  automation,
  checks,
  command,
  commit,
  digest,
  driver,
  executed,
  execution,
  failed,
  judge,
  lane,
  laneEnd,
  manual,
  operator,
  prepared,
  start,
  terms,
  usage,
  verified,
} from './run-fixtures.ts';
import { type Model, newModel, nextFence, send, tell } from './run-model.ts';

export interface World {
  readonly model: Model;
  now: number;
  /** The command of the run that is being decided; what its events are judged by. */
  issuing: RunCommand | null;
}

export function world(watch?: Model['watch']): World {
  const here: World = { model: newModel(watch), now: 0, issuing: null };
  here.model.onRun = (next) => {
    here.issuing = next;
  };
  return here;
}

const classes: readonly FailureClass[] = [
  'transport_lost',
  'lane_died',
  'window_exhausted',
  'rate_limited',
  'context_overflow',
  'auth_required',
  'human_blocker',
  'invalid_result',
  'unknown_outcome',
  'dispatch_failed',
  'setup_failed',
  'workspace_lost',
  'budget_exhausted',
];
const timerKinds: readonly TimerKind[] = [
  'wait',
  'active_time',
  'attempt_time',
  'gate_expiry',
  'gate_reminder',
  'cancel_deadline',
  'escalation',
  'opinions',
];
const verdicts = [
  'passed',
  'passed',
  'passed',
  'failed',
  'failed',
  'missing_evidence',
  'verifier_unavailable',
  'unparseable',
  'indeterminate',
] as const;
const turns = [
  ...Array.from({ length: 9 }, () => 'turn_ended' as const),
  'question',
  'blocked',
  'limit',
  'invalid_result',
  'permission_denied',
] as const;
const finds = ['drift', 'protected', 'foreign_write', 'agent_commit'] as const;
const proofs: readonly ProofStrength[] = ['kernel', 'marker+tree', 'unproven'];

const weighted = {
  work: 20,
  ask: 1,
  fail: 2,
  lose: 1,
  timer: 2,
  human: 8,
  machine: 1,
  forge: 1,
} as const;

const unbiased = fc.record({
  what: fc.oneof(
    ...Object.entries(weighted).map(([what, weight]) => ({
      weight,
      arbitrary: fc.constant(what as keyof typeof weighted),
    })),
  ),
  passMs: fc.oneof(
    { weight: 9, arbitrary: fc.nat(2_000) },
    { weight: 1, arbitrary: fc.nat(90_000) },
  ),
  pick: fc.nat(10_000),
  failure: fc.constantFrom(...classes),
  verdict: fc.constantFrom(...verdicts),
  turn: fc.constantFrom(...turns),
  proof: fc.constantFrom(...proofs),
  isOdd: fc.nat(9).map((n) => n === 0),
  find: fc.nat(5 * finds.length).map((n) => finds[n] ?? null),
  who: fc.constantFrom<Principal>(operator, operator, operator, operator, automation, lane, driver),
  steps: fc.constantFrom(
    [checks],
    [checks, judge],
    [checks, manual],
    [checks, judge, manual],
    [manual],
  ),
  terms: fc.record({
    onLimit: fc.constantFrom('wait' as const, 'stop' as const, 'ask' as const),
    onProtected: fc.constantFrom('park' as const, 'ask' as const, 'restore' as const),
    baseline: fc.constantFrom('auto' as const, 'green-ok' as const, 'skip' as const),
    allowNoChange: fc.boolean(),
    detached: fc.boolean(),
    git: fc.nat(4).map((n) => n > 0),
    approvalsExpireMs: fc.constantFrom(null, 1_000),
  }),
  brakes: fc.record({
    attempts: fc.constantFrom(1, 2, 3, 8),
    costUsd: fc.constantFrom(null, null, 3),
    tokens: fc.constantFrom(null, null, 400),
    timeMs: fc.constantFrom(null, 100_000, 5_000_000),
    waitTimeMs: fc.constantFrom(100_000, 10_000_000),
  }),
});
/** Without the usual bias to small figures, which would make most scripts alike. */
export const action = fc.noBias(unbiased);
export type Action = typeof action extends fc.Arbitrary<infer T> ? T : never;

export function act(here: World, next: Action): void {
  here.now += next.passMs;
  if (here.model.run.status === 'unborn') {
    const brakes = { ...terms.brakes, ...next.brakes };
    const dry = { dryRun: true, steps: [checks], allowNoChange: true, git: false } as const;
    const usual = { ...next.terms, brakes, steps: next.steps };
    const started = next.pick % 10 === 0 ? { ...usual, ...dry } : usual;
    const by = next.isOdd ? automation : operator;
    issue(here, start(started, here.now, by));
    return;
  }
  acts[next.what](here, next);
}

/** Over all scripts: a request has a name of its own. */
let asks = 0;

const issue = (here: World, next: RunCommand): void => {
  send(here.model, next);
};

const acts: Readonly<Record<keyof typeof weighted, (here: World, next: Action) => void>> = {
  work: (here, next) => advance(here, next, (job) => success(job, next)),
  ask: (here, next) => {
    const job = awaited(here);
    if (job === null) return;
    asks += 1;
    const grantId = (next.isOdd ? 'forged' : (job.grant?.id ?? 'none')) as GrantId;
    const name = String(next.pick % 3);
    const wanted = { request: `p${asks}`, tool: 'shell', title: name, args: name } as const;
    const ask = { ...wanted, definition: String(next.pick % 2) };
    tell(here.model, job.id, { type: 'ask', grantId, ask, at: at(here.now) });
  },
  fail: (here, next) =>
    advance(here, next, () =>
      failed(next.failure, { proof: next.proof, commit: next.isOdd ? commit('c9') : null }),
    ),
  lose: (here, next) => {
    const job = awaited(here);
    if (job === null) return;
    const { failure, proof } = next;
    tell(here.model, job.id, {
      type: 'lose',
      class: failure,
      proof,
      detail: 'lost',
      at: at(here.now),
    });
  },
  timer: timer,
  human: human,
  machine: machine,
  forge: forge,
};

/** The execution that the run waits for, or one that still runs although it does not. */
function awaited({ model }: World): Execution | null {
  const open = [...model.executions.values()].filter(
    ({ status }) => !['SUCCEEDED', 'FAILED', 'CANCELLED', 'EXHAUSTED', 'UNKNOWN'].includes(status),
  );
  return open.at(-1) ?? null;
}

function advance(here: World, next: Action, result: (job: Execution) => JobResult): void {
  const job = awaited(here);
  if (job === null) return;
  const { model, now } = here;
  const time = at(now);
  const say = (body: ExecutionCommand) => tell(model, job.id, body);
  const grantId = (job.grant?.id ?? 'none') as GrantId;
  if (job.status === 'DISPATCHED') {
    const holder = { worker: 'w', bootId: 'b', pid: 1, started: 1 };
    const id = `g${job.n}` as GrantId;
    say({ type: 'claim', grantId: id, nonce: id, fence: nextFence(model), holder, at: time });
    if (next.isOdd) return;
    say({ type: 'start', grantId: id, rung: 'cgroup', pid: 7, at: time });
    return;
  }
  if (job.status === 'CANCEL_REQUESTED' && next.pick % 3 > 0) {
    say({ type: 'cancel_ack', grantId, proof: next.proof, at: time });
    return;
  }
  const seal = digest(`seal${job.n}`);
  say({ type: 'result', grantId, seal, result: result(job), at: time });
}

function success({ job, n }: Execution, next: Action): JobResult {
  switch (job.role) {
    case 'prepare': {
      const baseline = (['unrunnable', 'green', 'green'] as const)[next.pick % 15] ?? 'red';
      return prepared({ baseline, setup: next.pick % 29 === 0 ? 'failed' : 'done' });
    }
    case 'execute': {
      const equalsBase = next.pick % 17 === 0;
      const kind = next.find;
      return executed({
        outcome: next.turn,
        equalsBase,
        commit: equalsBase ? null : commit(`c${n}`),
        findings: kind === null ? [] : [{ kind, paths: ['a.txt', 'src/b.ts'], more: 0 }],
        end: { ...laneEnd, proof: next.proof },
        limitUntil: next.isOdd ? null : at(next.pick * 1_000),
      });
    }
    case 'consult':
      return { kind: 'advised', text: digest(`opinion${n}`), usage };
    default:
      return verified({
        outcome: next.verdict,
        commit: next.isOdd ? commit('other') : job.commit,
        flaky: next.pick % 11 === 0,
        equalsBase: next.pick % 13 === 0,
      });
  }
}

function timer(here: World, next: Action): void {
  const set = [...here.model.timers];
  const chosen = set[next.pick % Math.max(1, set.length)];
  const stale = {
    kind: timerKinds[next.pick % timerKinds.length] ?? 'wait',
    generation: next.pick % 5,
  };
  const due = chosen === undefined ? null : { kind: chosen[0], generation: chosen[1].generation };
  if (chosen !== undefined && !next.isOdd) here.now = Math.max(here.now, chosen[1].dueAt);
  const fired = next.isOdd || due === null ? stale : due;
  const claimed = awaited(here)?.status !== 'DISPATCHED';
  issue(here, command({ type: 'fire_timer', ...fired, claimed }, here.now, driver));
}

function human(here: World, next: Action): void {
  const bodies = [
    ...Array.from({ length: 4 }, () => ({ type: 'resume', options: generous(next) }) as const),
    { type: 'resume', options: { grants: {} } },
    { type: 'resume', options: { grants: {}, verifyNow: { commit: commit('mine') } } },
    { type: 'resume', options: { grants: {}, now: true, hint: digest('h') } },
    { type: 'answer', text: digest('answer') },
    { type: 'answer', text: digest('answer') },
    ...Array.from({ length: 2 }, () => verdictOn(here, 'approved')),
    { ...verdictOn(here, 'approved'), forRun: true } as const,
    verdictOn(here, 'rejected'),
    { type: 'pause', now: next.isOdd },
    { type: 'pause', now: true },
    { type: 'hint', text: digest(`hint${next.pick}`) },
    { type: 'consult', profiles: next.isOdd ? ['oracle', 'test'] : null },
    { type: 'consult', profiles: next.isOdd ? ['council'] : ['fixer'] },
    { type: 'accept', reason: next.isOdd ? 'good enough' : '' },
    ...(next.isOdd ? [cancelling(here), { ...cancelling(here), now: true } as const] : []),
    {
      type: 'record_landing',
      commit: commit('m'),
      into: 'main',
      method: 'squash',
      reverified: next.isOdd,
    },
  ] as const;
  const body = bodies[next.pick % bodies.length];
  if (body !== undefined) issue(here, command(body, here.now, next.who));
}

const cancelling = (here: World) =>
  ({ type: 'cancel', note: 'enough', leased: awaited(here)?.status !== 'DISPATCHED' }) as const;

function verdictOn({ model: { run } }: World, outcome: 'approved' | 'rejected') {
  const approval = run.status === 'waiting_human' ? run.gate.approval : ('run1.a1' as never);
  return { type: 'resolve_gate', approval, outcome, note: null, summary: outcome } as const;
}

/** What lifts any halt, with some of the ways to go on. */
function generous({ pick, isOdd }: Action): ResumeOptions {
  const grants = { attempts: 1, costUsd: 5, tokens: 1_000, steps: 1, timeMs: 5_000_000 };
  const always = { grants, allow: ['**'], happened: isOdd, fresh: pick % 4 < 2 };
  if (pick % 5 === 0) return { ...always, restore: true };
  if (pick % 11 === 0) return { ...always, verifyNow: { commit: commit(`mine${pick}`) } };
  return pick % 7 === 0 ? { ...always, fromAttempt: 1 } : always;
}

function machine(here: World, next: Action): void {
  const isUnclaimed = awaited(here)?.status === 'DISPATCHED';
  const { run } = here.model;
  const asking = run.status === 'unborn' ? null : askingLane(run);
  const bodies = [
    { type: 'park_internal_error', detail: 'a bug' },
    { type: 'record_refusal', command: 'land', refused: lane },
    { type: 'plan_notice', about: 1 + (next.pick % 50), kind: 'complete', to: ['desktop'] },
    {
      type: 'record_notice',
      about: 1 + (next.pick % 50),
      to: 'desktop',
      state: next.pick % 2 === 0 ? 'delivered' : 'not_delivered',
      detail: 'no display',
    },
    { type: 'record_sleep', since: at(Math.max(0, here.now - next.passMs)), until: at(here.now) },
    {
      type: 'record_escalation',
      since: run.status === 'needs_operator' && !next.isOdd ? run.since : at(next.pick),
      escalation: digest(`page${next.pick % 3}`),
    },
    ...(asking === null ? [] : [leaving(asking), leaving(asking)]),
    ...(isUnclaimed
      ? ([
          { type: 'no_capacity', until: at(here.now + next.passMs), detail: '3 of 3 busy' },
          { type: 'fail_dispatch', detail: 'spawn EAGAIN' },
          { type: 'stop_for_budget', budget: 'day', detail: '$5.00 of $5.00' },
        ] as const)
      : []),
  ] as const;
  const body = bodies[next.pick % bodies.length];
  if (body !== undefined) issue(here, command(body, here.now, driver));
}

const leaving = ({ execution: id, ask }: NonNullable<ReturnType<typeof askingLane>>) =>
  ({ type: 'void_permission', execution: id, request: ask.request }) as const;

/** Late, doubled and invented messages. */
function forge(here: World, next: Action): void {
  const { model, now } = here;
  const id: ExecutionId = execution(1 + (next.pick % 6));
  const end = { how: 'sealed', result: verified({ commit: commit('c2') }) } as const;
  // The engine says of no execution that it ended before it has; of others nobody may hear it.
  const { run } = model;
  const ends = run.status === 'unborn' ? [] : [...awaitedExecutions(run), ...(run.leaving ?? [])];
  if (!ends.includes(id))
    issue(here, command({ type: 'job_ended', execution: id, end }, now, driver));
  issue(here, command({ type: 'job_ended', execution: id, end }, now, lane));
  const grantId = 'forged' as GrantId;
  const seal = digest('forged');
  tell(model, id, { type: 'result', grantId, seal, result: executed(), at: at(now) });
  tell(model, id, { type: 'start', grantId, rung: 'none', pid: 1, at: at(now) });
}
