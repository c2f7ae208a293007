import type { Definition } from '../domain/definition/definition.ts';
import type { RunId } from '../domain/ids.ts';
import { definitionOrNull } from './artifact-text.ts';
import type { Engine } from './engine.ts';

/** What a run was started with; null: there is no such run, or its definition cannot be had. */
export async function runDefinition(
  { store, artifacts }: Pick<Engine, 'store' | 'artifacts'>,
  id: RunId,
): Promise<Definition | null> {
  const run = (await store.loadRun(id))?.aggregate.run ?? null;
  return run === null || run.status === 'unborn'
    ? null
    : definitionOrNull(artifacts, run.definition);
}
