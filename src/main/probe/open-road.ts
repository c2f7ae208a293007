/** A models door that is none: the lane asks the scripted server itself, by the same variables. */
import { randomUUID } from 'node:crypto';
import type { Usage } from '../../domain/execution/state.ts';
import { laneServices } from '../../doors/models/lane-services.ts';
import type { OpenLaneModelsDoor } from '../../ports/models-door.ts';

const nothing: Usage = {
  ...{ costUsd: null, source: 'none', tokensIn: 0, tokensOut: 0, cacheRead: 0, cacheWrite: 0 },
};

export const openRoad: OpenLaneModelsDoor = async ({ mode, secrets, set }) => {
  const { withheld, env, upstreams } = laneServices(mode, new Set(Object.keys(secrets)), set);
  const url = upstreams.anthropic?.base ?? '';
  return {
    ...{ url, withheld, token: randomUUID(), env: env(url) },
    state: () => ({ inFlight: [], lastByteMs: null, closed: null, trouble: null }),
    usage: () => ({ usage: nothing, calls: 0, inexact: 0, unpriced: [] }),
    reopen: () => {},
    close: async () => {},
  };
};
