/**
 * Who may do what an operator does beside commands of a run: retry a parked run, land, prune
 * (DESIGN §11a). A refusal is recorded on the run before it is thrown.
 */
import type { RunId } from '../domain/ids.ts';
import { type GovernedCommand, may } from '../domain/principal/may.ts';
import type { Principal } from '../domain/principal/principal.ts';
import { RequestError } from '../kernel/errors.ts';
import type { RunView } from '../ports/client.ts';
import { driverPrincipal } from './command.ts';
import type { Tell } from './teller.ts';

export type HumanVerb = Extract<GovernedCommand, 'land' | 'prune' | 'retry_parked'>;

export interface OperatorEdge {
  /** @throws RequestError `wrong_verb` of a run that works, `human_required` of a parked one. */
  retry(run: RunView, principal: Principal): Promise<void>;
  /** @throws RequestError `human_required`. */
  human(command: HumanVerb, run: RunId | null, principal: Principal): Promise<void>;
}

export function operatorEdge(tell: Tell): OperatorEdge {
  const human: OperatorEdge['human'] = async (command, run, principal) => {
    if (may(principal, command)) return;
    if (run !== null) {
      await tell(run, driverPrincipal, { type: 'record_refusal', command, refused: principal });
    }
    throw new RequestError('human_required', `${command} needs a human`, { facts: { command } });
  };
  return {
    human,
    retry: async (run, principal) => {
      if (run.status === 'needs_operator') return human('retry_parked', run.id, principal);
      if (run.status === 'complete' || run.status === 'cancelled') return;
      throw new RequestError('wrong_verb', `${run.short} is ${run.status}: it has not ended`, {
        next: `pawl cancel ${run.short}`,
        facts: { status: run.status, reason: run.reason },
      });
    },
  };
}
