import type { DetectedCheck, Found } from '../ports/detection.ts';

/** What a folder says in which a manifest is not. */
export const nothing: Found = { packageManager: null, setup: null, checks: [], notes: [] };

export function check(kind: DetectedCheck['kind'], command: string, from: string): DetectedCheck {
  return { kind, command, from, instead: null };
}
