/**
 * How a role's calls of models go (UX 1.5, §4): through the models door with a key that the lane
 * never holds, through it with the agent's own authorisation, or past it.
 */
import { RequestError } from '../kernel/errors.ts';
import { modelKeys } from '../kernel/model-keys.ts';
import type { DefinitionFile } from './definition-file.ts';
import type { Merged } from './merge.ts';

type RoleName = 'execute' | 'verify';
export type ModelsValue = 'inject' | 'pass';

/** Of a role as a spread: nothing when its calls go past the door. */
export function modelsOf(
  merged: Merged,
  role: RoleName,
  problems: RequestError[],
): { readonly models?: ModelsValue } {
  const { value } = merged;
  const login = loginOf(value, role);
  const mode = value.models ?? 'auto';
  if (mode === 'direct') return {};
  if (mode === 'pass')
    return login === 'key' ? contradicts(merged, role, problems) : { models: 'pass' };
  if (login === 'user') {
    if (mode === 'inject') problems.push(keyless(merged, role));
    return {};
  }
  if (!modelKeys.some((name) => value.secrets?.[name] !== undefined)) {
    problems.push(unnamed(merged, role));
  }
  return { models: 'inject' };
}

/** Figures of the making role are metered, so the default brake on money holds (ruling 20). */
export function isMetered(file: DefinitionFile): boolean {
  const mode = file.models ?? 'auto';
  const usesKey = loginOf(file, 'execute') === 'key';
  return mode === 'pass' || (usesKey && mode !== 'direct');
}

/** A judge that names no login of its own has that of the same agent that makes. */
function loginOf({ roles }: DefinitionFile, role: RoleName): 'user' | 'key' {
  const makers = roles?.execute?.login ?? 'user';
  if (role === 'execute') return makers;
  const { agent, login } = roles?.verify ?? {};
  const isSame = agent === undefined || agent === roles?.execute?.agent;
  return login ?? (isSame ? makers : 'user');
}

function contradicts(merged: Merged, role: RoleName, problems: RequestError[]): { models?: never } {
  problems.push(
    new RequestError(
      'bad_value',
      `"models: pass" and "roles.${role}.login: key" do not go together`,
      {
        where: placeOf(merged, ['models']),
        found: 'pass leaves the authorisation to the agent, key puts one in',
        next: `models: auto   or   roles.${role}.login: user`,
      },
    ),
  );
  return {};
}

function keyless(merged: Merged, role: RoleName): RequestError {
  return new RequestError('bad_value', '"models: inject" needs a key to put in', {
    where: placeOf(merged, ['models']),
    found: `roles.${role}.login: user`,
    next: `roles.${role}.login: key   and the key among secrets   ·   or  models: auto`,
  });
}

function unnamed(merged: Merged, role: RoleName): RequestError {
  const [first] = modelKeys;
  return new RequestError('credential_missing', `"login: key" finds no key among secrets`, {
    where: placeOf(merged, ['roles', role, 'login']),
    allowed: modelKeys.join(', '),
    next: `secrets: { ${first}: "env:${first}" }`,
  });
}

function placeOf(merged: Merged, path: readonly string[]): string {
  return merged.origin(path)?.where(path) ?? '';
}
