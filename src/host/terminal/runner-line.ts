/**
 * How a program is put into a pseudo terminal: by a program of ours, `terminal-runner.js`, that
 * stands inside the containment like any other. The module that opens terminals has a prebuilt
 * binary; where that cannot be loaded this driver cannot be had, and nothing else is touched.
 */
import { createRequire } from 'node:module';
import { RequestError } from '../../kernel/errors.ts';
import type { TerminalSize } from '../../ports/agent.ts';

/** @throws RequestError `terminal_missing`. */
export type TerminalRunner = (size: TerminalSize, argv: readonly string[]) => readonly string[];

export const terminalModule = '@lydell/node-pty';

/** `program`: the file of the runner. `load` is asked for the module before anything is spawned. */
export function terminalRunner(
  program: string,
  load: (name: string) => unknown = require,
): TerminalRunner {
  return ({ columns, rows }, argv) => {
    try {
      load(terminalModule);
    } catch (error: unknown) {
      throw missing(error instanceof Error ? error.message : String(error));
    }
    return [process.execPath, program, String(columns), String(rows), ...argv];
  };
}

/** Where nothing was said of terminals. */
export const noTerminals: TerminalRunner = () => {
  throw missing('this host was given no runner');
};

function missing(why: string): RequestError {
  const [line = ''] = why.split('\n');
  return new RequestError('terminal_missing', 'the driver pty cannot open a terminal here', {
    found: line.slice(0, 300),
    so: 'an agent that is given by pty: cannot be started; every other one can',
    next: 'npm install without --omit=optional   or  agents: { …: { command: […] } } in place of pty',
  });
}

function require(name: string): unknown {
  return createRequire(import.meta.url)(name);
}
