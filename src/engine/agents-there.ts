/**
 * Which agents are there where the lanes of a parked run would run if it was retried: on this
 * machine, and on the workers that are there and may take them.
 */
import type { Definition } from '../domain/definition/definition.ts';
import { mayTake, placementOf } from '../domain/placement/placement.ts';
import type { LivingRun } from '../domain/run/state.ts';
import type { Engine } from './engine.ts';
import type { EnrolledWorker } from './plane-workers.ts';

const capability = /^agent:(.+)$/;
const ownHost = { id: '', labels: [], isOwn: true } as const;

/** `workers`: those that are there. */
export async function agentsThere(
  { agents }: Pick<Engine, 'agents'>,
  { terms, here }: LivingRun,
  definition: Definition,
  workers: readonly EnrolledWorker[],
): Promise<readonly string[]> {
  // A retry is a run of its own: it is bound to no worker that this one was sent to.
  const needed = placementOf({ terms, ...(here === undefined ? {} : { here }) }, 'execute');
  const placement = needed ?? undefined;
  const able = workers.filter((worker) => mayTake(placement, worker));
  const theirs = able.flatMap(({ capabilities = [] }) =>
    capabilities.flatMap((one) => capability.exec(one)?.slice(1) ?? []),
  );
  const isOurs = agents !== undefined && mayTake(placement, ownHost);
  return [...(isOurs ? await agents.of(definition) : []), ...theirs];
}
