import { type ChildProcess, spawn } from 'node:child_process';

export interface Ended {
  readonly lines: readonly string[];
  readonly errors: string;
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface Child {
  readonly process: ChildProcess;
  readonly ended: Promise<Ended>;
  /** Resolves when it has said so many lines, or has ended. */
  said(lines: number): Promise<void>;
}

/** A process of its own; what it says is kept whole, for it is short. */
export function child(program: string, args: readonly string[]): Child {
  const started = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  let errors = '';
  started.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  started.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  const ended = new Promise<Ended>((resolve, reject) => {
    started.once('error', reject);
    started.once('close', (code, signal) => {
      resolve({ lines: output.split('\n').filter((line) => line !== ''), errors, code, signal });
    });
  });
  const said = (lines: number): Promise<void> =>
    new Promise((resolve) => {
      const look = () => {
        if (output.split('\n').length > lines) resolve();
      };
      started.stdout.on('data', look);
      started.once('close', () => resolve());
      look();
    });
  return { process: started, ended, said };
}
