/**
 * What may happen to an execution, from each of its twelve states (DESIGN §4.2; X1–X9 in state.ts).
 * Everything that a worker says is bound to the current grant; what comes late, forged or twice
 * changes nothing and is answered by a rejection that the caller records as evidence.
 */
import { err, ok, type Result } from '../../kernel/result.ts';
import type { GrantId } from '../ids.ts';
import { mayTake } from '../placement/placement.ts';
import { adopt } from './adopt.ts';
import { end } from './end.ts';
import type { ExecutionCommand, ExecutionEvent, ExecutionRejection } from './message.ts';
import { isLaneRole } from './roles.ts';
import type { Execution, ExecutionStatus } from './state.ts';

type Decision = Result<readonly ExecutionEvent[], ExecutionRejection>;
type Command<T extends ExecutionCommand['type']> = Extract<ExecutionCommand, { type: T }>;

/** Null: not dispatched yet. */
export function decide(state: Execution | null, command: ExecutionCommand): Decision {
  if (command.type === 'dispatch') {
    if (state !== null) return notOpen(state);
    const { id, n, job, at } = command;
    return ok([{ type: 'execution.dispatched', id, n, job, at }]);
  }
  if (state === null) return err({ code: 'execution.not_open', status: 'none' });
  if (state.status === 'UNKNOWN' && command.type !== 'reconcile') {
    return err({ code: 'execution.unknown_outcome' });
  }
  return decideDispatched(state, command);
}

function decideDispatched(
  state: Execution,
  command: Exclude<ExecutionCommand, Command<'dispatch'>>,
): Decision {
  switch (command.type) {
    case 'claim':
      return claim(state, command);
    case 'start':
      return start(state, command);
    case 'checkpoint':
      return checkpoint(state, command);
    case 'result':
      return result(state, command);
    case 'request_cancel':
      return requestCancel(state);
    case 'ask':
      return ask(state, command);
    case 'answer':
      return answer(state, command);
    case 'nudge':
      return nudge(state, command);
    case 'cancel_ack':
      return cancelAck(state, command);
    case 'lose':
      return lose(state, command);
    case 'withdraw':
      return withdraw(state);
    case 'adopt':
      return adopt(state, command);
    case 'reconcile':
      return state.status === 'UNKNOWN'
        ? ok([{ type: 'execution.reconciled', id: state.id, happened: command.happened }])
        : notOpen(state);
  }
}

/** The same nonce again is the same claim: an answer got lost, not a lease (X1). */
function claim(state: Execution, command: Command<'claim'>): Decision {
  if (isHeld(state.status) && state.grant?.nonce === command.nonce) {
    return err({ code: 'already.accepted' });
  }
  if (state.status !== 'DISPATCHED') return err({ code: 'execution.taken', status: state.status });
  const { grantId: id, nonce, fence, holder } = command;
  if (!mayTake(state.job.placement, claimant(command))) {
    return err({ code: 'worker.unfit' });
  }
  return ok([{ type: 'execution.leased', id: state.id, grant: { id, nonce, fence, holder } }]);
}

/** A worker tells what it has, if only that it has nothing; a host of the server tells nothing. */
const claimant = ({ holder, labels }: Command<'claim'>) =>
  labels === undefined
    ? ({ id: holder.worker, labels: [], isOwn: true } as const)
    : { id: holder.worker, labels };

function start(state: Execution, command: Command<'start'>): Decision {
  if (!holds(state, command.grantId)) return stale(command.grantId);
  if (state.status === 'RUNNING') return err({ code: 'already.accepted' });
  if (state.status !== 'LEASED' && state.status !== 'CHECKPOINTED') return notOpen(state);
  const { rung, pid } = command;
  return ok([{ type: 'execution.started', id: state.id, rung, pid }]);
}

function checkpoint(state: Execution, command: Command<'checkpoint'>): Decision {
  if (!holds(state, command.grantId)) return stale(command.grantId);
  if (state.status !== 'RUNNING' && state.status !== 'CHECKPOINTED') return notOpen(state);
  return ok([{ type: 'execution.checkpointed', id: state.id, body: command.body }]);
}

