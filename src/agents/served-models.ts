/**
 * Which of the services behind the models door is asked for a model that a definition names, for
 * agents that speak to several. Pure.
 */
import type { TurnSetting } from '../ports/agent.ts';

/** A service, where the door's address of it is found, and how its models are called. */
export interface ServedService {
  readonly provider: 'anthropic' | 'openai' | 'google';
  readonly variable: string;
  readonly key: string;
  readonly models: RegExp;
}

const services: readonly ServedService[] = [
  {
    provider: 'anthropic',
    variable: 'ANTHROPIC_BASE_URL',
    key: 'ANTHROPIC_API_KEY',
    models: /^claude/i,
  },
  {
    provider: 'openai',
    variable: 'OPENAI_BASE_URL',
    key: 'OPENAI_API_KEY',
    models: /^(gpt|o\d|chatgpt|codex)/i,
  },
  {
    provider: 'google',
    variable: 'GOOGLE_GEMINI_BASE_URL',
    key: 'GEMINI_API_KEY',
    models: /^gemini/i,
  },
];
/** For models behind an address of the definition's own, which speak Chat Completions. */
export const gatewayName = 'pawl';

export interface ServedModel {
  readonly provider: string;
  readonly id: string;
}

/** Those that the lane has an address for. */
export function servedServices(env: TurnSetting['env']): readonly ServedService[] {
  return services.filter(({ variable }) => env[variable] !== undefined);
}

/** The definition names an address for OpenAI's APIs that is not OpenAI's. */
export function hasGateway({ dispatch }: Pick<TurnSetting, 'dispatch'>): boolean {
  return dispatch.definition.env.set['OPENAI_BASE_URL'] !== undefined;
}

/**
 * `openai/…` names its service; a bare name is found by how the service's models are called. Null:
 * the agent takes one of those that are served.
 */
export function servedModel(setting: TurnSetting): ServedModel | null {
  const named = setting.role.model;
  if (named === null) return null;
  const served = servedServices(setting.env);
  const [head = '', ...rest] = named.split('/');
  if (rest.length > 0 && served.some(({ provider }) => provider === head)) {
    return { provider: head, id: rest.join('/') };
  }
  const known = served.find(({ models }) => models.test(named));
  const isOpenAi = known === undefined || known.provider === 'openai';
  if (hasGateway(setting) && isOpenAi) return { provider: gatewayName, id: named };
  return { provider: (known ?? served[0])?.provider ?? 'openai', id: named };
}
