/** The built program as a process of its own, with a folder for its state, and what it starts. */
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const binary = fileURLToPath(new URL('../../dist/pawl.cjs', import.meta.url));
const saidMax = 64 * 1024;

/** `mark` stands in the environment, arguments or folder of it and of all that it starts. */
export function program({ name, mark, args, env, cwd }) {
  let child = null;
  let said = '';
  const start = (more = []) => {
    child = spawn(process.execPath, [binary, ...args, ...more], { cwd, env });
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
