/**
 * The one place that runs the git binary: argv arrays, no shell, stdin closed, output bounded, a
 * deadline on each call, and an environment in which nothing of the caller's git leaks in
 * (`GIT_*` is removed) and nothing prompts, pages, signs, runs hooks or takes optional locks.
 */
import { spawn } from 'node:child_process';
import { statfsSync } from 'node:fs';
import { homedir } from 'node:os';
import type { CancelSignal } from '../kernel/cancel-signal.ts';
import { WorldError } from '../kernel/errors.ts';

export interface GitCall {
  readonly cwd: string;
  readonly input?: string | Uint8Array;
  readonly env?: Readonly<Record<string, string>>;
  readonly deadlineMs?: number;
  readonly outputBytesMax?: number;
  /** Cut at the bound instead of failing there. */
  readonly cut?: boolean;
  /** Exit statuses that are answers and not failures, besides 0. */
  readonly accept?: readonly number[];
  readonly signal?: CancelSignal;
}
export interface GitAnswer {
  readonly exit: number;
  readonly bytes: Buffer;
  readonly stderr: string;
  /** More was said than the bound allowed. */
  readonly isCut: boolean;
}

export interface Git {
  /**
   * @throws WorldError `git_failed` with git's words, `git_missing`, `disk_full`, `workspace_lost`
   * (no such folder).
   */
  run(args: readonly string[], call: GitCall): Promise<GitAnswer>;
  /** Standard output without the last line break. */
  text(args: readonly string[], call: GitCall): Promise<string>;
  /** Standard output split at NUL. */
  list(args: readonly string[], call: GitCall): Promise<readonly string[]>;
  /** Standard output, or null when git answers 1 or 128. */
  maybe(args: readonly string[], call: GitCall): Promise<string | null>;
}

const deadlineMsDefault = 120_000;
const outputBytesMaxDefault = 256 * 1024 * 1024;
const stderrBytesMax = 16 * 1024;

/** Kept off whatever the user's or the repository's configuration says. */
const settings = [
  'core.hooksPath=/dev/null',
  'core.quotePath=false',
  'core.fsmonitor=false',
  'core.splitIndex=false',
  'core.safecrlf=false',
  'core.pager=cat',
  'color.ui=false',
  'commit.gpgSign=false',
  'gc.auto=0',
  'maintenance.auto=false',
  'submodule.recurse=false',
  'fetch.recurseSubmodules=false',
  'i18n.commitEncoding=UTF-8',
  'rerere.enabled=false',
  'advice.detachedHead=false',
].flatMap((setting) => ['-c', setting]);

/** Neither the machine's nor the user's configuration, and no way to ask for a login. */
const isolation: Record<string, string> = {
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_ATTR_NOSYSTEM: '1',
  GIT_SSH_COMMAND: 'false',
};
const isolated = ['credential.helper=', 'core.askPass=', 'http.emptyAuth=false'].flatMap(
  (setting) => ['-c', setting],
);

/** Who signs commits that no human made. */
export const pawlIdentity = { name: 'pawl', email: 'pawl@localhost' } as const;

export function identityEnv(who: {
  readonly name: string;
  readonly email: string;
}): Record<string, string> {
  return {
    GIT_AUTHOR_NAME: who.name,
    GIT_AUTHOR_EMAIL: who.email,
    GIT_COMMITTER_NAME: who.name,
    GIT_COMMITTER_EMAIL: who.email,
  };
}

function cleaned(
  env: Readonly<Record<string, string | undefined>> | undefined,
): Record<string, string> {
  const from = env ?? { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: homedir() };
  const kept = Object.entries(from).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && !entry[0].startsWith('GIT_') && entry[0] !== 'SSH_ASKPASS',
  );
  return {
    ...Object.fromEntries(kept),
    LC_ALL: 'C',
    LANGUAGE: 'C',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: '',
    GIT_EDITOR: 'true',
    GIT_NO_REPLACE_OBJECTS: '1',
  };
}

/** Collects at most `max` bytes and counts on, so that a flood costs no memory. */
function collector(max: number): {
  add(chunk: Buffer): boolean;
  bytes(): Buffer;
  isCut(): boolean;
} {
  const chunks: Buffer[] = [];
  let size = 0;
  let cut = false;
  return {
    add(chunk) {
      const room = max - size;
      if (chunk.length > room) cut = true;
      if (room > 0) chunks.push(chunk.length > room ? chunk.subarray(0, room) : chunk);
      size += Math.min(chunk.length, Math.max(room, 0));
      return !cut;
    },
    bytes: () => Buffer.concat(chunks),
    isCut: () => cut,
  };
}

interface Ended {
  readonly exit: number | null;
  readonly why: 'exit' | 'deadline' | 'cancelled' | 'flood';
  readonly bytes: Buffer;
  readonly stderr: string;
  readonly isCut: boolean;
}

