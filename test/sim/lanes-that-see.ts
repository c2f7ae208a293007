/** Lanes of which a unit test says what is seen; what was ended is kept. */
import type { LaneSighting, Lanes } from '../../src/ports/lanes.ts';

/** `after`: what is seen once it was ended; the same as before when not said. */
export function lanesThatSee(sighting: LaneSighting, after: LaneSighting = sighting) {
  const ended: string[] = [];
  const lanes: Lanes = {
    start: async () => {},
    sealLeft: async () => null,
    ensureCheckHost: async () => {},
    look: async ({ id }) => (ended.includes(id) ? after : sighting),
    end: async ({ id }) => {
      ended.push(id);
      return { strength: 'kernel', rung: 'x', gaps: [] };
    },
    forget: async () => {},
  };
  return { lanes, ended };
}
