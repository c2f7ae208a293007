/**
 * Any command as an agent: it gets the prompt as a file and on stdin, the attempt history as a
 * file, and may say how its turn ended in a result file. Its exit code alone proves nothing and its
 * prose is never read for meaning (L-E3): if its turn ended, the check decides.
 */
import type { Role } from '../../domain/definition/definition.ts';
import { RequestError } from '../../kernel/errors.ts';
import {
  type Adapter,
  type ProgramExit,
  saidNothing,
  type Talk,
  type TurnEnd,
} from '../../ports/agent.ts';
import { turnEnvironment } from '../turn-environment.ts';
import { parseResult } from './result.ts';
import { fillTemplate } from './template.ts';
import { templateValues } from './template-values.ts';

/** @throws RequestError `agent_missing` when the role names no command. */
export function commandAdapter(role: Role): Adapter {
  const template = role.command;
  if (template === null || template.length === 0) {
    throw new RequestError('agent_missing', `there is no command for the agent "${role.agent}"`);
  }
  return {
    name: 'command',
    version: '1',
    launch(setting) {
      const { dispatch } = setting;
      const argv = fillTemplate([...template, ...role.args], templateValues(setting, role.model));
      return { argv, env: turnEnvironment(setting), stdin: dispatch.prompt, talk: silent };
    },
  };
}

/** A command is not spoken with: it says what it has to say in its result file. */
export const silent: Talk = {
  isOpen: false,
  prompt: 'silent',
  begin: () => saidNothing,
  line: () => saidNothing,
  decide: () => saidNothing,
  cancel: () => saidNothing,
  end: commandEnd,
};

/** By its result file, else by its exit. */
export function commandEnd(exit: ProgramExit, resultFile: string | null): TurnEnd {
  if (resultFile !== null) return saidEnd(resultFile);
  if (exit.signal !== null) {
    return { outcome: 'lane_died', detail: `the agent was killed by ${exit.signal}`, usage: null };
  }
  const unstarted = exit.exit === null ? undefined : shellWords[exit.exit];
  if (unstarted === undefined) return { ...nothing, outcome: 'turn_ended' };
  const words = `the agent ended with exit ${exit.exit}: ${unstarted}`;
  return { ...nothing, outcome: 'turn_ended', unstarted: words };
}

/** What a shell says by its exit of a program that it did not start. */
const shellWords: Readonly<Record<number, string>> = {
  126: 'what it was to run is no program',
  127: 'what it was to run was not found',
};

/** What it said stands, however the process ended after that. */
function saidEnd(resultFile: string): TurnEnd {
  const parsed = parseResult(resultFile);
  if (!parsed.ok) return { ...nothing, outcome: 'invalid_result', text: parsed.error };
  const { outcome, text, until, usage } = parsed.value;
  const named = outcome === 'done' ? 'turn_ended' : outcome;
  return { outcome: named, text, until, usage, sessionId: null };
}

const nothing = { text: null, until: null, usage: null, sessionId: null } as const;
