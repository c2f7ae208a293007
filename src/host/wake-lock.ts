/**
 * The {@link WakeLock} of this machine: a program of the system that holds it awake for as long as
 * it runs. It is tied to us: `cat` ends when our end of its pipe goes, `caffeinate -w` watches our
 * pid; so a driver that is killed leaves no machine awake.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import type { Held, WakeLock } from '../ports/wake-lock.ts';

export interface WakeLockOptions {
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** An inhibitor that is refused ends at once; one that lives this long is believed. */
  readonly provenMs?: number;
}

export function systemWakeLock(options: WakeLockOptions): WakeLock {
  const { provenMs = 1_000 } = options;
  return {
    hold: async (why) => {
      const argv = inhibitor(options.platform, why, process.pid);
      return argv === null
        ? { held: false, why: `not available on ${options.platform}` }
        : await hold(argv, options.env, provenMs);
    },
  };
}

/** Pure: the argv that holds the machine awake; null where there is none. */
export function inhibitor(
  platform: NodeJS.Platform,
  why: string,
  pid: number,
): readonly [string, ...string[]] | null {
  if (platform === 'darwin') return ['caffeinate', '-i', '-w', `${pid}`];
  if (platform !== 'linux') return null;
  const what = ['--what=idle:sleep', '--who=pawl', `--why=${why}`, '--mode=block'];
  return ['systemd-inhibit', ...what, 'cat'];
}

function hold(
  [program, ...args]: readonly [string, ...string[]],
  env: WakeLockOptions['env'],
  provenMs: number,
): Promise<Held> {
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      env: { ...env },
      stdio: ['pipe', 'ignore', 'pipe'],
    });
    let said = '';
    child.stderr.on('data', (bytes: Buffer) => {
      if (said.length < 1_000) said += bytes.toString('utf8');
    });
    child.stdin.on('error', () => undefined);
    const refused = (why: string): void => {
      clearTimeout(proven);
      resolve({ held: false, why });
    };
    const proven = setTimeout(() => {
      child.unref();
      resolve({ held: true, by: program, release: () => release(child) });
    }, provenMs);
    child.once('error', () => refused(`there is no ${program}`));
    child.once('close', (code) => refused(`${program} exit ${code}: ${said.trim()}`.slice(0, 200)));
  });
}

/** Its input ends, and it with it; what does not end of itself is ended. */
async function release(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  await new Promise<void>((resolve) => {
    const forced = setTimeout(() => child.kill('SIGKILL'), 1_000);
    child.once('exit', () => {
      clearTimeout(forced);
      resolve();
    });
    child.stdin?.end();
    child.kill('SIGTERM');
  });
}
