/**
 * The edge that every command crosses, whatever its surface: the table of principals (DESIGN §11a)
 * is asked inside the transaction, on the state that the decision will see.
 */
import type { ExecutionCommand } from '../domain/execution/message.ts';
import {
  type Circumstances,
  type GovernedCommand,
  isHumanOnly,
  may,
} from '../domain/principal/may.ts';
import type { RunAggregate } from '../domain/run/aggregate.ts';
import type { EngineCommand, EngineRejection } from './command.ts';

/** Null: the principal may issue it. */
export function refusalOf({ run }: RunAggregate, command: EngineCommand): EngineRejection | null {
  const { principal } = command;
  const governed = governedAs(command);
  const circumstances: Circumstances = {
    subject: run.status === 'unborn' ? null : run,
    nestedAllowed: command.nestedAllowed ?? false,
  };
  if (may(principal, governed, circumstances) && speaksForItself(command)) return null;
  return isHumanOnly(governed)
    ? { code: 'principal.human_required', command: governed }
    : { code: 'principal.refused', command: governed, kind: principal.kind };
}

/** A worker moves the execution that it holds and no other (XP-13). */
function speaksForItself(command: EngineCommand): boolean {
  if (command.principal.kind !== 'worker' || command.kind !== 'execution') return true;
  return command.principal.actor === command.execution;
}

function governedAs(command: EngineCommand): GovernedCommand {
  return command.kind === 'run' ? command.command.type : verbs[command.command.type];
}

const verbs: Readonly<Record<ExecutionCommand['type'], GovernedCommand>> = {
  claim: 'claim',
  start: 'result',
  checkpoint: 'result',
  result: 'result',
  cancel_ack: 'cancel_ack',
  ask: 'ask',
  answer: 'sweep',
  nudge: 'sweep',
  adopt: 'sweep',
  dispatch: 'sweep',
  request_cancel: 'sweep',
  lose: 'sweep',
  withdraw: 'sweep',
  reconcile: 'sweep',
};