/** A seal that was made before the cancel was seen is still what happened. */
function result(state: Execution, command: Command<'result'>): Decision {
  if (!holds(state, command.grantId)) return stale(command.grantId);
  if (state.seal === command.seal) return err({ code: 'already.accepted' });
  if (state.seal !== null) return err({ code: 'seal.conflict', accepted: state.seal });
  if (!isHeld(state.status)) return notOpen(state);
  return ok([end.sealed(state.id, command)]);
}

function requestCancel(state: Execution): Decision {
  switch (state.status) {
    case 'DISPATCHED':
      return withdraw(state);
    case 'CANCEL_REQUESTED':
      return err({ code: 'already.accepted' });
    default:
      return isHeld(state.status)
        ? ok([{ type: 'execution.cancel_requested', id: state.id }])
        : notOpen(state);
  }
}

/** One at a time; the same again is what was asked before (X8). Only a lane that makes is heard. */
function ask(state: Execution, { grantId, ask: wanted }: Command<'ask'>): Decision {
  if (!holds(state, grantId)) return stale(grantId);
  const { request } = wanted;
  if (state.asked?.request === request || state.answer?.request === request) {
    return err({ code: 'already.accepted' });
  }
  if (!isAtWork(state) || state.job.role !== 'execute') return notOpen(state);
  return ok([{ type: 'execution.asked', id: state.id, ask: wanted }]);
}

function answer(state: Execution, { answer: said }: Command<'answer'>): Decision {
  const isAwaited = state.status === 'WAITING_HUMAN' && state.asked?.request === said.request;
  return isAwaited
    ? ok([{ type: 'execution.answered', id: state.id, answer: said }])
    : notOpen(state);
}

/** Two observers see the same lane stand still: the number says whose word came first (X9). */
function nudge(state: Execution, { n, detail }: Command<'nudge'>): Decision {
  const { nudges = 0, job } = state;
  if (!isAtWork(state) || !isLaneRole(job.role)) return notOpen(state);
  if (n !== nudges + 1) return err({ code: 'already.accepted' });
  return ok([{ type: 'execution.nudged', id: state.id, n, detail }]);
}

const isAtWork = ({ status }: Execution): boolean =>
  status === 'LEASED' || status === 'RUNNING' || status === 'CHECKPOINTED';

function cancelAck(state: Execution, command: Command<'cancel_ack'>): Decision {
  if (!holds(state, command.grantId)) return stale(command.grantId);
  if (state.status === 'CANCELLED') return err({ code: 'already.accepted' });
  if (state.status !== 'CANCEL_REQUESTED') return notOpen(state);
  return ok([end.acknowledged(state, command)]);
}

/** RECOVERING and the end that follows are one decision, so that no crash can lie between (X3). */
function lose(state: Execution, command: Command<'lose'>): Decision {
  if (!isHeld(state.status) && state.status !== 'RECOVERING') return notOpen(state);
  const recovering = {
    type: 'execution.recovering',
    id: state.id,
    detail: command.detail,
  } as const;
  return ok([recovering, end.lost(state, command)]);
}

/** Nobody held it, so nothing can run: the proof is as strong as the kernel's. */
function withdraw(state: Execution): Decision {
  if (state.status !== 'DISPATCHED') return err({ code: 'execution.taken', status: state.status });
  return ok([{ type: 'execution.cancelled', id: state.id, proof: 'kernel' }]);
}

/** Compared for equality only, and only with the grant of this execution (X2). */
function holds(state: Execution, presented: GrantId): boolean {
  return state.grant !== null && state.grant.id === presented;
}

function isHeld(status: ExecutionStatus): boolean {
  return (
    status === 'LEASED' ||
    status === 'RUNNING' ||
    status === 'CHECKPOINTED' ||
    status === 'WAITING_HUMAN' ||
    status === 'CANCEL_REQUESTED'
  );
}

const stale = (presented: GrantId): Decision => err({ code: 'grant.stale', presented });
const notOpen = (state: Execution): Decision =>
  err({ code: 'execution.not_open', status: state.status });
