/**
 * How pi is started for one turn (measured with 0.73.1): `--mode json`, the prompt on stdin. It has
 * no permissions and no servers of tools: whoever runs it trusts it. Pure.
 *
 * With a key of ours its configuration is the agent's own and points to the models door; with the
 * user's login that is used where it lies, and the user's extensions and skills are left out. Its
 * sessions lie in the agent's home either way.
 */
import { join } from 'node:path';
import { RequestError } from '../../kernel/errors.ts';
import type { Seed, TurnSetting } from '../../ports/agent.ts';
import { filledArgs } from '../command/template-values.ts';
import { isClean } from '../personal.ts';
import {
  gatewayName,
  type ServedModel,
  type ServedService,
  servedModel,
  servedServices,
} from '../served-models.ts';
import { turnEnvironment } from '../turn-environment.ts';

const sessionsFolder = 'sessions';
const hidden = ['--no-extensions', '--no-skills', '--no-prompt-templates', '--no-themes'];

/** @throws RequestError `agent_missing`, `not_supported`, or of a bad template in `args`. */
export function argvOf(setting: TurnSetting): readonly string[] {
  const program = setting.programs.find('pi');
  if (program === null) throw new RequestError('agent_missing', 'pi is not on the PATH');
  const session = sessionOf(setting);
  const model = modelOf(setting);
  return [
    ...[program, '--mode', 'json', '--offline'],
    ...(isClean(setting) ? hidden : []),
    ...['--session-dir', join(setting.files.home, sessionsFolder)],
    ...(session === null ? [] : ['--session', session]),
    ...(model === null ? [] : ['--model', model]),
    ...filledArgs(setting),
  ];
}

/** One whose file is gone cannot be gone on with: pi would end before it began. */
function sessionOf({ dispatch, files, programs }: TurnSetting): string | null {
  const { sessionId } = dispatch;
  if (sessionId === null) return null;
  const folder = join(files.home, sessionsFolder);
  const file = programs.list(folder).find((name) => name.endsWith(`_${sessionId}.jsonl`));
  return file === undefined ? null : join(folder, file);
}

function modelOf(setting: TurnSetting): string | null {
  if (!hasOwnHome(setting)) return setting.role.model;
  const model = servedModel(setting);
  return model === null ? null : `${model.provider}/${model.id}`;
}

export function envOf(setting: TurnSetting): Readonly<Record<string, string>> {
  const own = hasOwnHome(setting) ? { PI_CODING_AGENT_DIR: setting.files.home } : {};
  return { ...turnEnvironment(setting), PI_OFFLINE: '1', PI_TELEMETRY: '0', ...own };
}

/** Without a key of ours its login is the user's, in the user's home, where nothing is put. */
function hasOwnHome({ role }: TurnSetting): boolean {
  if (role.models !== 'pass') return role.models === 'inject';
  const words = 'pi cannot be led through the models door with a login of its own';
  throw new RequestError('not_supported', words, {
    found: 'models: pass',
    next: 'models: auto   or  login: key and the key among secrets',
  });
}

/** Only where the home is the agent's own. */
export function seedsOf(setting: TurnSetting): readonly Seed[] {
  if (!hasOwnHome(setting)) return [];
  return [
    { path: 'settings.json', text: `${JSON.stringify(settings, null, 2)}\n` },
    { path: 'models.json', text: `${JSON.stringify({ providers: providersOf(setting) })}\n` },
  ];
}

/** It tries again by itself, and says so; the library below it would do so in silence. */
const settings = {
  enableInstallTelemetry: false,
  quietStartup: true,
  retry: { provider: { maxRetries: 0 } },
};

/** What follows the door's address of a service. */
const suffixes: Readonly<Record<ServedService['provider'], string>> = {
  anthropic: '',
  openai: '',
  google: '/v1beta',
};

function providersOf(setting: TurnSetting) {
  const { env } = setting;
  const model = servedModel(setting);
  const served = servedServices(env).map(({ provider, variable, key }) => [
    provider,
    { baseUrl: `${env[variable]}${suffixes[provider]}`, apiKey: key },
  ]);
  const gateway = model?.provider === gatewayName ? [[gatewayName, gatewayOf(env, model)]] : [];
  return Object.fromEntries([...served, ...gateway]);
}

/** A key is named by its variable. */
const gatewayOf = (env: TurnSetting['env'], { id }: ServedModel) => ({
  baseUrl: env['OPENAI_BASE_URL'],
  api: 'openai-completions',
  apiKey: 'OPENAI_API_KEY',
  models: [{ id }],
});
