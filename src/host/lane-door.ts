/**
 * The models door of one lane: opened before the lane, closed after it. What the lane is given is an
 * address and a key that is none; the real key stays in this process. What the door refused is a
 * fact about the turn, whatever the agent says of its end.
 */
import type { Role } from '../domain/definition/definition.ts';
import type { Usage } from '../domain/execution/state.ts';
import type { ModelKey } from '../kernel/model-keys.ts';
import type {
  DoorSignal,
  DoorState,
  ModelVendor,
  OpenLaneModelsDoor,
  UpstreamTarget,
} from '../ports/models-door.ts';
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

interface Service {
  readonly base: string;
  /** Where agents read its address from, and what follows the door's own address there. */
  readonly variable: string;
  readonly suffix: '' | '/v1';
  readonly keys: readonly ModelKey[];
}

const services: Readonly<Record<ModelVendor, Service>> = {
  anthropic: {
    base: 'https://api.anthropic.com',
    variable: 'ANTHROPIC_BASE_URL',
    suffix: '',
    keys: ['ANTHROPIC_API_KEY'],
  },
  openai: {
    base: 'https://api.openai.com',
    variable: 'OPENAI_BASE_URL',
    suffix: '/v1',
    keys: ['OPENAI_API_KEY'],
  },
  google: {
    base: 'https://generativelanguage.googleapis.com',
    variable: 'GOOGLE_GEMINI_BASE_URL',
    suffix: '',
    keys: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'],
  },
};
const vendors: readonly ModelVendor[] = ['anthropic', 'openai', 'google'];
/** In place of a key, so that an agent asks for none and finds no login of its own to use. */
const placeholder = 'held-by-pawl';

/** @throws RequestError of an address or key that cannot be used. */
export async function openLaneDoor(
  open: OpenLaneModelsDoor | undefined,
  request: LaneDoorRequest,
): Promise<LaneDoor> {
  const { dispatch, secrets } = request;
  const mode = roleOf(dispatch)?.models;
  if (open === undefined || mode === undefined) return noDoor;
  const { set } = dispatch.definition.env;
  const served = vendors.flatMap((vendor) => {
    const key = services[vendor].keys.find((name) => secrets[name] !== undefined) ?? null;
    const isServed = mode === 'pass' || key !== null;
    return isServed ? [{ vendor, target: targetOf(services[vendor], mode, { key, set }) }] : [];
  });
  let listener: (signal: DoorSignal) => void = () => {};
  const door = await open({
    mode,
    upstreams: Object.fromEntries(served.map(({ vendor, target }) => [vendor, target])),
    limits: dispatch.budget ?? { costUsd: null, tokens: null },
    credential: async (name) => secrets[name] ?? '',
    onSignal: (signal) => listener(signal),
    onFailure: request.onFailure,
  });
  const names = served.map(({ vendor }) => vendor);
  return {
    env: { ...addresses(door.url, names, mode), ...past(request.host, set) },
    withheld: mode === 'inject' ? names.flatMap((vendor) => services[vendor].keys) : [],
    secrets: { MODELS_DOOR: door.token },
    usage: () => door.usage().usage,
    state: door.state,
    listen: (heard) => {
      listener = heard;
    },
    close: door.close,
  };
}

function roleOf({ definition, job }: Dispatch): Role | null {
  return job.role === 'judge' ? definition.roles.verify : definition.roles.execute;
}

/** The address that the definition sets for the agent is where the door asks in its place. */
function targetOf(
  { base, variable, suffix }: Service,
  mode: 'inject' | 'pass',
  given: { readonly key: ModelKey | null; readonly set: Readonly<Record<string, string>> },
): UpstreamTarget {
  const own = given.set[variable];
  const address = own === undefined ? base : own.replace(/\/+$/, '');
  const front =
    suffix !== '' && address.endsWith(suffix) ? address.slice(0, -suffix.length) : address;
  return { base: front, credential: mode === 'inject' ? given.key : null };
}

function addresses(
  url: string,
  names: readonly ModelVendor[],
  mode: 'inject' | 'pass',
): Record<string, string> {
  const entries = names.flatMap((vendor) => {
    const { variable, suffix, keys } = services[vendor];
    const address = [[variable, `${url}${suffix}`]] as const;
    return mode === 'pass'
      ? address
      : [...address, ...keys.map((key) => [key, placeholder] as const)];
  });
  return Object.fromEntries(entries);
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
