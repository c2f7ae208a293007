/**
 * Commands and events of a run for the specifications of its decider; every field can be
 * overridden.
 */
import type { JobResult, LaneEnd, Usage, VerdictFacts } from '../../src/domain/execution/state.ts';
import {
  type Commit,
  type Digest,
  executionId,
  type Instant,
  type RunId,
} from '../../src/domain/ids.ts';
import type { Principal } from '../../src/domain/principal/principal.ts';
import { decide } from '../../src/domain/run/decide.ts';
import { evolve, initialRun } from '../../src/domain/run/evolve.ts';
import type { JobEnd, RunCommand, RunEvent } from '../../src/domain/run/message.ts';
import type { LivingRun, ResumePoint, RunState, RunTerms } from '../../src/domain/run/state.ts';

export const run = 'run1' as RunId;
export const at = (ms: number) => ms as Instant;
export const commit = (name: string) => name as Commit;
export const digest = (name: string) => name as Digest;
export const execution = (n: number) => executionId(run, n);

export const operator: Principal = {
  kind: 'human',
  actor: 'ada',
  channel: 'terminal',
  ancestry: 'clean',
};
export const automation: Principal = {
  kind: 'automation',
  actor: 'cron',
  channel: 'library',
  ancestry: null,
};
export const driver: Principal = {
  kind: 'driver',
  actor: 'driver',
  channel: 'driver',
  ancestry: null,
};
export const lane: Principal = {
  kind: 'lane',
  actor: 'run1.2',
  channel: 'terminal',
  ancestry: 'lane',
};

export const checks = { kind: 'checks', from: 0, to: 0 } as const;
export const judge = { kind: 'judge', criterion: 1 } as const;
export const manual = { kind: 'manual', criterion: 2, look: 'look at it' } as const;

export const terms: RunTerms = {
  steps: [checks],
  brakes: {
    attempts: 3,
    costUsd: null,
    tokens: null,
    steps: null,
    timeMs: 100_000,
    attemptTimeMs: 50_000,
    waitTimeMs: 1_000_000,
    errorSignals: 3,
  },
  baseline: 'auto',
  allowNoChange: false,
  onProtected: 'park',
  onLimit: 'wait',
  approvalsExpireMs: null,
  recovery: { requeues: 2, transfers: 3 },
  maker: 'fixer@demo',
  checker: 'oracle@demo',
  checkTimeMs: 20_000,
  detached: true,
  git: true,
};

type Body<C> = C extends RunCommand ? Omit<C, 'at' | 'principal'> : never;
type When = number;

export function command(body: Body<RunCommand>, ms: When = 0, principal = operator): RunCommand {
  return { ...body, at: at(ms), principal } as RunCommand;
}

export const start = (more: Partial<RunTerms> = {}, ms: When = 0, principal = operator) =>
  command(
    {
      type: 'start',
      run,
      name: 'fix-it',
      project: '/project',
      definition: digest('definition'),
      terms: { ...terms, ...more },
      resumedFrom: null,
      from: null,
    },
    ms,
    principal,
  );

export const jobEnded = (n: number, end: JobEnd, ms: When = 0, fraction?: number) =>
  command(
    {
      type: 'job_ended',
      execution: execution(n),
      end,
      ...(fraction === undefined ? {} : { fraction }),
    },
    ms,
    driver,
  );
export const sealed = (n: number, result: JobResult, ms: When = 0) =>
  jobEnded(n, { how: 'sealed', result }, ms);
export const fire = (
  kind: Extract<RunCommand, { type: 'fire_timer' }>['kind'],
  generation: number,
  ms: When,
  claimed?: boolean,
) =>
  command(
    { type: 'fire_timer', kind, generation, ...(claimed === undefined ? {} : { claimed }) },
    ms,
    driver,
  );

export type Prepared = Extract<JobResult, { kind: 'prepared' }>;
export const prepared = (more: Partial<Prepared> = {}): Prepared => ({
  kind: 'prepared',
  baseline: 'red',
  setup: 'done',
  summary: '2 failed',
  receipt: null,
  detail: null,
  ...more,
});

export const usage: Usage = {
  costUsd: 1,
  source: 'metered',
  tokensIn: 10,
  tokensOut: 20,
  cacheRead: 30,
  cacheWrite: 40,
};
export const laneEnd: LaneEnd = {
  exit: 0,
  signal: null,
  rung: 'cgroup',
  proof: 'kernel',
  lastLine: 'done',
};

