/** Runs a program for one notice: argv without a shell, bounded in time and output. */
import { spawn } from 'node:child_process';
import { clipLine } from '../kernel/text.ts';

export interface Execution {
  readonly argv: readonly string[];
  readonly cwd: string;
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: string;
  readonly timeoutMs: number;
}
export interface Executed {
  readonly ok: boolean;
  /** `exit 0`, `exit 1: no such channel`, `not found`. */
  readonly detail: string;
}
/** Never rejects. */
export type Execute = (execution: Execution) => Promise<Executed>;

const saidMax = 4_096;
const restMs = 500;

export const execute: Execute = ({ argv, cwd, env, stdin, timeoutMs }) =>
  new Promise((resolve) => {
    const [program = '', ...args] = argv;
    // A group of its own: what the program started is ended with it.
    const child = spawn(program, args, { cwd, env, detached: true, stdio: 'pipe' });
    let said = '';
    const deadline = setTimeout(() => {
      endGroup(child.pid);
      resolve({ ok: false, detail: `took longer than ${Math.round(timeoutMs / 1000)} s` });
    }, timeoutMs);
    const settle = (executed: Executed): void => {
      clearTimeout(deadline);
      child.stderr.destroy();
      resolve(executed);
    };
    child.once('error', (error: NodeJS.ErrnoException) => {
      settle({ ok: false, detail: error.code === 'ENOENT' ? 'not found' : String(error.code) });
    });
    child.once('exit', (code, signal) => {
      const end = (): void => {
        const how = code === null ? `ended by ${signal}` : `exit ${code}`;
        const why = code === 0 || said === '' ? '' : `: ${clipLine(said, 150)}`;
        settle({ ok: code === 0, detail: how + why });
      };
      // What the program leaves running may hold its pipes: the rest is awaited for a moment only.
      const rest = setTimeout(end, restMs);
      child.once('close', () => {
        clearTimeout(rest);
        end();
      });
    });
    child.stdout.resume();
    child.stderr.on('data', (bytes: Buffer) => {
      if (said.length < saidMax) said += bytes.toString('utf8');
    });
    // A program that reads nothing is none of our business.
    child.stdin.on('error', () => undefined);
    child.stdin.end(stdin);
  });

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error: unknown) {
    // It ended in the same moment.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
