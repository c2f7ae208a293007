/**
 * The models door of one lane: opened before the lane, closed after it. What the lane is given is
 * an address and a key that is none; the real key stays in this process. What the door refused is a
 * fact about the turn, whatever the agent says of its end.
 */
import { agentOf } from '../domain/execution/agent.ts';
import type { Usage } from '../domain/execution/state.ts';
import type { DoorSignal, DoorState, OpenLaneModelsDoor } from '../ports/models-door.ts';
import type { Dispatch } from '../ports/plane.ts';

export interface LaneDoor {
  /** Over whatever else the lane's environment holds; empty without a door. */
  readonly env: Readonly<Record<string, string>>;
  /** Names of secrets that the lane is not given. */
  readonly withheld: readonly string[];
  /** Name → value of what is to be taken out of all that a lane prints. */
  readonly secrets: Readonly<Record<string, string>>;
  /** Null: nothing was metered, since there is no door. */
  usage(): Usage | null;
  /** Open calls of models, for liveness; null without a door. */
  state(): DoorState | null;
  /** What the door tells from now on; there is one listener. */
  listen(listener: (signal: DoorSignal) => void): void;
  close(): Promise<void>;
}

export const noDoor: LaneDoor = {
  env: {},
  withheld: [],
  secrets: {},
  usage: () => null,
  state: () => null,
  listen: () => {},
  close: async () => {},
};

export interface LaneDoorRequest {
  readonly dispatch: Dispatch;
  /** Resolved secrets of the definition. */
  readonly secrets: Readonly<Record<string, string>>;
  readonly host: Readonly<Record<string, string | undefined>>;
  readonly onFailure: (error: unknown) => void;
}

/** @throws RequestError of an address or key that cannot be used. */
export async function openLaneDoor(
  open: OpenLaneModelsDoor | undefined,
  request: LaneDoorRequest,
): Promise<LaneDoor> {
  const { dispatch, secrets } = request;
  const mode = agentOf(dispatch.definition.roles, dispatch.job.role)?.models;
  if (open === undefined || mode === undefined) return noDoor;
  const { set } = dispatch.definition.env;
  let listener: (signal: DoorSignal) => void = () => {};
  const door = await open({
    mode,
    secrets,
    set,
    limits: dispatch.budget ?? { costUsd: null, tokens: null },
    onSignal: (signal) => listener(signal),
    onFailure: request.onFailure,
  });
  return {
    env: { ...door.env, ...past(request.host, set) },
    withheld: door.withheld,
    secrets: { MODELS_DOOR: door.token },
    usage: () => door.usage().usage,
    state: door.state,
    listen: (heard) => {
      listener = heard;
    },
    close: door.close,
  };
}

/** The door is reached without any proxy that the environment names. */
function past(
  host: Readonly<Record<string, string | undefined>>,
  set: Readonly<Record<string, string>>,
): Record<string, string> {
  const here = '127.0.0.1,localhost';
  const name = (key: string) => set[key] ?? host[key];
  const before = name('NO_PROXY') ?? name('no_proxy');
  const value = before === undefined || before === '' ? here : `${before},${here}`;
  return { NO_PROXY: value, no_proxy: value };
}
