/**
 * Runs one program in a pseudo terminal and copies: what it paints to stdout, what comes on stdin
 * to it. It ends as its program ends, with the same exit or signal, once all of its last bytes are
 * written; when its stdin or its stdout is closed nobody is there any more, and it hangs up.
 */
import { constants as files, openSync } from 'node:fs';
import { createRequire } from 'node:module';
import { constants } from 'node:os';
import type { IPty, spawn } from '@lydell/node-pty';
import type { TerminalSize } from '../../ports/agent.ts';
import { copying } from './copying.ts';
import { terminalModule } from './runner-line.ts';

export interface TerminalProgram {
  readonly argv: readonly string[];
  readonly size: TerminalSize;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A program that was hung up on and stays is killed after this. */
const hangUpMsMax = 2_000;
/** Node's own stream for it would wait for the reader, and the terminal would not be read. */
const stdoutFd = 1;
const forwarded = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT'] as const;

export function runInTerminal({ argv, size, env }: TerminalProgram): void {
  const module = createRequire(import.meta.url)(terminalModule) as { readonly spawn: typeof spawn };
  const [program = '', ...args] = argv;
  const pty = module.spawn(program, args, {
    name: 'xterm-256color',
    cols: size.columns,
    rows: size.rows,
    cwd: process.cwd(),
    env: { ...env },
    encoding: null,
  });
  holdOpen(pty);
  const { stdin } = process;
  const hangUp = hangingUp(pty);
  const output = copying(stdoutFd, pty, hangUp);
  pty.onData((bytes) => output.push(Buffer.from(bytes)));
  stdin.setEncoding('utf8').on('data', (text: string) => pty.write(text));
  stdin.on('end', hangUp);
  stdin.on('error', hangUp);
  for (const signal of forwarded) process.on(signal, () => signalGroup(pty.pid, signal));
  pty.onExit(({ exitCode, signal }) => output.end(() => leave(exitCode, signal ?? 0)));
}

/**
 * With the last program gone the terminal would hang up, and what was not yet read of it is lost
 * then (seen: the last 10 kB of every second flood). So its other end is held open here; the module
 * ends the terminal by itself, some time after the program's exit.
 */
function holdOpen(pty: IPty): void {
  const name = 'ptsName' in pty ? pty.ptsName : undefined;
  if (typeof name === 'string') openSync(name, files.O_RDWR | files.O_NOCTTY);
}

/** As a terminal does whose line is gone; one that ignores it is killed. */
function hangingUp(pty: IPty): () => void {
  let isHungUp = false;
  return () => {
    if (isHungUp) return;
    isHungUp = true;
    signalGroup(pty.pid, 'SIGHUP');
    setTimeout(() => signalGroup(pty.pid, 'SIGKILL'), hangUpMsMax);
  };
}

/** It leads a session and a group of its own. */
function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch (error: unknown) {
    // It has ended meanwhile.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

/** By the same signal, where it was one: whoever waits for this program is told the truth. */
function leave(exit: number, signal: number): void {
  const name = Object.entries(constants.signals).find(([, number]) => number === signal)?.[0];
  if (name !== undefined) {
    for (const one of forwarded) process.removeAllListeners(one);
    process.kill(process.pid, name);
  }
  process.exit(signal === 0 ? exit : 128 + signal);
}
