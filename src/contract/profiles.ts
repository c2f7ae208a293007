/** Which profile a role has: the one that it says, else the one of its domain, else the usual. */
import { RequestError } from '../kernel/errors.ts';
import { checkers, council, domainPairs, makers } from '../kernel/profiles.ts';
import type { DefinitionFile } from './definition-file.ts';
import type { Merged } from './merge.ts';

type Whose = 'execute' | 'verify';

const shipped: Readonly<Record<Whose, readonly string[]>> = {
  execute: makers.map(({ name }) => name),
  verify: checkers.map(({ name }) => name),
};

/** Picked by `domain`; null where it is said, or where there is no domain. */
export function profileOfDomain(file: DefinitionFile, whose: Whose): string | null {
  const { domain, roles } = file;
  if (domain === undefined || roles?.[whose]?.profile !== undefined) return null;
  return domainPairs[domain][whose];
}

/** `usual`: where neither role nor domain picks one. */
export function profileOf(file: DefinitionFile, whose: Whose, usual: string): string {
  return file.roles?.[whose]?.profile ?? profileOfDomain(file, whose) ?? usual;
}

/** A profile that does not fit its role is added to `problems`. */
export function checkProfile(
  merged: Merged,
  { whose, profile }: { readonly whose: Whose; readonly profile: string },
  problems: RequestError[],
): void {
  const allowed = shipped[whose];
  if (allowed.includes(profile)) return;
  const path = ['roles', whose, 'profile'];
  const where = merged.origin(path)?.where(path) ?? '';
  const said = { where, allowed: allowed.join(', ') };
  problems.push(
    profile === council
      ? new RequestError('council_in_run', 'a council takes no part in a run', {
          ...said,
          found: `roles.${whose}: council`,
          next: `roles.${whose}: { profile: ${allowed[0]} }`,
        })
      : new RequestError('bad_value', `"${profile}" is not a profile for roles.${whose}`, {
          ...said,
          found: profile,
          next: 'correct it, and try:  pawl config check',
        }),
  );
}
