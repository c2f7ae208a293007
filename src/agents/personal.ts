/**
 * What a user has for an agent beside its login: servers of tools, hooks, skills. Where the
 * definition says `agentConfig: clean` an adapter keeps it out of the turn. Looks, reads nothing
 * but skills, and changes nothing.
 */
import { join } from 'node:path';
import type { TurnSetting } from '../ports/agent.ts';

export const isClean = ({ agentConfig }: Pick<TurnSetting, 'agentConfig'>): boolean =>
  agentConfig === 'clean';

export interface PersonalSkill {
  readonly file: string;
  /** Of its folder, and the one that it gives itself where that is another. */
  readonly names: readonly string[];
}

/** Its name stands at its head, so that all of it is read. */
const skillBytesMax = 1024 * 1024;

/** Of the folders in which the agent looks for skills of its user. */
export function personalSkills(
  { programs }: Pick<TurnSetting, 'programs'>,
  folders: readonly string[],
): readonly PersonalSkill[] {
  return folders.flatMap((folder) =>
    programs.list(folder).flatMap((name) => {
      const file = join(folder, name, 'SKILL.md');
      const text = programs.has(file) ? programs.tail(file, skillBytesMax) : null;
      if (text === null) return [];
      const own = /^name:[ \t]*(['"]?)(\S.*?)\1[ \t]*\r?$/m.exec(text)?.[2] ?? name;
      return [{ file, names: [...new Set([name, own])] }];
    }),
  );
}
