/**
 * Values of secrets for the execution that may have them. A command may take a while and whoever
 * waits for it may ask again: as long as one is resolved it is the same for all who ask, and its
 * value is kept no longer than that.
 */
import type { PlaneBinding } from '../../contract/plane-words.ts';
import { definitionOf } from '../../engine/artifact-text.ts';
import { ProductError } from '../../kernel/errors.ts';
import { clip } from '../../kernel/text.ts';
import { livingOf } from './living-run.ts';
import type { PlaneServerOptions } from './options.ts';
import { PlaneRefusal } from './refusal.ts';

/** `why`: which reference was read where, and what came of it; told where there is no value. */
interface Secret {
  readonly value: string | null;
  readonly why?: string;
}

/** @throws PlaneRefusal `credential.refused`: of what its definition does not name, all alike. */
export function secretsOf(
  options: PlaneServerOptions,
): (binding: PlaneBinding, name: string) => Promise<Secret> {
  const resolving = new Map<string, Promise<Secret>>();
  return async (binding, name) => {
    const reference = await referenceOf(options, binding, name);
    const key = `${binding.execution} ${name}`;
    const before = resolving.get(key);
    if (before !== undefined) return before;
    const secret = resolved(options, { execution: binding.execution, name, reference });
    resolving.set(key, secret);
    return secret.finally(() => resolving.delete(key));
  };
}

/** Only what the definition names, which a human started. */
async function referenceOf(
  options: PlaneServerOptions,
  binding: PlaneBinding,
  name: string,
): Promise<string> {
  const run = await livingOf(options, binding);
  const { secrets } = await definitionOf(options.engine.artifacts, run.definition);
  const reference = Object.hasOwn(secrets, name) ? secrets[name] : undefined;
  if (reference === undefined) throw new PlaneRefusal('credential.refused');
  return reference;
}

interface Wanted {
  readonly execution: string;
  readonly name: string;
  readonly reference: string;
}

async function resolved(
  { credentials, log }: PlaneServerOptions,
  { execution, name, reference }: Wanted,
): Promise<Secret> {
  try {
    const value = (await credentials({ [name]: reference }))[name];
    if (value !== undefined) return { value };
    return { value: null, why: 'the server has no value of it' };
  } catch (error: unknown) {
    if (!(error instanceof ProductError)) throw error;
    const why = clip(error.details.found ?? error.message, 1000);
    log(`${execution} secret ${name}: ${why}`);
    return { value: null, why };
  }
}
