/**
 * Which rungs of the ladder this machine offers to this user: tried with `true` in the agent's
 * place, once per boot and user, and kept in the state directory.
 */
import { execFile } from 'node:child_process';
import { accessSync, constants, readFileSync } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bootId } from '../identity.ts';
import { hasProc } from '../process-table.ts';
import { findProgram } from './program-lookup.ts';
import {
  bwrapLine,
  ladder,
  type Rung,
  type RungTools,
  type ToolPaths,
  toolNames,
  unshareLine,
} from './rung-lines.ts';

export interface Offer {
  /** Best first; `none` is always the last. */
  readonly rungs: readonly Rung[];
  readonly setpriv: boolean;
  /** Perl with prctl works, so the guard can also stand inside a cgroup. */
  readonly guard: boolean;
  /** Directory below which trees get their cgroups; null where there is none. */
  readonly cgroups: string | null;
  readonly paths: ToolPaths;
}

/** Where systems keep such tools, after pawl's own PATH. */
const standardPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
/** A probe is quick or it fails; a hanging tool counts as missing. */
const probeMsMax = 5_000;
const cacheVersion = 2;

/** `path`: where pawl itself looks for programs. */
export async function probeLadder(
  stateDirectory: string,
  guardPath: string,
  path = '',
): Promise<Offer> {
  const file = join(stateDirectory, 'containment.json');
  const key = `${cacheVersion}:${bootId()}:${ownUid()}`;
  const cached = readCache(file, key);
  if (cached !== null) return cached;
  const offer = await probe(guardPath, toolPaths(path));
  const temporary = `${file}.${process.pid}.tmp`;
  await mkdir(stateDirectory, { recursive: true, mode: 0o700 });
  await writeFile(temporary, JSON.stringify({ key, offer }), { mode: 0o600 });
  await rename(temporary, file);
  return offer;
}

export function ownUid(): number {
  return process.getuid?.() ?? -1;
}

/** A tool that is nowhere keeps its bare name: then its probe fails. */
function toolPaths(path: string): ToolPaths {
  const where = (name: string) => findProgram(name, '/', `${path}:${standardPath}`) ?? name;
  const found = toolNames.map((name) => [name, where(name)] as const);
  return Object.fromEntries(found) as ToolPaths;
}

async function probe(guardPath: string, paths: ToolPaths): Promise<Offer> {
  if (!hasProc) return { rungs: ['none'], setpriv: false, guard: false, cgroups: null, paths };
  const setpriv = await succeeds([paths.setpriv, '--pdeathsig', 'KILL', 'true']);
  const tools = toolsFor(setpriv, paths);
  const inner = [paths.sh, '-c', '"$@"; exit $?', 'sh', 'true'];
  const cgroups = await probeCgroups(paths.sh);
  const works: Readonly<Record<Rung, boolean>> = {
    'pidns-unshare': await succeeds(unshareLine(tools, inner)),
    'pidns-bwrap': await succeeds(bwrapLine(tools, ['true'])),
    cgroup: cgroups !== null,
    guard: await succeeds([paths.perl, guardPath, '4', '3', 'probe']),
    marker: true,
    none: true,
  };
  return {
    rungs: ladder.filter((rung) => works[rung]),
    setpriv,
    guard: works.guard,
    cgroups,
    paths,
  };
}

function toolsFor(setpriv: boolean, paths: ToolPaths): RungTools {
  return {
    root: ownUid() === 0,
    hostPid: process.pid,
    setpriv,
    guard: null,
    cgroup: null,
    guardRecord: null,
    execution: 'probe',
    bootId: bootId(),
    paths,
  };
}

/**
 * Raw cgroup v2 with `cgroup.kill` (Linux 5.14), which needs root or a writable common ancestor.
 */
async function probeCgroups(sh: string): Promise<string | null> {
  const mounts = readFileSync('/proc/self/mountinfo', 'utf8').split('\n');
  const mount = mounts.find((line) => / - cgroup2 /.test(line))?.split(' ')[4];
  if (mount === undefined || ownUid() !== 0) return null;
  try {
    accessSync(mount, constants.W_OK);
    accessSync(join(mount, 'cgroup.procs'), constants.W_OK);
  } catch {
    // Read-only, as in most containers: the rung is not offered.
    return null;
  }
  const trial = join(mount, `pawl-probe-${process.pid}`);
  const script =
    'mkdir "$0" && sh -c \'echo $$ > "$0/cgroup.procs"\' "$0"; test -e "$0/cgroup.kill" && rmdir "$0"';
  return (await succeeds([sh, '-c', script, trial])) ? mount : null;
}

function succeeds(argv: readonly string[]): Promise<boolean> {
  return new Promise((resolve) => {
    const [program = '', ...args] = argv;
    // Not `spawn`, which keeps its timer, and the process with it, when there is no such program.
    execFile(program, args, { timeout: probeMsMax }, (error) => resolve(error === null));
  });
}

function readCache(path: string, key: string): Offer | null {
  try {
    const value = JSON.parse(readFileSync(path, 'utf8')) as { key?: unknown; offer?: Offer };
    return value.key === key && value.offer !== undefined ? value.offer : null;
  } catch {
    // Absent or half-written by an older version: probing again is always right.
    return null;
  }
}
