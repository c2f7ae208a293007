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

/** The kind of criterion that a judge is there for; null: none needs one. */
export type JudgedKind = 'oracle' | 'observer' | null;

/**
 * Picked by `domain`; null where it is said, where there is no domain, and where the criterion
 * itself says who judges it: what is to be looked at needs eyes, whatever the work is about.
 */
export function profileOfDomain(
  file: DefinitionFile,
  whose: Whose,
  judged: JudgedKind,
): string | null {
  const { domain, roles } = file;
  if (domain === undefined || roles?.[whose]?.profile !== undefined) return null;
  if (whose === 'verify' && judged === 'observer') return null;
  return domainPairs[domain][whose];
}

/** Where nothing picks another, who makes is a fixer, and who judges is what the criterion asks. */
export function profileOf(file: DefinitionFile, whose: Whose, judged: JudgedKind): string {
  const usual = whose === 'execute' ? 'fixer' : (judged ?? 'oracle');
  return file.roles?.[whose]?.profile ?? profileOfDomain(file, whose, judged) ?? usual;
}

/** The first kind of these that an agent judges. */
export function judgedKind(kinds: readonly string[]): JudgedKind {
  return kinds.find((kind) => kind === 'oracle' || kind === 'observer') ?? null;
}

/** Of the long form of a file. */
export const judgedIn = ({ criteria = [] }: DefinitionFile): JudgedKind =>
  judgedKind(criteria.flatMap((criterion) => Object.keys(criterion)));

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
