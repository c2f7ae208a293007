/**
 * What this machine is like, as far as runs depend on it (UX 5.4): node, git, the disk of the
 * store, what keeps the machine awake, who may read the store. Reads only; a fix is offered, never
 * taken.
 */
import { execFile } from 'node:child_process';
import { chmod, stat, statfs } from 'node:fs/promises';
import type { HealthCheck } from '../ports/health.ts';
import type { WakeLock } from '../ports/wake-lock.ts';
import type { ExecutionId } from '../ports/words.ts';
import { markedByAny } from './containment/machine-scan.ts';
import { hasProc } from './process-table.ts';

export interface MachineFacts {
  /** `v22.13.1`. */
  readonly nodeVersion: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly wakeLock: WakeLock;
  /** `$PAWL_HOME`. */
  readonly home: string;
}

const nodeMin = [20, 19] as const;
const gitMin = [2, 34] as const;
const gigabyte = 1024 ** 3;
const freeWarn = 2 * gigabyte;
const freeFail = gigabyte / 4;
const gitMs = 10_000;

export async function machineChecks(facts: MachineFacts): Promise<readonly HealthCheck[]> {
  return [
    nodeCheck(facts.nodeVersion),
    gitCheck(await gitVersion(facts.env)),
    await diskCheck(facts.home),
    await awakeCheck(facts.wakeLock),
  ];
}

export function nodeCheck(version: string): HealthCheck {
  const isNew = reaches(version, nodeMin);
  return {
    id: 'machine.node',
    state: isNew ? 'ok' : 'fail',
    detail: `node ${version.replace(/^v/, '')}`,
    next: isNew ? null : `install node ${nodeMin.join('.')} or newer`,
  };
}

/** `said` is what `git --version` printed, or why it printed nothing. */
export function gitCheck(said: string | { readonly why: string }): HealthCheck {
  const next = `install git ${gitMin.join('.')} or newer`;
  if (typeof said !== 'string') return { id: 'machine.git', state: 'fail', detail: said.why, next };
  const version = /\d+\.\d+(?:\.\d+)?/.exec(said)?.[0] ?? null;
  if (version === null) {
    return { id: 'machine.git', state: 'fail', detail: 'git tells no version', next };
  }
  const isNew = reaches(version, gitMin);
  const state = isNew ? 'ok' : 'fail';
  return { id: 'machine.git', state, detail: `git ${version}`, next: isNew ? null : next };
}

export function freeCheck(bytes: number): HealthCheck {
  const gigabytes = bytes / gigabyte;
  const state = bytes < freeFail ? 'fail' : bytes < freeWarn ? 'warn' : 'ok';
  return {
    id: 'machine.disk',
    state,
    detail: `disk ${gigabytes < 10 ? gigabytes.toFixed(1) : Math.round(gigabytes)} GB free`,
    next: state === 'ok' ? null : 'pawl prune',
  };
}

async function diskCheck(home: string): Promise<HealthCheck> {
  try {
    const { bavail, bsize } = await statfs(home);
    return freeCheck(bavail * bsize);
  } catch (error: unknown) {
    return { id: 'machine.disk', state: 'unknown', detail: `disk: ${codeOf(error)}`, next: null };
  }
}

/** Tried, since an inhibitor that is there may still be refused. */
async function awakeCheck(lock: WakeLock): Promise<HealthCheck> {
  const id = 'machine.awake';
  const held = await lock.hold('pawl doctor tries it');
  if (held.held) {
    await held.release();
    return {
      id,
      state: 'ok',
      detail: `kept awake by ${held.by} while runs are active`,
      next: null,
    };
  }
  const next = 'turn automatic sleep off while runs are active';
  return { id, state: 'warn', detail: `not kept awake: ${held.why}`, next };
}

/** Only its owner may look into it. */
export async function privacyCheck(home: string): Promise<HealthCheck> {
  const id = 'store.private';
  try {
    const { mode } = await stat(home);
    const shown = (mode & 0o777).toString(8).padStart(4, '0');
    if ((mode & 0o077) === 0) return { id, state: 'ok', detail: `private (${shown})`, next: null };
    const fix = { says: `chmod 700 ${home}`, run: () => chmod(home, 0o700) };
    return { id, state: 'fail', detail: `others may read it (${shown})`, next: fix.says, fix };
  } catch (error: unknown) {
    return { id, state: 'unknown', detail: `${home}: ${codeOf(error)}`, next: null };
  }
}

/** Null where no platform tells the environment of a process. */
export function markedProcesses():
  | readonly { readonly pid: number; readonly execution: ExecutionId }[]
  | null {
  if (!hasProc) return null;
  return markedByAny().map(({ pid, execution }) => ({ pid, execution: execution as ExecutionId }));
}

function reaches(version: string, [major, minor]: readonly [number, number]): boolean {
  const [, first, second] = /(\d+)\.(\d+)/.exec(version) ?? [];
  const given = [Number(first), Number(second)] as const;
  return given[0] > major || (given[0] === major && given[1] >= minor);
}

function gitVersion(env: MachineFacts['env']): Promise<Parameters<typeof gitCheck>[0]> {
  const options = { env: { ...env }, timeout: gitMs, killSignal: 'SIGKILL' } as const;
  return new Promise((resolve) => {
    execFile('git', ['--version'], options, (error, stdout, stderr) => {
      if (error === null) return resolve(stdout);
      if (error.code === 'ENOENT') return resolve({ why: 'no git' });
      const how =
        error.killed === true ? `no answer within ${gitMs / 1000}s` : `exit ${error.code}`;
      const [said = ''] = stderr.trim().split('\n');
      return resolve({ why: `git --version: ${how}${said === '' ? '' : `: ${said}`}` });
    });
  });
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : 'cannot be asked';
