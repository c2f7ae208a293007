/**
 * The sealed result of an execution in its spool: once it is there, the work of the host can be
 * handed in by anybody who finds it, with the grant that it names (design/lane-host.md 10–13).
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JobResult } from '../domain/execution/state.ts';
import type { Digest, ExecutionId, GrantId } from '../domain/ids.ts';
import { writeDurably } from './durable-file.ts';

export interface Seal {
  readonly version: 1;
  readonly execution: ExecutionId;
  readonly grantId: GrantId;
  readonly result: JobResult;
  readonly lastSeq: number;
  readonly sealedAt: number;
}

export interface SealedResult {
  readonly seal: Seal;
  readonly digest: Digest;
}

export function writeSeal(directory: string, seal: Seal): SealedResult {
  const text = JSON.stringify(seal);
  writeDurably(pathIn(directory), text);
  return { seal, digest: digestOf(text) };
}

/** Null when there is none; a file that is not a whole seal of this execution is none. */
export function readSeal(directory: string, execution: ExecutionId): SealedResult | null {
  let text: string;
  try {
    text = readFileSync(pathIn(directory), 'utf8');
  } catch (error: unknown) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  const seal = parse(text);
  return seal?.execution === execution ? { seal, digest: digestOf(text) } : null;
}

function parse(text: string): Seal | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // Renamed into place whole, so this was damaged since; damage is not a result.
    return null;
  }
  return isSeal(value) ? value : null;
}

/** Only our own host writes here; what is checked is that the file is whole and of this version. */
function isSeal(value: unknown): value is Seal {
  if (typeof value !== 'object' || value === null) return false;
  const seal = value as Readonly<Record<string, unknown>>;
  const result = seal['result'];
  return (
    seal['version'] === 1 &&
    typeof seal['execution'] === 'string' &&
    typeof seal['grantId'] === 'string' &&
    typeof result === 'object' &&
    result !== null &&
    'kind' in result
  );
}

export function digestOf(text: string): Digest {
  return `sha256:${createHash('sha256').update(text).digest('hex')}` as Digest;
}

function pathIn(directory: string): string {
  return join(directory, 'seal.json');
}
