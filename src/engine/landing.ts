/**
 * Landing: a human's act (DESIGN §8). The work goes to a branch by {@link Workspace.land}, after
 * the runtime's own checks have judged the merged tree; whoever does without that is recorded so.
 * Only what landed is recorded.
 */
import type { Definition } from '../domain/definition/definition.ts';
import type { Commit, ExecutionId } from '../domain/ids.ts';
import type { CancelSignal } from '../kernel/cancel-signal.ts';
import { RequestError } from '../kernel/errors.ts';
import type { Checks } from '../ports/checks.ts';
import type { Client, LandOptions, RunView } from '../ports/client.ts';
import type { LandRequest, Workspace } from '../ports/workspace.ts';
import type { OperatorEdge } from './operator-edge.ts';
import type { Tell } from './teller.ts';

export interface LandingOptions {
  readonly client: Pick<Client, 'find' | 'definition'>;
  readonly tell: Tell;
  readonly edge: OperatorEdge;
  readonly workspace: () => Promise<Workspace>;
  readonly checks: () => Promise<Checks>;
}

export function landing(options: LandingOptions): Pick<Client, 'land'> {
  const { client, tell, edge } = options;
  return {
    land: async (id, request, principal) => {
      const run = await client.find({ text: id, project: null });
      await edge.human('land', run.id, principal);
      const definition = await client.definition(run.id);
      const verify = request.reverify ? await verifier(options, run, definition) : null;
      const workspace = await options.workspace();
      const landed = await workspace.land({ ...landable(run, definition, request), verify });
      if (landed.ok) {
        const { commit, into, method, reverified } = landed;
        await tell(run.id, principal, {
          type: 'record_landing',
          commit,
          into,
          method,
          reverified,
        });
      }
      return landed;
    },
  };
}

/** @throws RequestError `wrong_verb`, `land_refused`: what keeps this run from landing at all. */
function landable(
  run: RunView,
  definition: Definition,
  request: LandOptions,
): Omit<LandRequest, 'verify'> {
  const { head, base, branch, short } = run;
  const into = request.into ?? run.baseBranch;
  if (run.status !== 'complete') {
    throw new RequestError('wrong_verb', `${short} is ${run.status}, not complete`, {
      next: `pawl show ${short}`,
      facts: { status: run.status, reason: run.reason },
    });
  }
  if (head === null || base === null || branch === null) {
    throw new RequestError('land_refused', `${short} has no recorded work on a branch`);
  }
  if (into === null) {
    throw new RequestError('land_refused', `${short} was started from no branch`, {
      next: `pawl land ${short} --into <branch>`,
    });
  }
  const { root } = definition.project;
  const message = request.message ?? `${definition.intent.originalIntent}\n\nRun: ${run.id}`;
  const { method } = request;
  return { root, run: run.id, branch, head, base, into, method, message, always: true };
}

const never: CancelSignal = {
  aborted: false,
  addEventListener: () => {},
  removeEventListener: () => {},
};

/** Runs every criterion that the runtime itself can check; a person's look is not asked again. */
async function verifier(
  options: LandingOptions,
  run: RunView,
  definition: Definition,
): Promise<LandRequest['verify']> {
  const criteria = definition.criteria.flatMap(({ kind }, index) =>
    kind === 'manual' || kind === 'oracle' || kind === 'observer' ? [] : [index],
  );
  if (criteria.length === 0) return null;
  const checks = await options.checks();
  return async (commit: Commit) => {
    const verdict = await checks.verify({
      run: run.id,
      execution: `${run.id}.land` as ExecutionId,
      definition,
      commit,
      directory: null,
      signal: never,
      progress: () => {},
      restoreProtected: false,
      criteria,
    });
    return { passed: verdict.outcome === 'passed', summary: verdict.summary };
  };
}
