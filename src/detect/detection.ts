import type { Detection } from '../ports/detection.ts';
import type { ProjectFiles } from '../ports/project-files.ts';
import { type AgentSurroundings, installedAgents, knownAgents, loginOf } from './agents.ts';
import { detectProject } from './project.ts';

export interface DetectionOptions extends AgentSurroundings {
  readonly files: ProjectFiles;
}

/** Looks when it is asked, each time anew. See {@link Detection}. */
export function detection(options: DetectionOptions): Detection {
  const { files, programs } = options;
  return {
    project: (place) => detectProject(files, place),
    agents: () => installedAgents(options),
    known: knownAgents,
    login: async (name) => {
      const agent = knownAgents.find((row) => row.name === name);
      return agent === undefined ? null : await loginOf(options, agent);
    },
    finds: async (program, path) => (await programs.find(program, path)) !== null,
    blocked: async (program, path) => (await programs.blocked?.(program, path)) ?? null,
    searched: programs.searched,
  };
}
