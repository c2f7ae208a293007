/**
 * A run and its executions composed as one stream, driven by arbitrary commands: the model under
 * the property tests of R1–R8 and X1–X6. A small engine without a store: what the deciders call for
 * is kept as rows (executions, timers, one approval), and what executions come to is told to the
 * run.
 */
import { decide as decideExecution } from '../../src/domain/execution/decide.ts';
import { evolve as evolveExecution } from '../../src/domain/execution/evolve.ts';
import { jobOf } from '../../src/domain/execution/job.ts';
import type {
  ExecutionCommand,
  ExecutionEvent,
  ExecutionRejection,
} from '../../src/domain/execution/message.ts';
import type { Execution } from '../../src/domain/execution/state.ts';
import type { ExecutionId, Fence, Instant } from '../../src/domain/ids.ts';
import { decide } from '../../src/domain/run/decide.ts';
import { evolve, initialRun } from '../../src/domain/run/evolve.ts';
import type {
  JobEnd,
  RunCommand,
  RunEvent,
  RunRejection,
  TimerKind,
  Work,
} from '../../src/domain/run/message.ts';
import { react } from '../../src/domain/run/react.ts';
import type { RunState } from '../../src/domain/run/state.ts';
import { driver } from './run-fixtures.ts';

export interface Model {
  run: RunState;
  readonly executions: Map<ExecutionId, Execution>;
  readonly timers: Map<TimerKind, { readonly generation: number; readonly dueAt: Instant }>;
  /** Approvals by id: null while open. */
  readonly approvals: Map<string, string | null>;
  readonly events: (RunEvent | ExecutionEvent)[];
  /** Called before and after each event that is folded. */
  readonly watch: (before: RunState, event: RunEvent, next: RunState) => void;
  /** Called with each command of the run before it is decided. */
  onRun: (command: RunCommand) => void;
}

export function newModel(watch: Model['watch'] = () => {}): Model {
  return {
    run: initialRun,
    executions: new Map(),
    timers: new Map(),
    approvals: new Map(),
    events: [],
    watch,
    onRun: () => {},
  };
}

export function send(model: Model, command: RunCommand): RunRejection | null {
  model.onRun(command);
  const decision = decide(model.run, command);
  if (!decision.ok) return decision.error;
  const queue: Work[] = [];
  for (const event of decision.value) {
    const before = model.run;
    model.run = evolve(before, event);
    model.events.push(event);
    model.watch(before, event, model.run);
    queue.push(...react(model.run, event));
  }
  for (const work of queue) writeRow(model, work);
  for (const work of queue) order(model, work, command.at);
  return null;
}

export function tell(
  model: Model,
  id: ExecutionId,
  command: ExecutionCommand,
): ExecutionRejection | null {
  const decision = decideExecution(model.executions.get(id) ?? null, command);
  if (!decision.ok) return decision.error;
  for (const event of decision.value) {
    const next = evolveExecution(model.executions.get(id) ?? null, event);
    model.executions.set(id, next);
    model.events.push(event);
    if (event.type === 'execution.leased' && model.run.status !== 'unborn') {
      const counters = { ...model.run.counters, fence: event.grant.fence };
      model.run = { ...model.run, counters };
    }
    if (event.type === 'execution.asked') {
      const opening = { type: 'open_permission', execution: id, ask: event.ask } as const;
      send(model, { ...opening, at: command.at, principal: driver });
    }
    const end = endOf(event);
    if (end !== null) {
      const ended = { type: 'job_ended', execution: id, end, at: command.at } as const;
      send(model, { ...ended, principal: driver });
    }
  }
  return null;
}

function endOf(event: ExecutionEvent): JobEnd | null {
  switch (event.type) {
    case 'execution.succeeded':
      return { how: 'sealed', result: event.result };
    case 'execution.failed':
    case 'execution.exhausted':
      return event.result === null
        ? { how: 'lost', class: event.class, proof: event.proof, detail: event.detail }
        : { how: 'sealed', result: event.result };
    case 'execution.cancelled':
      return { how: 'cancelled', proof: event.proof };
    case 'execution.unknown':
      return { how: 'unknown', detail: event.detail };
    default:
      return null;
  }
}

/** What follows for the executions, after the rows of the same decision are written. */
function order(model: Model, work: Work, at: Instant): void {
  switch (work.kind) {
    case 'dispatch': {
      const { execution: id, n } = work;
      tell(model, id, { type: 'dispatch', id, n, job: jobOf(work, model.run), at });
      break;
    }
    case 'cancel_execution':
      tell(model, work.execution, { type: 'request_cancel', at });
      break;
    case 'lose_execution': {
      const { execution, detail } = work;
      const lost = { type: 'lose', class: 'unknown_outcome', proof: 'unproven' } as const;
      tell(model, execution, { ...lost, detail, at });
      break;
    }
    case 'answer_execution':
      tell(model, work.execution, { type: 'answer', answer: work.answer, at });
      break;
    case 'reconcile_executions':
      for (const { id, status } of [...model.executions.values()]) {
        if (status !== 'UNKNOWN') continue;
        tell(model, id, { type: 'reconcile', happened: work.happened, at });
      }
      break;
    default:
  }
}

function writeRow(model: Model, work: Work): void {
  switch (work.kind) {
    case 'set_timer':
      model.timers.set(work.timer, { generation: work.generation, dueAt: work.dueAt });
      break;
    case 'clear_timer':
      model.timers.delete(work.timer);
      break;
    case 'open_approval':
      model.approvals.set(work.gate.approval, null);
      break;
    case 'close_approval':
      model.approvals.set(work.approval, work.outcome);
      break;
    default:
  }
}

export const nextFence = ({ run }: Model): Fence =>
  ((run.status === 'unborn' ? 0 : run.counters.fence) + 1) as Fence;
