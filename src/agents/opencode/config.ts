/**
 * opencode's configuration for one turn, as one JSON text in its environment: it stands over the
 * user's and the project's own files, and nothing of it is written to a disk. Pure.
 */
import type { TurnSetting } from '../../ports/agent.ts';

type Permissions = TurnSetting['permissions'];
type Json = Readonly<Record<string, unknown>>;

/** A service that opencode knows by itself, and where its address of the door is found. */
interface Service {
  readonly provider: 'anthropic' | 'openai' | 'google';
  readonly variable: string;
  readonly suffix: string;
  readonly key: string;
  readonly models: RegExp;
}

const services: readonly Service[] = [
  {
    provider: 'anthropic',
    variable: 'ANTHROPIC_BASE_URL',
    suffix: '/v1',
    key: 'ANTHROPIC_API_KEY',
    models: /^claude/i,
  },
  {
    provider: 'openai',
    variable: 'OPENAI_BASE_URL',
    suffix: '',
    key: 'OPENAI_API_KEY',
    models: /^(gpt|o\d|chatgpt|codex)/i,
  },
  {
    provider: 'google',
    variable: 'GOOGLE_GEMINI_BASE_URL',
    suffix: '/v1beta',
    key: 'GEMINI_API_KEY',
    models: /^gemini/i,
  },
];
/** For models behind an address of the definition's own, which speak Chat Completions. */
const gatewayName = 'pawl';

/** All of it; merged over what lies in files. */
export function opencodeConfig({ role, env, dispatch }: TurnSetting): Json {
  const quiet = { autoupdate: false, share: 'disabled' };
  if (role.models === undefined) return { ...quiet, ...named(role.model) };
  const served = services.filter(({ variable }) => env[variable] !== undefined);
  const isGateway = dispatch.definition.env.set['OPENAI_BASE_URL'] !== undefined;
  const model = modelOf(role.model, served, isGateway);
  const providers = served.map((one) => [one.provider, providerOf(one, env, model)]);
  const gateway = model?.provider === gatewayName ? [[gatewayName, gatewayOf(env, model.id)]] : [];
  const provider = Object.fromEntries([...providers, ...gateway]);
  const chosen = named(model === null ? null : `${model.provider}/${model.id}`);
  // With the agent's own authorisation its other services stay as they are.
  if (role.models === 'pass') return { ...quiet, provider, ...chosen };
  return { ...quiet, enabled_providers: Object.keys(provider), provider, ...chosen };
}

interface Model {
  readonly provider: string;
  readonly id: string;
}

/**
 * `openai/…` names its service; a bare name is found by how the service's models are called. Null:
 * opencode takes one of those that are served.
 */
function modelOf(
  named: string | null,
  served: readonly Service[],
  isGateway: boolean,
): Model | null {
  if (named === null) return null;
  const [head = '', ...rest] = named.split('/');
  if (rest.length > 0 && served.some(({ provider }) => provider === head)) {
    return { provider: head, id: rest.join('/') };
  }
  const known = served.find(({ models }) => models.test(named));
  const isOpenAi = known === undefined || known.provider === 'openai';
  if (isGateway && isOpenAi) return { provider: gatewayName, id: named };
  return { provider: (known ?? served[0])?.provider ?? 'openai', id: named };
}

function providerOf(service: Service, env: TurnSetting['env'], model: Model | null): Json {
  const { provider, variable, suffix, key } = service;
  const apiKey = env[key];
  return {
    options: {
      baseURL: `${env[variable]}${suffix}`,
      ...(apiKey === undefined ? {} : { apiKey }),
    },
    // A model that opencode does not know yet can be asked for all the same.
    ...(model?.provider === provider ? { models: { [model.id]: {} } } : {}),
  };
}

function gatewayOf(env: TurnSetting['env'], model: string): Json {
  return {
    npm: '@ai-sdk/openai-compatible',
    name: gatewayName,
    options: { baseURL: env['OPENAI_BASE_URL'], apiKey: env['OPENAI_API_KEY'] },
    models: { [model]: { name: model } },
  };
}

const named = (model: string | null): Json => (model === null ? {} : { model });

/**
 * It has no sandbox: a command of `workspace` runs as the user, and what is refused is what its own
 * tools do outside of the work tree.
 */
export const opencodePermissions: Readonly<Record<Permissions, Json>> = {
  trusted: all('allow'),
  workspace: { ...all('allow'), webfetch: 'deny', external_directory: 'deny', doom_loop: 'deny' },
  ask: { ...all('ask'), edit: 'allow' },
};

function all(what: 'allow' | 'ask') {
  const tools = ['edit', 'bash', 'webfetch', 'external_directory', 'doom_loop'];
  return Object.fromEntries(tools.map((tool) => [tool, what]));
}
