/** Only a human lifts a halt. */
import { type Mutant, unit } from './mutant.ts';

const may = 'src/domain/principal/may.test.ts';

export const principals: readonly Mutant[] = [
  {
    id: 'program-lifts-halt',
    file: 'src/domain/principal/may.ts',
    find: '  resume: humanOnly,',
    replace: '  resume: machinery,',
    why: 'automation would go on where a human is to decide',
    caughtBy: unit(may),
  },
  {
    id: 'said-human',
    file: 'src/domain/principal/may.ts',
    find: "return principal.kind === 'human' && !isProvenHuman(principal) ? 'automation' : principal.kind;",
    replace: 'return principal.kind;',
    why: 'a program that says it is human would be believed',
    caughtBy: unit(may),
  },
  {
    id: 'lane-at-terminal',
    file: 'src/domain/principal/may.ts',
    find: "if (channel === 'terminal') return ancestry === 'clean' || ancestry === 'unknown';",
    replace: "if (channel === 'terminal') return ancestry !== null;",
    why: 'an agent that opens a terminal would approve its own work',
    caughtBy: unit(may),
  },
  {
    id: 'runs-of-others-steered',
    file: 'src/domain/principal/may.ts',
    find: 'return subject?.startedBy === kind && subject.startedActor === principal.actor;',
    replace: 'return subject?.startedBy === kind;',
    why: 'one automation would cancel the runs of another',
    caughtBy: unit(may),
  },
  {
    id: 'decider-asks-nobody',
    file: 'src/domain/run/decide.ts',
    find: "if (may(principal, type, { subject, nestedAllowed: type === 'start' })) return null;",
    replace: 'if (subject !== undefined) return null;',
    why: 'a way round the edge of the engine would be a way round the table of principals',
    caughtBy: unit('src/domain/run/resume.test.ts', 'src/domain/run/steer.test.ts'),
  },
  {
    id: 'edge-asks-nobody',
    file: 'src/engine/edge.ts',
    find: 'if (may(principal, governed, circumstances) && speaksForItself(command)) return null;',
    replace: 'if (principal.kind !== null && speaksForItself(command)) return null;',
    why: 'commands of executions would be taken from anybody',
    caughtBy: unit('src/engine/edge.test.ts'),
  },
  {
    id: 'token-of-another-scope',
    file: 'src/http/callers.ts',
    find: 'const isHuman = token.scope.includes(verb);',
    replace: 'const isHuman = token.scope.length > 0;',
    why: 'a token for approvals would land work',
    caughtBy: unit('src/http/callers.test.ts'),
  },
  {
    id: 'fault-point-shipped',
    file: 'src/main/lane-host.ts',
    find: 'await laneHostProgram(import.meta.url);',
    replace:
      'await laneHostProgram(import.meta.url, { reached: () => process.kill(process.pid, 9) });',
    why: 'a shipped program could be killed at a named point',
    caughtBy: { project: 'tidy', files: ['test/tidy/package.test.ts'], title: '(RR-43)' },
  },
];
