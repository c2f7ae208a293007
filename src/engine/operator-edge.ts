/**
 * Who may do what an operator does beside commands of a run: retry a parked run, land, prune
 * (DESIGN §11a). A refusal is recorded on the run before it is thrown.
 */
import type { ExecutionId, RunId } from '../domain/ids.ts';
import { type GovernedCommand, may } from '../domain/principal/may.ts';
import type { Principal } from '../domain/principal/principal.ts';
import { RequestError } from '../kernel/errors.ts';
import type { RunView } from '../ports/client.ts';
import { driverPrincipal } from './command.ts';
import { runOf } from './run-of.ts';
import type { Tell } from './teller.ts';

export type HumanVerb = Extract<GovernedCommand, 'land' | 'prune' | 'retry_parked'>;

export interface OperatorEdge {
  /** @throws RequestError `wrong_verb` of a run that works, `human_required` of a parked one. */
  retry(run: RunView, principal: Principal): Promise<void>;
  /** @throws RequestError `human_required`. */
  human(command: HumanVerb, run: RunId | null, principal: Principal): Promise<void>;
}

/** What is about no run is recorded on the run whose lane asked. */
const runOfLane = ({ kind, actor }: Principal): RunId | null =>
  kind === 'lane' && actor.includes('.') ? runOf(actor as ExecutionId) : null;

export function operatorEdge(tell: Tell): OperatorEdge {
  const record = async (run: RunId | null, command: HumanVerb, refused: Principal) => {
    if (run === null) return;
    try {
      await tell(run, driverPrincipal, { type: 'record_refusal', command, refused });
    } catch (error: unknown) {
      // A lane of another store: there is no run here to record it on.
      if (!(error instanceof RequestError && error.code === 'run_not_found')) throw error;
    }
  };
  const human: OperatorEdge['human'] = async (command, run, principal) => {
    if (may(principal, command)) return;
    await record(run ?? runOfLane(principal), command, principal);
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
