/**
 * opencode's configuration for one turn, as one JSON text in its environment: it stands over the
 * user's and the project's own files, and nothing of it is written to a disk. Pure.
 */
import type { TurnSetting } from '../../ports/agent.ts';
import {
  gatewayName,
  type ServedModel,
  type ServedService,
  servedModel,
  servedServices,
} from '../served-models.ts';

type Permissions = TurnSetting['permissions'];
type Json = Readonly<Record<string, unknown>>;

/** What follows the door's address of a service. */
const suffixes: Readonly<Record<ServedService['provider'], string>> = {
  anthropic: '/v1',
  openai: '',
  google: '/v1beta',
};

/** All of it; merged over what lies in files. */
export function opencodeConfig(setting: TurnSetting): Json {
  const { role, env } = setting;
  const quiet = { autoupdate: false, share: 'disabled' };
  if (role.models === undefined) return { ...quiet, ...named(role.model) };
  const model = servedModel(setting);
  const providers = servedServices(env).map((one) => [one.provider, providerOf(one, env, model)]);
  const gateway = model?.provider === gatewayName ? [[gatewayName, gatewayOf(env, model.id)]] : [];
  const provider = Object.fromEntries([...providers, ...gateway]);
  const chosen = named(model === null ? null : `${model.provider}/${model.id}`);
  // With the agent's own authorisation its other services stay as they are.
  if (role.models === 'pass') return { ...quiet, provider, ...chosen };
  return { ...quiet, enabled_providers: Object.keys(provider), provider, ...chosen };
}

function providerOf(
  service: ServedService,
  env: TurnSetting['env'],
  model: ServedModel | null,
): Json {
  const { provider, variable, key } = service;
  const apiKey = env[key];
  return {
    options: {
      baseURL: `${env[variable]}${suffixes[provider]}`,
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