export type Executed = Extract<JobResult, { kind: 'executed' }>;
export const executed = (more: Partial<Executed> = {}): Executed => ({
  kind: 'executed',
  outcome: 'turn_ended',
  commit: commit('c1'),
  equalsBase: false,
  filesChanged: 2,
  findings: [],
  usage,
  end: laneEnd,
  text: null,
  limitUntil: null,
  sessionId: null,
  journal: null,
  ...more,
});

export const facts = (more: Partial<VerdictFacts> = {}): VerdictFacts => ({
  outcome: 'passed',
  summary: '12 passed',
  receipt: digest('receipt'),
  commit: commit('c1'),
  score: null,
  failedTests: null,
  passedTests: null,
  flaky: false,
  ...more,
});
export const verified = (more: Partial<VerdictFacts> = {}): JobResult => ({
  kind: 'verified',
  verdict: digest('verdict'),
  facts: facts(more),
});

export type Failed = Extract<JobResult, { kind: 'failed' }>;
export const failed = (failure: Failed['class'], more: Partial<Failed> = {}): Failed => ({
  kind: 'failed',
  class: failure,
  detail: `because of ${failure}`,
  proof: 'kernel',
  commit: null,
  usage: null,
  text: null,
  ...more,
});

export const resume = (
  options: Partial<Extract<RunCommand, { type: 'resume' }>['options']> = {},
  ms: When = 0,
  principal = operator,
) => command({ type: 'resume', options: { grants: {}, ...options } }, ms, principal);

/**
 * What the commands led to: the history of a specification. A rejection is a mistake of the test.
 */
export function history(...commands: readonly RunCommand[]): readonly RunEvent[] {
  const events: RunEvent[] = [];
  let state: RunState = initialRun;
  for (const next of commands) {
    const decision = decide(state, next);
    if (!decision.ok) throw new Error(`${next.type}: ${JSON.stringify(decision.error)}`);
    events.push(...decision.value);
    state = decision.value.reduce(evolve, state);
  }
  return events;
}

export function runAfter(...commands: readonly RunCommand[]): LivingRun {
  const state = history(...commands).reduce(evolve, initialRun);
  if (state.status === 'unborn') throw new Error('no run was started');
  return state;
}

/** The state after the commands must have this status, for the tests that look into it. */
export function afterWith<S extends LivingRun['status']>(
  status: S,
  ...commands: readonly RunCommand[]
): Extract<LivingRun, { status: S }> {
  const state = runAfter(...commands);
  if (state.status !== status) throw new Error(`${state.status}, not ${status}`);
  return state as Extract<LivingRun, { status: S }>;
}

export const executePoint = (more: Partial<Extract<ResumePoint, { job: 'execute' }>> = {}) =>
  ({ job: 'execute', session: 'fresh', tree: 'same', commit: null, ...more }) as const;
export const verifyPoint = (more: Partial<Extract<ResumePoint, { job: 'verify' }>> = {}) =>
  ({ job: 'verify', commit: commit('c1'), step: 0, ...more }) as const;

type Dispatched = Extract<RunEvent, { type: 'job.dispatched' }>;
export const dispatched = (
  n: number,
  point: ResumePoint,
  more: Partial<Omit<Dispatched, 'n' | 'point'>> = {},
): Dispatched => ({
  type: 'job.dispatched',
  execution: execution(n),
  n,
  attempt: 1,
  point,
  why: 'next',
  tries: 0,
  parseRetries: 0,
  at: at(0),
  ...more,
});

/** Started and prepared; execution 2 works on attempt 1. */
export const working = (more: Partial<RunTerms> = {}) =>
  [start(more), sealed(1, prepared())] as const;
/** The turn has ended; execution 3 verifies. */
export const verifying = (more: Partial<RunTerms> = {}) =>
  [...working(more), sealed(2, executed())] as const;

type Parked = Extract<RunEvent, { type: 'run.parked' }>;
export const parkedAt = (
  then: ResumePoint,
  more: Pick<Parked, 'disposition' | 'reason' | 'detail'> & Partial<Parked>,
): Parked => ({ type: 'run.parked', text: null, class: null, at: at(0), then, ...more });

/** The events of the last command alone. */
export function led(...commands: readonly RunCommand[]): readonly RunEvent[] {
  return history(...commands).slice(history(...commands.slice(0, -1)).length);
}

/** The `then` of a state or an event, for a partial match: a literal would look like a promise. */
export const goesOn = (point: object) => Object.fromEntries([['then', point]]);
