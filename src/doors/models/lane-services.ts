/**
 * Which services a lane reaches through its door, and what it is given to find it: where agents
 * read addresses and keys from, by vendor. Pure.
 */
import type { ModelKey } from '../../kernel/model-keys.ts';
import type { DoorMode, ModelVendor, UpstreamTarget } from '../../ports/models-door.ts';

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

export interface LaneServices {
  readonly upstreams: Readonly<Partial<Record<ModelVendor, UpstreamTarget>>>;
  /** Names of secrets that the lane is not given. */
  readonly withheld: readonly string[];
  /** The lane's variables for a door at this address. */
  env(url: string): Readonly<Record<string, string>>;
}

/** `secrets`: names that have a value; `set`: variables that the definition sets for the lane. */
export function laneServices(
  mode: DoorMode,
  secrets: ReadonlySet<string>,
  set: Readonly<Record<string, string>>,
): LaneServices {
  const isPass = mode === 'pass';
  const keyOf = ({ keys }: Service) => keys.find((name) => secrets.has(name)) ?? null;
  const served = vendors.filter((vendor) => isPass || keyOf(services[vendor]) !== null);
  const targets = served.map((vendor) => {
    const service = services[vendor];
    const credential = isPass ? null : keyOf(service);
    return [vendor, { base: baseOf(service, set), credential }] as const;
  });
  return {
    upstreams: Object.fromEntries(targets),
    withheld: isPass ? [] : served.flatMap((vendor) => services[vendor].keys),
    env: (url) => Object.fromEntries(served.flatMap((vendor) => variables(vendor, url, isPass))),
  };
}

/** The address that the definition sets for the agent is where the door asks in its place. */
function baseOf(
  { base, variable, suffix }: Service,
  set: Readonly<Record<string, string>>,
): string {
  const address = (set[variable] ?? base).replace(/\/+$/, '');
  const isVersioned = suffix !== '' && address.endsWith(suffix);
  return isVersioned ? address.slice(0, -suffix.length) : address;
}

function variables(vendor: ModelVendor, url: string, isPass: boolean) {
  const { variable, suffix, keys } = services[vendor];
  const address = [variable, `${url}${suffix}`] as const;
  return isPass ? [address] : [address, ...keys.map((key) => [key, placeholder] as const)];
}
