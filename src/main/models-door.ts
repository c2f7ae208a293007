/** The models door of a lane. Loaded when a lane asks for one: its list of prices is large. */
import type { Clock } from '../ports/clock.ts';
import type { OpenLaneModelsDoor } from '../ports/models-door.ts';

export function laneModelsDoor(clock: Clock): OpenLaneModelsDoor {
  return async ({ limits, credential, onFailure, ...request }) => {
    const { modelsDoor } = await import('../doors/models/door.ts');
    const { memoryBudget } = await import('../doors/models/memory-budget.ts');
    const open = modelsDoor({ clock, credential, onFailure });
    return open({ ...request, budget: memoryBudget(limits) });
  };
}
