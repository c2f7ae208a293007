/**
 * What a host keeps of its claim, in a file readable by its owner alone, so that whoever finds it
 * after the host's death can hand in what was sealed, or say that the host died. It holds a token:
 * removed with the last word of the execution.
 */
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isFields, parsedJson } from '../kernel/json.ts';
import type { ArtifactKind } from '../ports/artifacts.ts';
import type { Commit, Digest, ExecutionId, RunId } from '../ports/words.ts';
import type { HeldGrant } from './http-plane.ts';

export interface KeptClaim {
  readonly version: 1;
  readonly grant: HeldGrant;
  readonly run: RunId;
  /** What its work started from; null: without git. */
  readonly from: Commit | null;
  /** Where it works: the mirror of its source. */
  readonly root: string;
  /** Put here and not yet on the server. */
  readonly owed: readonly Owed[];
}
export interface Owed {
  readonly digest: Digest;
  readonly kind: ArtifactKind;
}

export interface KeptClaims {
  read(execution: ExecutionId): KeptClaim | null;
  write(claim: KeptClaim): void;
  remove(execution: ExecutionId): void;
  all(): readonly ExecutionId[];
}

const suffix = '.json';

export function keptClaims(directory: string): KeptClaims {
  const pathOf = (execution: string) => join(directory, `${execution}${suffix}`);
  return {
    read: (execution) => {
      const value = parsedJson(textOf(pathOf(execution)) ?? '');
      // Only our own hosts write here: the version says that the rest has its shape.
      return isFields(value) && value['version'] === 1 ? (value as unknown as KeptClaim) : null;
    },
    write: (claim) => {
      mkdirSync(directory, { recursive: true, mode: 0o700 });
      const path = pathOf(claim.grant.binding.execution);
      const draft = `${path}.${process.pid}.tmp`;
      writeFileSync(draft, JSON.stringify(claim), { mode: 0o600 });
      renameSync(draft, path);
    },
    remove: (execution) => rmSync(pathOf(execution), { force: true }),
    all: () =>
      namesIn(directory)
        .filter((name) => name.endsWith(suffix))
        .map((name) => name.slice(0, -suffix.length) as ExecutionId),
  };
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error: unknown) {
    if (isMissing(error)) return null;
    throw error;
  }
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch (error: unknown) {
    if (isMissing(error)) return [];
    throw error;
  }
}

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT';
