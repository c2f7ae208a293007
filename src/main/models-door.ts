/** The models door of a lane. Loaded when a lane asks for one: its list of prices is large. */
import type { Clock } from '../ports/clock.ts';
import type { OpenLaneModelsDoor } from '../ports/models-door.ts';

export function laneModelsDoor(clock: Clock): OpenLaneModelsDoor {
  return async ({ mode, secrets, set, limits, onSignal, onFailure }) => {
    const { modelsDoor } = await import('../doors/models/door.ts');
    const { laneServices } = await import('../doors/models/lane-services.ts');
    const { memoryBudget } = await import('../doors/models/memory-budget.ts');
    const { upstreams, withheld, env } = laneServices(mode, new Set(Object.keys(secrets)), set);
    const credential = async (name: string) => secrets[name] ?? '';
    const door = await modelsDoor({ clock, credential, onFailure })({
      ...{ mode, upstreams, onSignal },
      budget: memoryBudget(limits),
    });
    return { ...door, withheld, env: env(door.url) };
  };
}
