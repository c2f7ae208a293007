/**
 * The one way in which an operator's command reaches the machines, and how a refusal comes back.
 */
import type { RunId } from '../domain/ids.ts';
import type { Principal } from '../domain/principal/principal.ts';
import { TransientError } from '../kernel/errors.ts';
import { type RunRequest, runCommand } from './command.ts';
import type { Engine, Issued } from './engine.ts';
import { shortOf } from './reference.ts';
import { refusal } from './refusal.ts';
import { withAncestry } from './views.ts';

export type Committed = Extract<Issued, { readonly kind: 'committed' }>;

/** Issues a command and answers when it is committed. @throws RequestError what was refused. */
export type Tell = (
  run: RunId,
  principal: Principal,
  request: RunRequest,
  more?: { readonly nestedAllowed: boolean },
) => Promise<Committed>;

export function teller(engine: Engine): Tell {
  return async (run, principal, request, more) => {
    const at = engine.clock.now();
    const command = runCommand(run, principal, at, request);
    const issued = await engine.issue({ ...command, ...more, actor: withAncestry(principal) });
    if (issued.kind === 'committed') return issued;
    const short = await shortOf(engine.store, run);
    if (issued.kind === 'rejected') throw refusal(issued.rejection, short);
    throw new TransientError('store.busy', `${short} moved on meanwhile`);
  };
}
