/**
 * The command lines of the containment ladder (research/containment.md §7), pure. The agent stands
 * behind a gate: a shell that says it is ready and starts the agent only after a line came back, so
 * the record is in the spool before the agent runs, and a host that dies in between starts nothing.
 */
import type { ContainmentRecord } from '../../ports/processes.ts';

export type Rung = ContainmentRecord['rung'];

/**
 * Names of the tools that a rung is made of. They are looked up where pawl itself finds programs:
 * an agent's own PATH may lack them, or hold others of their names.
 */
export const toolNames = ['sh', 'setpriv', 'unshare', 'bwrap', 'perl'] as const;
export type ToolPaths = Readonly<Record<(typeof toolNames)[number], string>>;

/** Best first. */
export const ladder: readonly Rung[] = [
  'pidns-unshare',
  'pidns-bwrap',
  'cgroup',
  'guard',
  'marker',
  'none',
];

export const gateFd = 3;
export const controlFd = 4;

/**
 * In a pid namespace of `unshare` the shell stays as pid 1: the agent must never be that. It says
 * when the agent has ended: `unshare` ends with 1 where its pid 1 was killed (util-linux 2.38), as
 * it does where the agent did.
 */
export const endWord = 'ended';
const gateStays = `echo ready >&3; read -r go <&3 || exit 125; "$@" 3>&-; code=$?; echo ${endWord} >&3; exit $code`;
const gateLeaves = 'echo ready >&3; read -r go <&3 || exit 125; exec 3>&-; exec "$@"';

/** setpriv does not check whether the parent has died already; this does. */
const parentCheck = '[ "$PPID" = "$0" ] || exit 125; exec "$@"';
const enterCgroup = 'echo $$ > "$0/cgroup.procs" && exec "$@"';

export interface RungTools {
  readonly root: boolean;
  readonly hostPid: number;
  readonly setpriv: boolean;
  /** Path of guard.pl; null without Perl. */
  readonly guard: string | null;
  /** Directory of this tree's cgroup; null on other rungs. */
  readonly cgroup: string | null;
  readonly guardRecord: string | null;
  readonly execution: string;
  readonly bootId: string;
  readonly paths: ToolPaths;
}

/** The argv that runs `agent` behind the gate within the rung. */
export function rungLine(rung: Rung, tools: RungTools, agent: readonly string[]): string[] {
  const { sh } = tools.paths;
  const stays = [sh, '-c', gateStays, 'sh', ...agent];
  const leaves = [sh, '-c', gateLeaves, 'sh', ...agent];
  switch (rung) {
    case 'pidns-unshare':
      return unshareLine(tools, stays);
    case 'pidns-bwrap':
      return bwrapLine(tools, leaves);
    case 'cgroup': {
      const inner = tools.guard === null ? leaves : guardLine(tools, leaves);
      return [sh, '-c', enterCgroup, tools.cgroup ?? '', ...inner];
    }
    case 'guard':
      return guardLine(tools, leaves);
    case 'marker':
    case 'none':
      return dieWithParent(tools, leaves);
  }
}

export function unshareLine(tools: RungTools, inner: readonly string[]): string[] {
  const user = tools.root ? [] : ['--user', '--map-current-user'];
  const unshare = [tools.paths.unshare, ...user, '--pid', '--fork', '--kill-child', '--mount-proc'];
  return dieWithParent(tools, [...unshare, ...inner]);
}

export function bwrapLine(tools: RungTools, inner: readonly string[]): string[] {
  const options = ['--dev-bind', '/', '/', '--unshare-pid', '--proc', '/proc'];
  return [tools.paths.bwrap, ...options, '--die-with-parent', '--', ...inner];
}

function guardLine(tools: RungTools, inner: readonly string[]): string[] {
  const fds = [String(controlFd), String(gateFd)];
  const names = [tools.guardRecord ?? '', tools.execution, tools.bootId];
  // Should guard and host be killed together, at least the agent itself goes with its guard.
  const agent = tools.setpriv ? [tools.paths.setpriv, '--pdeathsig', 'KILL', ...inner] : inner;
  return [tools.paths.perl, tools.guard ?? '', ...fds, ...names, ...agent];
}

function dieWithParent(tools: RungTools, inner: readonly string[]): string[] {
  if (!tools.setpriv) return [...inner];
  const check = [tools.paths.sh, '-c', parentCheck, String(tools.hostPid)];
  return [tools.paths.setpriv, '--pdeathsig', 'KILL', ...check, ...inner];
}
