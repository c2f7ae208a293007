/**
 * `liveness` of the file form to the canonical one and back (UX 4.2). What is as it always is does
 * not stand in the canonical form, so that a run which says nothing follows what is measured later.
 */
import type { DefinitionFile } from './definition-file.ts';
import { parseDuration, printDuration } from './duration.ts';

/** Null and absent: as it is without being set. */
export interface LivenessValue {
  readonly idleMs?: number | null;
  readonly toolCallMs?: number | null;
  readonly toolProgressMs?: number | null;
}

type LivenessFile = NonNullable<DefinitionFile['liveness']>;

/** `idle` null: 2m where the models door sees every request, 10m elsewhere. */
export const livenessFileDefaults = { idle: null, toolCall: '3m', toolProgress: '10m' } as const;

export function livenessOf({ liveness }: DefinitionFile): { readonly liveness?: LivenessValue } {
  const value: LivenessValue = {
    idleMs: liveness?.idle == null ? null : parseDuration(liveness.idle),
    toolCallMs: unlike(liveness?.toolCall, livenessFileDefaults.toolCall),
    toolProgressMs: unlike(liveness?.toolProgress, livenessFileDefaults.toolProgress),
  };
  return Object.values(value).every((ms) => ms === null) ? {} : { liveness: value };
}

function unlike(given: string | undefined, usual: string): number | null {
  if (given === undefined) return null;
  const ms = parseDuration(given);
  return ms === parseDuration(usual) ? null : ms;
}

export function livenessFile({ liveness }: { readonly liveness?: LivenessValue }): LivenessFile {
  const { idle, toolCall, toolProgress } = livenessFileDefaults;
  const print = (ms: number | null | undefined) => (ms == null ? null : printDuration(ms));
  return {
    idle: print(liveness?.idleMs) ?? idle,
    toolCall: print(liveness?.toolCallMs) ?? toolCall,
    toolProgress: print(liveness?.toolProgressMs) ?? toolProgress,
  };
}
