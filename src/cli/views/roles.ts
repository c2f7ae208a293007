/** Who makes and who judges, each by its profile, and what picked them. Pure. */
import type { Definition, Role } from '../../ports/words.ts';

/** Null where it is what everybody gets: a fixer, and no agent that judges. */
export function rolesWords({ roles, domain }: Definition): string | null {
  const { execute, verify } = roles;
  if (domain === undefined && verify === null && execute.profile === 'fixer') return null;
  const judge = verify === null ? 'no agent judges' : `judged by ${roleWords(verify)}`;
  return `${roleWords(execute)}, ${judge}${domain === undefined ? '' : ` (domain: ${domain})`}`;
}

const roleWords = ({ profile, agent, model }: Role): string =>
  `${profile} on ${agent}${model === null ? '' : `:${model}`}`;

/** The same for programs. */
export function rolesJson({ roles, domain }: Definition) {
  const json = ({ profile, agent, model }: Role) => ({ profile, agent, model });
  const verify = roles.verify === null ? null : json(roles.verify);
  return { domain: domain ?? null, execute: json(roles.execute), verify };
}
