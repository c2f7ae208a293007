/**
 * A small decider for the stores' tests: real state and event types, so that rows and sizes are
 * real, and just enough meaning to see order, rejection and failure.
 */
import { evolve as evolveExecution } from '../../src/domain/execution/evolve.ts';
import type { ExecutionEvent } from '../../src/domain/execution/message.ts';
import type { Execution, Holder, Job, PermissionAnswer } from '../../src/domain/execution/state.ts';
import type {
  ApprovalId,
  Digest,
  ExecutionId,
  Fence,
  GrantId,
  Instant,
  RunId,
} from '../../src/domain/ids.ts';
import type { RunAggregate, StreamEvent } from '../../src/domain/run/aggregate.ts';
import { evolve as evolveRun } from '../../src/domain/run/evolve.ts';
import type { TimerKind } from '../../src/domain/run/message.ts';
import type { RunState, RunTerms } from '../../src/domain/run/state.ts';
import { err, ok, type Result } from '../../src/kernel/result.ts';
import type {
  ApprovalRow,
  Change,
  ExecutionRow,
  Rows,
  StreamCommand,
} from '../../src/ports/store.ts';

type Bound = NonNullable<ApprovalRow['bound']>;

type Act =
  | { readonly type: 'start'; readonly name?: string; readonly project?: string }
  | { readonly type: 'hint'; readonly text: string }
  | { readonly type: 'hints'; readonly texts: readonly string[] }
  | { readonly type: 'refuse' }
  | { readonly type: 'explode' }
  | { readonly type: 'dispatch' }
  | { readonly type: 'claim'; readonly grantId: GrantId; readonly holder: Holder }
  | { readonly type: 'seal' }
  | { readonly type: 'ask_cancel' }
  | { readonly type: 'cancel'; readonly now?: true }
  | { readonly type: 'pause' }
  | { readonly type: 'end' }
  | {
      readonly type: 'timer';
      readonly kind: TimerKind;
      readonly dueAt: number;
      readonly generation: number;
    }
  | { readonly type: 'clear'; readonly kind: TimerKind }
  | { readonly type: 'ask'; readonly n: number; readonly bound?: Bound }
  | { readonly type: 'resolve'; readonly n: number }
  | { readonly type: 'refer'; readonly name: string; readonly digest: Digest }
  | { readonly type: 'acknowledge' }
  /** A lane's call and what its run says to it, in one. */
  | { readonly type: 'tell'; readonly answer: PermissionAnswer }
  /** Passes the decider and is refused by every store: two executions of one id. */
  | { readonly type: 'poison' };

export type TestCommand = StreamCommand & { readonly act: Act };
export type TestRejection = { readonly code: 'refused' | 'unborn' };

export const runId = (name: string): RunId => name.padEnd(12, 'x') as RunId;
export const digestOf = (digit: string): Digest => `sha256:${digit.repeat(64)}` as Digest;
export const approvalId = (run: RunId, n: number): ApprovalId => `${run}.a${n}` as ApprovalId;
export const executionId = (run: RunId, n: number): ExecutionId => `${run}.${n}` as ExecutionId;
export const grantOf = (digit: string): GrantId => digit.repeat(32) as GrantId;
export const bound: Bound = {
  execution: executionId(runId('one'), 1),
  args: 'args',
  tool: 'tool',
  policy: 'policy',
};
export const holder: Holder = { worker: 'here', bootId: 'boot', pid: 4711, started: 99 };

export const command = (run: RunId, act: Act, more: Partial<StreamCommand> = {}): TestCommand => ({
  run,
  at: 1_000 as Instant,
  actor: 'tester',
  ...more,
  act,
});

const none: Rows = {
  executions: [],
  setTimers: [],
  clearTimers: [],
  openApprovals: [],
  closeApprovals: [],
  references: [],
};

/** Pure. */
export function decideTest(
  aggregate: RunAggregate,
  { run, at, act }: TestCommand,
): Result<Change, TestRejection> {
  if (act.type === 'explode') throw new Error('exploded');
  if (act.type === 'refuse') return err({ code: 'refused' });
  if (aggregate.run.status === 'unborn' && act.type !== 'start') return err({ code: 'unborn' });
  if (aggregate.run.status !== 'unborn' && act.type === 'start') return err({ code: 'refused' });
  const events = eventsOf(aggregate, run, at, act);
  const next = events.reduce(foldTest, aggregate);
  return ok({ events, next, rows: { ...none, ...rowsOf([aggregate, next], run, at, act) } });
}

