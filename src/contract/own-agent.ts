/**
 * An agent of the file's own: its argv, with its own names of tokens made the fixed ones (SL-75).
 */
import type { RoleValue } from './definition.ts';
import type { DefinitionFile } from './definition-file.ts';

type OwnAgent = NonNullable<DefinitionFile['agents']>[string];

/** What a role of it is started by. One of the three is there: the schema says so. */
export function startOf(agent: OwnAgent): Pick<RoleValue, 'protocol'> & {
  readonly command: readonly string[];
} {
  const { command, acp, pty } = agent;
  if (acp !== undefined) return { command: canonical(agent, acp), protocol: 'acp' };
  if (pty !== undefined) return { command: canonical(agent, pty), protocol: 'pty' };
  return { command: canonical(agent, command ?? []) };
}

function canonical(agent: OwnAgent, argv: readonly string[]): readonly string[] {
  const names = [
    [agent.promptVar, '{prompt}'],
    [agent.cwdVar, '{cwd}'],
    [agent.outputVar, '{output}'],
  ] as const;
  return argv.map((word) =>
    names.reduce(
      (text, [own, fixed]) => (own === undefined ? text : text.replaceAll(own, fixed)),
      word,
    ),
  );
}
