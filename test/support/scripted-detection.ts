/** A project and a machine as detection would tell them, written down by a test. */
import type { BaselineReport } from '../../src/cli/composition.ts';
import { knownAgents } from '../../src/detect/agents.ts';
import { detectProject } from '../../src/detect/project.ts';
import type { Detected, DetectedCheck, Detection, Login } from '../../src/ports/detection.ts';
import { memoryFiles } from './memory-files.ts';

export interface ScriptedMachine {
  readonly project?: Partial<Detected>;
  /** Installed agents: name, version, login. */
  readonly agents?: readonly (readonly [name: string, version: string | null, login: Login])[];
  /** Programs that are nowhere on PATH. */
  readonly missing?: readonly string[];
  /** What lies along one PATH; along each other one all does that is not missing. */
  readonly along?: { readonly path: string; readonly programs: readonly string[] };
  /** Where a program lies that may not be run; it is among the missing ones. */
  readonly blocked?: string;
  /** No agent said its version within this. */
  readonly notWithinMs?: number;
}

export const nothingTried: BaselineReport = {
  outcome: 'skipped',
  setup: 'none',
  summary: '',
  criteria: [],
  unrunnable: null,
  message: null,
};

/** `files` are detected for real; what `project` tells wins over them. */
export function scriptedDetection(
  machine: ScriptedMachine = {},
  files: Readonly<Record<string, string>> = {},
): Detection {
  const { notWithinMs } = machine;
  const late = notWithinMs === undefined ? {} : { notWithinMs };
  return {
    project: async (place) => ({
      ...(await detectProject(memoryFiles(files), place)),
      ...machine.project,
    }),
    agents: async () =>
      (machine.agents ?? []).flatMap(([name, version, login]) =>
        knownAgents
          .filter((agent) => agent.name === name)
          .map((agent) => ({ agent, version, login, ...late })),
      ),
    known: knownAgents,
    login: async (agent) => machine.agents?.find(([name]) => name === agent)?.[2] ?? null,
    finds: async (program, path) =>
      path !== undefined && path === machine.along?.path
        ? machine.along.programs.includes(program)
        : machine.missing?.includes(program) !== true,
    blocked: async () => machine.blocked ?? null,
    searched: ['/usr/local/bin', '/usr/bin'],
  };
}

/** The project of UX 1.2. */
export const dates: Partial<Detected> = {
  cwd: '',
  packageManager: { name: 'npm', from: 'package-lock.json' },
  setup: { command: 'npm ci', from: 'package-lock.json' },
  checks: [script('lint', 'npm run lint'), script('test', 'npm test')],
};

function script(name: 'lint' | 'test', command: string): DetectedCheck {
  return { kind: name, command, from: `package.json scripts.${name}`, instead: null };
}
