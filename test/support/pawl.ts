/**
 * The built program for tests that start real processes: each test has a root directory with its
 * own state (`PAWL_HOME`) and its own home, so that tests neither meet nor see the machine's user;
 * and at its end nothing of that root may still run.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { endProcess, type FoundProcess, processesOf, until } from './processes.ts';

export const binary = fileURLToPath(new URL('../../dist/pawl.cjs', import.meta.url));

export interface Finished {
  readonly exit: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
  /** The last line of stdout that is a JSON object. @throws when there is none. */
  json(): Readonly<Record<string, unknown>>;
}

export interface StartOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Written to stdin, which is then closed; without it stdin is `/dev/null`. */
  readonly input?: string;
  readonly timeoutMs?: number;
}

export interface Started {
  readonly child: ChildProcess;
  /** Settles when the process has ended and its output is read. */
  readonly finished: Promise<Finished>;
  /** Settles when stdout and stderr so far match. @throws when the process ends first. */
  seen(pattern: RegExp, timeoutMs?: number): Promise<void>;
}

export interface Pawl {
  /** Everything of this test lies below it, and nothing else does. */
  readonly root: string;
  readonly home: string;
  /** The whole environment of its programs. */
  readonly env: Readonly<Record<string, string>>;
  /** Runs to its end. */
  run(args: readonly string[], options?: StartOptions): Promise<Finished>;
  start(args: readonly string[], options?: StartOptions): Started;
  /** The same on a terminal of its own (`script`), as a human would. */
  onTerminal(args: readonly string[], options?: StartOptions): Promise<Finished>;
  /** Every living process that belongs to this root. */
  processes(): readonly FoundProcess[];
  /**
   * Ends the drivers and check hosts, which may outlive a command, and removes the root.
   * @throws when anything else of the root was still alive: a lane, a check, a host.
   */
  close(): Promise<void>;
}

const outputCharactersMax = 32 * 1024 * 1024;
const timeoutMsUsual = 120_000;

export interface PawlOptions {
  readonly program?: string;
  /** What starts its programs, as `ip netns exec name` does. */
  readonly through?: readonly string[];
}

/**
 * `program` replaces the shipped binary, with its siblings beside it: the crash lane's has fault
 * points.
 */
export function pawl(options: PawlOptions = {}): Pawl {
  const { program = binary, through = [] } = options;
  const root = mkdtempSync(join(tmpdir(), 'pawl-test-'));
  const home = join(root, 'state');
  mkdirSync(join(root, 'user'));
  const env = { ...plainEnvironment(root), PAWL_HOME: home };
  const start = (args: readonly string[], options: StartOptions = {}) =>
    startProcess([...through, process.execPath, program, ...args], { cwd: root, ...options }, env);
  return {
    root,
    home,
    env,
    start,
    run: (args, options) => start(args, options).finished,
    onTerminal: (args, options = {}) => {
      const line = [process.execPath, program, ...args].map(quoted).join(' ');
      const argv = ['script', '--quiet', '--return', '--command', line, '/dev/null'];
      return startProcess(argv, { cwd: root, ...options }, env).finished;
    },
    processes: () => processesOf(root),
    close: () => close(root),
  };
}

/** What a login shell would have, and nothing of the machine on which the test happens to run. */
function plainEnvironment(root: string): Readonly<Record<string, string>> {
  const path = process.env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin';
  return {
    PATH: path,
    HOME: join(root, 'user'),
    LANG: 'C.UTF-8',
    TZ: 'UTC',
    TMPDIR: root,
    NO_COLOR: '1',
    GIT_CONFIG_NOSYSTEM: '1',
  };
}

function startProcess(
  argv: readonly string[],
  options: StartOptions,
  env: Readonly<Record<string, string>>,
): Started {
  const [command = '', ...args] = argv;
  const child = spawn(command, args, {
    cwd: options.cwd,
    env: { ...env, ...options.env },
    stdio: [options.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
  child.stdin?.end(options.input);
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      output[name] = (output[name] + text).slice(-outputCharactersMax);
    });
  }
  const finished = ended(child, output, options.timeoutMs ?? timeoutMsUsual);
  return {
    child,
    finished,
    seen: async (pattern, timeoutMs = timeoutMsUsual) => {
      const isSeen = () => pattern.test(output.stdout + output.stderr);
      await until(() => isSeen() || child.exitCode !== null, timeoutMs);
      if (!isSeen()) throw new Error(`never seen: ${pattern}\n${output.stdout}${output.stderr}`);
    },
  };
}

function ended(
  child: ChildProcess,
  output: { readonly stdout: string; readonly stderr: string },
  timeoutMs: number,
): Promise<Finished> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`no end after ${timeoutMs} ms\n${output.stdout}${output.stderr}`));
    }, timeoutMs);
    child.once('error', reject);
    child.once('close', (exit, signal) => {
      clearTimeout(timer);
      resolve({ exit, signal, ...output, json: () => lastObject(output.stdout) });
    });
  });
}

function lastObject(stdout: string): Readonly<Record<string, unknown>> {
  const line = stdout
    .split('\n')
    .findLast((candidate) => candidate.startsWith('{') && candidate.trimEnd().endsWith('}'));
  const whole = stdout.trim();
  return JSON.parse(whole.startsWith('{\n') ? whole : (line ?? whole));
}

/** Started on their own and meant to outlive the command that started them. */
const mayOutlive = /\/(?:driver|check-host)\.js/;

async function close(root: string): Promise<void> {
  // Who has said its last word may be leaving just now.
  await until(() => processesOf(root).every(({ command }) => mayOutlive.test(command)), 5_000);
  const left = processesOf(root);
  const standing = left.filter(({ command }) => mayOutlive.test(command));
  const orphans = left.filter(({ command }) => !mayOutlive.test(command));
  for (const found of [...standing, ...orphans]) await endProcess(found);
  await until(() => processesOf(root).length === 0, 10_000);
  rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  if (orphans.length > 0) {
    const lines = orphans.map(({ pid, command }) => `${pid} ${command}`).join('\n');
    throw new Error(`still running at the end of the test:\n${lines}`);
  }
}

const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;
