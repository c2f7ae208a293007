/** The name under which a run refers to the signed statement of its head (src/ports/heads.ts). */
const prefix = 'head/';

export const headName = (version: number): string => `${prefix}${version}`;

/** Null for the name of another kind of reference. */
export function versionOfHead(name: string): number | null {
  return name.startsWith(prefix) ? Number(name.slice(prefix.length)) : null;
}

/** Where a run rests: it parked, or it ended. */
export const restedRun = ['complete', 'cancelled', 'needs_operator'] as const;