/** In a session of its own: no terminal to prompt on, and ending it ends its transports with it. */
function execute(argv: readonly string[], env: Record<string, string>, call: GitCall) {
  return new Promise<Ended>((resolve, reject) => {
    const child = spawn('git', argv, {
      cwd: call.cwd,
      env: { ...env, ...call.env },
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true,
    });
    const out = collector(call.outputBytesMax ?? outputBytesMaxDefault);
    const err = collector(stderrBytesMax);
    let why: Ended['why'] = 'exit';
    const end = (reason: Ended['why']) => {
      if (why === 'exit') why = reason;
      killGroup(child.pid);
    };
    const timer = setTimeout(() => end('deadline'), call.deadlineMs ?? deadlineMsDefault);
    const onAbort = () => end('cancelled');
    call.signal?.addEventListener('abort', onAbort, { once: true });
    if (call.signal?.aborted === true) onAbort();
    const settle = () => {
      clearTimeout(timer);
      call.signal?.removeEventListener('abort', onAbort);
    };
    child.stdout.on('data', (chunk: Buffer) => {
      if (!out.add(chunk)) end('flood');
    });
    child.stderr.on('data', (chunk: Buffer) => void err.add(chunk));
    // A git that ends before it has read its input closes the pipe; its exit status tells.
    child.stdin.on('error', () => undefined);
    child.stdin.end(call.input ?? '');
    child.on('error', (error) => {
      settle();
      reject(error);
    });
    child.on('close', (exit) => {
      settle();
      const stderr = err.bytes().toString('utf8').trim();
      resolve({ exit, why, bytes: out.bytes(), stderr, isCut: out.isCut() });
    });
  });
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error: unknown) {
    if (!hasCode(error, 'ESRCH')) throw error;
  }
}

/** Whether a thrown thing is a system error of this code. */
export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}

function spawnFailure(error: unknown, cwd: string, exists: boolean): WorldError {
  if (hasCode(error, 'ENOENT') && exists) {
    return new WorldError('git_missing', 'git is not on PATH', {}, error);
  }
  if (hasCode(error, 'ENOENT', 'ENOTDIR')) {
    return new WorldError('workspace_lost', `${cwd} is gone`, { where: cwd }, error);
  }
  return new WorldError('git_failed', `git could not be started in ${cwd}`, {}, error);
}

/** With less than this git writes nothing of use. */
const roomBytesMin = 1024 * 1024;

/** Whether space was what it lacked: it does not always say so (`couldn't write '….lock'`). */
export function isForSpace(stderr: string, cwd: string): boolean {
  if (/No space left on device|Disk quota exceeded/i.test(stderr)) return true;
  try {
    const { bavail, bsize } = statfsSync(cwd);
    return bavail * bsize < roomBytesMin;
  } catch {
    // No such folder, or no such call: then nobody can tell, and nothing is claimed.
    return false;
  }
}

function failure(args: readonly string[], call: GitCall, ended: Ended): WorldError {
  const command = `git ${args.slice(0, 2).join(' ')}`;
  const facts = { command: args.slice(0, 12), exit: ended.exit, cwd: call.cwd };
  const words = ended.stderr.length > 0 ? ended.stderr : `exit status ${ended.exit ?? 'none'}`;
  if (ended.why === 'exit' && isForSpace(ended.stderr, call.cwd)) {
    return new WorldError('disk_full', `no space left while ${command} ran`, {
      where: call.cwd,
      found: words,
      facts,
    });
  }
  const what = {
    exit: `${command} failed: ${words}`,
    deadline: `${command} did not end within ${(call.deadlineMs ?? deadlineMsDefault) / 1000} s`,
    cancelled: `${command} was cancelled`,
    flood: `${command} said more than ${call.outputBytesMax ?? outputBytesMaxDefault} bytes`,
  }[ended.why];
  return new WorldError('git_failed', what, { where: call.cwd, found: words, facts });
}

/** Names are no patterns; `check-ignore` alone refuses to be told so. */
const literal = ([command]: readonly string[]): readonly string[] =>
  command === 'check-ignore' ? [] : ['--literal-pathspecs'];

/** The runner over one inherited environment. */
export function gitRunner(options: {
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  readonly exists: (path: string) => Promise<boolean>;
  readonly isolated?: boolean;
}): Git {
  const own = cleaned(options.env);
  const env = options.isolated === true ? { ...own, ...isolation } : own;
  const more = options.isolated === true ? isolated : [];

  async function run(args: readonly string[], call: GitCall): Promise<GitAnswer> {
    const argv = ['--no-pager', ...literal(args), ...settings, ...more, ...args];
    let ended: Ended;
    try {
      ended = await execute(argv, env, call);
    } catch (error: unknown) {
      throw spawnFailure(error, call.cwd, await options.exists(call.cwd));
    }
    const isAnswer = ended.exit !== null && (call.accept ?? []).includes(ended.exit);
    const isWholeOrCut = ended.why === 'flood' && call.cut === true;
    if (isWholeOrCut) return { ...ended, exit: 0 };
    if (ended.why !== 'exit' || (ended.exit !== 0 && !isAnswer)) throw failure(args, call, ended);
    return { ...ended, exit: ended.exit ?? 0 };
  }

  const text: Git['text'] = async (args, call) =>
    (await run(args, call)).bytes.toString('utf8').replace(/\n$/, '');

  return {
    run,
    text,
    list: async (args, call) => splitNul((await run(args, call)).bytes),
    maybe: async (args, call) => {
      const answer = await run(args, { ...call, accept: [1, 128] });
      return answer.exit === 0 ? answer.bytes.toString('utf8').replace(/\n$/, '') : null;
    },
  };
}

/** Fields that each end with NUL. */
export function splitNul(bytes: Buffer): readonly string[] {
  const text = bytes.toString('utf8');
  if (text.length === 0) return [];
  return (text.endsWith('\0') ? text.slice(0, -1) : text).split('\0');
}
