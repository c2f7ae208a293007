/** Reading artifacts as what they were put as; what comes back is checked, not believed. */
import type { Definition } from '../domain/definition/definition.ts';
import type { Digest } from '../domain/ids.ts';
import type { Verdict } from '../domain/verdict/verdict.ts';
import { WorldError } from '../kernel/errors.ts';
import { isFields, parsedJson } from '../kernel/json.ts';
import type { Artifacts } from '../ports/artifacts.ts';
import { utf8 } from './utf8.ts';

type Reader = Pick<Artifacts, 'get'>;

/**
 * @throws WorldError `definition_missing` when the snapshot is not there or is of another version.
 */
export async function definitionOf(artifacts: Reader, digest: Digest): Promise<Definition> {
  const definition = parsed(await textOf(artifacts, digest));
  if (isFields(definition) && definition['version'] === 1) {
    return definition as unknown as Definition;
  }
  throw new WorldError('definition_missing', 'the definition of the run is not in this store', {
    found: digest,
  });
}

/** Null when it was pruned, never put, or is no verdict. */
export async function verdictOf(artifacts: Reader, digest: Digest): Promise<Verdict | null> {
  const verdict = parsed(await textOf(artifacts, digest));
  return isFields(verdict) && Array.isArray(verdict['criteria'])
    ? (verdict as unknown as Verdict)
    : null;
}

/** Null when the artifact is not there. */
export async function textOf(artifacts: Reader, digest: Digest): Promise<string | null> {
  const bytes = await artifacts.get(digest);
  return bytes === null ? null : utf8(bytes);
}

/** Null also for what is no JSON. */
export function parsed(text: string | null): unknown {
  return text === null ? null : parsedJson(text);
}
