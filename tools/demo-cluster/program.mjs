/** The built program as a process of its own, with a folder for its state, and what it starts. */
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { spawn as onTerminal } from '@lydell/node-pty';

export const binary = fileURLToPath(new URL('../../dist/pawl.cjs', import.meta.url));
const saidMax = 1024 * 1024;

/** `mark` stands in the environment, arguments or folder of it and of all that it starts. */
export function program({ name, mark, args, env, cwd, built = binary }) {
  let child = null;
  let said = '';
  const start = (more = []) => {
    child = spawn(process.execPath, [built, ...args, ...more], { cwd, env });
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => {
        said = (said + text).slice(-saidMax);
      });
    }
  };
  const isAlive = () => child !== null && child.exitCode === null && child.signalCode === null;
  const processes = () => marked(mark);
  return {
    name,
    start,
    exit: () => child?.exitCode ?? null,
    isAlive,
    processes,
    said: () => said,
    signal,
    /** Settles when it is gone. */
    async kill() {
      const gone = new Promise((resolve) => child.once('exit', resolve));
      signal(processes(), 'SIGKILL');
      await gone;
    },
    async end() {
      signal(processes(), 'SIGCONT');
      if (isAlive()) {
        const ended = new Promise((resolve) => child.once('exit', resolve));
        child.kill('SIGTERM');
        const timer = setTimeout(() => child.kill('SIGKILL'), 15_000);
        await ended;
        clearTimeout(timer);
      }
      signal(processes(), 'SIGKILL');
    },
  };
}

export const plain = (home) => ({
  PATH: process.env.PATH,
  HOME: home,
  LANG: 'C.UTF-8',
  TZ: 'UTC',
});

/** Until it has said that. */
export async function seen(one, pattern) {
  const end = performance.now() + 60_000;
  for (;;) {
    const found = pattern.exec(one.said());
    if (found !== null) return found;
    if (!one.isAlive() || performance.now() > end) {
      throw new Error(`${one.name} never said ${pattern}:\n${one.said()}`);
    }
    await wait(50);
  }
}

/** As a human would type it; answers what stood on the screen. */
export function atTerminal(built, line, { cwd, env }) {
  const options = { cols: 200, rows: 40, cwd, env };
  const terminal = onTerminal(process.execPath, [built, ...line], options);
  let said = '';
  terminal.onData((text) => {
    said += text;
  });
  return new Promise((resolve) => {
    terminal.onExit(() => resolve(said));
  });
}

/** Living processes, each with its start time: a pid alone may be another's by now. */
function marked(text) {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const found = look(name);
      const isMarked = found?.places.some((place) => place.includes(text));
      if (!isMarked) return [];
      return [{ pid: Number(name), began: found.began, command: found.places[1] }];
    });
}

function signal(processes, what) {
  for (const { pid, began } of processes) {
    if (look(String(pid))?.began !== began) continue;
    unlessGone(() => process.kill(pid, what));
  }
}

function look(pid) {
  const stat = unlessGone(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  if (stat === null) return null;
  const places = [
    unlessGone(() => readFileSync(`/proc/${pid}/environ`, 'utf8')) ?? '',
    unlessGone(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8')) ?? '',
    unlessGone(() => readlinkSync(`/proc/${pid}/cwd`)) ?? '',
  ];
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields[0] === 'Z' ? null : { places, began: fields[19] };
}

function unlessGone(act) {
  try {
    return act();
  } catch (error) {
    if (['ENOENT', 'ESRCH', 'EACCES', 'EPERM'].includes(error.code)) return null;
    throw error;
  }
}
