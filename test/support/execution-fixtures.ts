/** Commands and events of an execution for the specifications of its decider. */
import type { ExecutionCommand, ExecutionEvent } from '../../src/domain/execution/message.ts';
import type {
  Execution,
  ExecutionStatus,
  Grant,
  Job,
  JobResult,
  ProofStrength,
} from '../../src/domain/execution/state.ts';
import type { Fence, GrantId } from '../../src/domain/ids.ts';
import { at, digest, executed, execution } from './run-fixtures.ts';

export const id = execution(1);
export const grantId = (name: string) => name as GrantId;
export const job: Job = {
  role: 'execute',
  attempt: 1,
  step: null,
  commit: null,
  tree: 'same',
  session: 'fresh',
};
export const holder = { worker: 'w', bootId: 'b', pid: 1, started: 1 };
export const grant: Grant = { id: grantId('g1'), nonce: 'n1', fence: 1 as Fence, holder };

export const dispatched: ExecutionEvent = {
  type: 'execution.dispatched',
  id,
  n: 1,
  job,
  at: at(0),
};
export const leased: ExecutionEvent = { type: 'execution.leased', id, grant };
export const started: ExecutionEvent = {
  type: 'execution.started',
  id,
  rung: 'cgroup',
  pid: 7,
};
export const checkpointed: ExecutionEvent = {
  type: 'execution.checkpointed',
  id,
  body: digest('body'),
};
export const cancelRequested: ExecutionEvent = { type: 'execution.cancel_requested', id };
export const succeeded: ExecutionEvent = {
  type: 'execution.succeeded',
  id,
  seal: digest('seal'),
  result: executed(),
};
export const unknown: ExecutionEvent = { type: 'execution.unknown', id, detail: 'lost' };

type Body<C> = C extends ExecutionCommand ? Omit<C, 'at'> : never;
export const say = (body: Body<ExecutionCommand>): ExecutionCommand =>
  ({ ...body, at: at(0) }) as ExecutionCommand;

export const question = {
  request: 'p1',
  tool: 'shell',
  title: 'git push',
  args: 'a',
  definition: 'd',
} as const;
export const ask = (name = 'g1', request = 'p1') =>
  say({ type: 'ask', grantId: grantId(name), ask: { ...question, request } });
export const answer = (request = 'p1') =>
  say({ type: 'answer', answer: { request, decision: 'allow' } });

export const nudge = (n = 1) => say({ type: 'nudge', n, detail: 'no progress' });

export const claim = (name = 'g1', nonce = 'n1') =>
  say({ type: 'claim', grantId: grantId(name), nonce, fence: 1 as Fence, holder });
export const begin = (name = 'g1') =>
  say({ type: 'start', grantId: grantId(name), rung: 'cgroup', pid: 7 });
export const save = (name = 'g1') =>
  say({ type: 'checkpoint', grantId: grantId(name), body: digest('body') });
export const seal = (name = 'g1', bytes = 'seal', result: JobResult = executed()) =>
  say({ type: 'result', grantId: grantId(name), seal: digest(bytes), result });
export const acknowledge = (name = 'g1', proof: ProofStrength = 'kernel') =>
  say({ type: 'cancel_ack', grantId: grantId(name), proof });
/** The late seal of the one that execution 1 replaces. */
export const adopt = (name = 'g0') =>
  say({
    type: 'adopt',
    from: {
      ...{ id: execution(0), n: 0, job, status: 'FAILED', grant: null, dispatchedAt: at(0) },
      ...{ seal: null, class: 'transport_lost', cancelAsked: false },
      lost: { grant: grantId('g0'), usage: null },
    },
    grantId: grantId(name),
    seal: digest('late'),
    result: executed(),
  });
export const askCancel = say({ type: 'request_cancel' });
export const withdraw = say({ type: 'withdraw', reason: 'paused' });
export const reconcile = say({ type: 'reconcile', happened: true });
export const dispatch = say({ type: 'dispatch', id, n: 1, job });
export const lose = (
  more: Partial<Omit<Extract<ExecutionCommand, { type: 'lose' }>, 'type' | 'at'>> = {},
) => say({ type: 'lose', class: 'lane_died', proof: 'kernel', detail: 'gone', ...more });

/** An execution in each of the twelve states, with the grant that such a one has. */
export function inStatus(status: ExecutionStatus, of: Job = job): Execution {
  const unheld = ['DISPATCHED', 'RECOVERING', 'UNKNOWN'].includes(status);
  return {
    id,
    n: 1,
    job: of,
    status,
    grant: unheld ? null : grant,
    dispatchedAt: at(0),
    seal: status === 'SUCCEEDED' ? digest('seal') : null,
    class: null,
    cancelAsked: status === 'CANCEL_REQUESTED',
    ...(status === 'WAITING_HUMAN' ? { asked: question } : {}),
  };
}

export const statuses: readonly ExecutionStatus[] = [
  'DISPATCHED',
  'LEASED',
  'RUNNING',
  'CHECKPOINTED',
  'SUCCEEDED',
  'FAILED',
  'CANCEL_REQUESTED',
  'CANCELLED',
  'EXHAUSTED',
  'WAITING_HUMAN',
  'UNKNOWN',
  'RECOVERING',
];