function eventsOf(
  aggregate: RunAggregate,
  run: RunId,
  at: Instant,
  act: Act,
): readonly StreamEvent[] {
  const [current] = aggregate.executions;
  const id = current?.id ?? executionId(run, 1);
  switch (act.type) {
    case 'start':
      return [started(run, at, act.name ?? 'demo', act.project ?? '/home/me/project')];
    case 'hint':
      return [{ type: 'hint.added', at, text: act.text as Digest, by: 'tester' }];
    case 'hints':
      return act.texts.map((text) => ({ type: 'hint.added', at, text: text as Digest, by: 'me' }));
    case 'dispatch': {
      const n = aggregate.run.status === 'unborn' ? 1 : aggregate.run.counters.executions + 1;
      return [{ type: 'execution.dispatched', id: executionId(run, n), n, job, at }];
    }
    case 'claim': {
      const grant = { id: act.grantId, nonce: 'nonce', fence: 1 as Fence, holder: act.holder };
      return [{ type: 'execution.leased', id, grant }];
    }
    case 'seal':
      return [{ type: 'execution.cancelled', id, proof: 'kernel' }];
    case 'ask_cancel':
      return [{ type: 'execution.cancel_requested', id }];
    case 'cancel': {
      const asked = { execution: id, generation: 1, by: 'me', note: '' };
      const hurry = act.now === true ? ({ now: true } as const) : {};
      return [{ type: 'cancel.requested', at, ...asked, ...hurry }];
    }
    case 'pause':
      return [{ type: 'pause.requested', at, by: 'me', now: true }];
    case 'end':
      return [{ type: 'run.cancelled', at, cause: 'cancelled', note: '', unproven: [] }];
    case 'tell': {
      const { request } = act.answer;
      const ask = { request, tool: null, title: 'push', args: 'a', definition: 'd' };
      const said = { type: 'execution.answered', id, answer: act.answer } as const;
      return [{ type: 'execution.asked', id, ask }, said];
    }
    case 'acknowledge':
      return [];
    default:
      return [{ type: 'error.healed', at }];
  }
}

/** The real meaning of the events; executions that have ended leave the aggregate. */
export function foldTest(aggregate: RunAggregate, event: StreamEvent): RunAggregate {
  if (!isOfExecution(event)) return { ...aggregate, run: evolveRun(aggregate.run, event) };
  const before = aggregate.executions.find(({ id }) => id === event.id) ?? null;
  const moved = evolveExecution(before, event);
  const others = aggregate.executions.filter(({ id }) => id !== event.id);
  const run = counted(aggregate.run, event);
  return { run, executions: moved.status === 'CANCELLED' ? others : [...others, moved] };
}

const isOfExecution = (event: StreamEvent): event is ExecutionEvent =>
  event.type.startsWith('execution.');

const counted = (run: RunState, event: ExecutionEvent): RunState =>
  event.type === 'execution.dispatched' && run.status !== 'unborn'
    ? { ...run, counters: { ...run.counters, executions: event.n } }
    : run;

const job: Job = {
  role: 'execute',
  attempt: 1,
  step: null,
  commit: null,
  tree: 'new',
  session: 'fresh',
};

function rowsOf(
  [aggregate, next]: readonly [before: RunAggregate, after: RunAggregate],
  run: RunId,
  at: Instant,
  act: Act,
): Partial<Rows> {
  switch (act.type) {
    case 'dispatch':
    case 'claim':
    case 'ask_cancel':
    case 'tell':
      return { executions: next.executions.map((one) => executionRow(run, one)) };
    case 'seal': {
      const [before] = aggregate.executions;
      if (before === undefined) return {};
      return { executions: [executionRow(run, { ...before, status: 'CANCELLED', grant: null })] };
    }
    case 'timer':
      return {
        setTimers: [{ kind: act.kind, generation: act.generation, dueAt: act.dueAt as Instant }],
      };
    case 'clear':
      return { clearTimers: [act.kind] };
    case 'ask':
      return { openApprovals: [approval(run, at, act)] };
    case 'resolve': {
      const id = approvalId(run, act.n);
      return { closeApprovals: [{ id, outcome: 'approved', by: 'me', channel: 'terminal', at }] };
    }
    case 'refer':
      return { references: [{ name: act.name, digest: act.digest }] };
    case 'poison':
      // Resolving what was never asked: no store may write it.
      return {
        closeApprovals: [{ id: approvalId(run, 99), outcome: 'x', by: '', channel: '', at }],
      };
    default:
      return {};
  }
}

const approval = (
  run: RunId,
  askedAt: Instant,
  { n, bound: to }: Extract<Act, { type: 'ask' }>,
): ApprovalRow => ({
  id: approvalId(run, n),
  run,
  kind: 'manual',
  askedAt,
  expiresAt: null,
  ...(to === undefined ? {} : { bound: to }),
});

const executionRow = (run: RunId, one: Execution): ExecutionRow => ({
  id: one.id,
  run,
  n: one.n,
  role: one.job.role,
  attempt: one.job.attempt,
  status: one.status,
  class: one.class,
  job: one.job,
  fence: one.grant?.fence ?? 0,
  createdAt: one.dispatchedAt,
  lease: one.grant === null ? null : { grantId: one.grant.id, holder: one.grant.holder },
});

const terms: RunTerms = {
  steps: [{ kind: 'checks', from: 0, to: 1 }],
  brakes: {
    attempts: 5,
    costUsd: 20,
    tokens: null,
    steps: null,
    timeMs: 28_800_000,
    attemptTimeMs: 5_400_000,
    waitTimeMs: 43_200_000,
    errorSignals: 3,
  },
  baseline: 'auto',
  allowNoChange: false,
  onProtected: 'park',
  onLimit: 'wait',
  approvalsExpireMs: null,
  recovery: { requeues: 2, transfers: 3 },
  maker: 'fixer@command',
  checker: null,
  detached: false,
  checkTimeMs: 600_000,
  git: true,
};

const started = (run: RunId, at: Instant, name: string, project: string) =>
  ({
    type: 'run.started',
    at,
    run,
    name,
    project,
    definition: digestOf('d'),
    terms,
    startedBy: 'human',
    actor: 'tester',
    resumedFrom: null,
    from: null,
  }) as const satisfies StreamEvent;
