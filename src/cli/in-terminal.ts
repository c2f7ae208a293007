import { spawn } from 'node:child_process';
import { RequestError } from '../kernel/errors.ts';

/**
 * Runs a program of the user's on this terminal until it ends; its exit code, null for a signal.
 * @throws RequestError `program_missing` when it cannot be started.
 */
export function inTerminal(argv: readonly string[], cwd: string): Promise<number | null> {
  const [program = '', ...args] = argv;
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, stdio: 'inherit' });
    child.once('exit', resolve);
    child.once('error', (error) => {
      reject(new RequestError('program_missing', `${program} cannot be started`, {}, error));
    });
  });
}
