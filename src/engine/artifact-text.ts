/** Reading artifacts as what they were put as; what comes back is checked, not believed. */
import type { Definition } from '../domain/definition/definition.ts';
import type { Digest } from '../domain/ids.ts';
import type { Verdict } from '../domain/verdict/verdict.ts';
import { ProductError, WorldError } from '../kernel/errors.ts';
import { isFields, parsedJson } from '../kernel/json.ts';
import type { Artifacts } from '../ports/artifacts.ts';
import { utf8 } from './utf8.ts';

type Reader = Pick<Artifacts, 'get'>;

/** A definition, and the text that its digest names. */
export interface Snapshot {
  readonly text: string;
  readonly definition: Definition;
}

/**
 * Kept in memory: every dispatch asks for it several times, and what a digest names never changes.
 */
const keptLengthMax = 8_388_608;
const kept = new WeakMap<Reader, Kept>();
interface Kept {
  readonly snapshots: Map<Digest, Snapshot>;
  length: number;
}

/**
 * Shared by all who ask, so it is not to be changed.
 * @throws WorldError `definition_missing` when the snapshot is not there, is damaged, or is of
 *   another version.
 */
export async function snapshotOf(artifacts: Reader, digest: Digest): Promise<Snapshot> {
  const before = kept.get(artifacts)?.snapshots.get(digest);
  if (before !== undefined) return before;
  const text = await legibleOf(artifacts, digest);
  const definition = parsed(text);
  if (text === null || !isFields(definition) || definition['version'] !== 1) {
    const what = 'the definition of the run is not in this store, or is damaged';
    throw new WorldError('definition_missing', what, { found: digest });
  }
  const snapshot = { text, definition: definition as unknown as Definition };
  keep(artifacts, digest, snapshot);
  return snapshot;
}

/** What comes over the bound takes the place of all the others. */
function keep(artifacts: Reader, digest: Digest, snapshot: Snapshot): void {
  const { length } = snapshot.text;
  if (length > keptLengthMax) return;
  const before = kept.get(artifacts);
  const isFull = before === undefined || before.length + length > keptLengthMax;
  const room: Kept = isFull ? { snapshots: new Map(), length: 0 } : before;
  if (!room.snapshots.has(digest)) room.length += length;
  kept.set(artifacts, room);
  room.snapshots.set(digest, snapshot);
}

/** @throws WorldError as {@link snapshotOf} does. */
export const definitionOf = async (artifacts: Reader, digest: Digest): Promise<Definition> =>
  (await snapshotOf(artifacts, digest)).definition;

/** Null when it cannot be had: whoever looks at many runs is not stopped by one of them. */
export async function definitionOrNull(
  artifacts: Reader,
  digest: Digest,
): Promise<Definition | null> {
  try {
    return await definitionOf(artifacts, digest);
  } catch (error: unknown) {
    if (error instanceof WorldError && error.code === 'definition_missing') return null;
    throw error;
  }
}

/** Null when it was pruned, never put, is damaged, or is no verdict. */
export async function verdictOf(artifacts: Reader, digest: Digest): Promise<Verdict | null> {
  const verdict = parsed(await legibleOf(artifacts, digest));
  return isFields(verdict) && Array.isArray(verdict['criteria'])
    ? (verdict as unknown as Verdict)
    : null;
}

/** Null when the artifact is not there. */
export async function textOf(artifacts: Reader, digest: Digest): Promise<string | null> {
  const bytes = await artifacts.get(digest);
  return bytes === null ? null : utf8(bytes);
}

/**
 * Null also when its bytes are not what they were, of which `audit verify` tells: for what only
 * explains, and for whoever has an answer to what is gone.
 */
export async function legibleOf(artifacts: Reader, digest: Digest): Promise<string | null> {
  try {
    return await textOf(artifacts, digest);
  } catch (error: unknown) {
    if (error instanceof WorldError && error.code === 'artifact_damaged') return null;
    throw error;
  }
}

/** Null also for what is no JSON. */
export function parsed(text: string | null): unknown {
  return text === null ? null : parsedJson(text);
}

/** Whether what is read is still what its digest names. @throws what else the read throws. */
export async function conditionOf(
  read: () => Promise<unknown>,
): Promise<'whole' | 'missing' | 'damaged'> {
  try {
    return (await read()) === null ? 'missing' : 'whole';
  } catch (error: unknown) {
    if (error instanceof ProductError && error.code === 'artifact_damaged') return 'damaged';
    throw error;
  }
}
