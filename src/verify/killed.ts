/**
 * Whether somebody else ended a command: a machine that is short of memory, a person. Such an end
 * says nothing about the work, so it is run once more, and what that says counts (DESIGN §4.2). A
 * program that crashes (`SIGSEGV`, `SIGABRT`, …) has said what it has to say.
 */
import type { CommandRun } from './run-command.ts';

const fromOutside: ReadonlySet<string> = new Set(['SIGKILL', 'SIGTERM', 'SIGHUP', 'SIGINT']);

export const wasKilled = ({ ended, signal }: Pick<CommandRun, 'ended' | 'signal'>): boolean =>
  ended === 'exit' && signal !== null && fromOutside.has(signal);
