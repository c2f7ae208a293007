/**
 * The processes of the bench: each is a program of one system, asked by messages. A process that
 * does not answer in time, or leaves, fails the bench; all are ended by their pids.
 */
import { fork } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const program = join(dirname(fileURLToPath(import.meta.url)), 'program.mjs');
const saidMax = 4_000;
const answerMs = 60_000;
const leaveMs = 5_000;

/**
 * Starts one; resolves when it is open. `ask(verb, with)` answers what its verb answers; `heard`
 * gets what it tells without being asked.
 */
export async function start(system, options, heard = () => {}) {
  const child = fork(program, [system, JSON.stringify(options)], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: { ...process.env, DO_NOT_TRACK: '1' },
    execArgv: ['--no-warnings'],
  });
  const gone = new Promise((resolve) => child.once('exit', resolve));
  living.add(child);
  void gone.then(() => living.delete(child));
  const ask = asking(child, system, heard);
  const one = {
    pid: child.pid,
    ask,
    kill: async () => {
      child.kill('SIGKILL');
      await gone;
    },
    close: async () => {
      const cut = setTimeout(() => child.kill('SIGKILL'), leaveMs);
      if (child.connected) child.disconnect();
      await gone;
      clearTimeout(cut);
    },
  };
  try {
    one.opened = await ask('open');
  } catch (error) {
    await one.kill();
    throw error;
  }
  return one;
}

const living = new Set();
process.once('exit', () => {
  for (const child of living) child.kill('SIGKILL');
});

/** Messages there, answers back; what is not answered when it leaves fails with its last words. */
function asking(child, system, heard) {
  const waiting = new Map();
  let said = '';
  let asked = 0;
  const keep = (text) => {
    said = `${said}${text}`.slice(-saidMax);
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  child.on('message', ({ id, value, error, told }) => {
    if (told !== undefined) return heard(told);
    return waiting.get(id)?.(error === undefined ? null : new Error(`${system}: ${error}`), value);
  });
  child.once('exit', () => {
    for (const settle of waiting.values()) settle(new Error(`${system} left: ${said}`));
  });
  return (verb, given = {}, ms = answerMs) =>
    new Promise((resolve, reject) => {
      asked += 1;
      const id = asked;
      const late = setTimeout(() => settle(new Error(`${system} ${verb}: late; ${said}`)), ms);
      const settle = (error, value) => {
        clearTimeout(late);
        waiting.delete(id);
        if (error === null) resolve(value);
        else reject(error);
      };
      waiting.set(id, settle);
      if (child.connected) child.send({ id, verb, given });
      else settle(new Error(`${system} is gone: ${said}`));
    });
}
