/**
 * What the ancestors of this process tell about who typed the command (DESIGN §11a, UX 0.4). Every
 * living ancestor is looked at by its parent's pid, so a session of its own, a pseudo-terminal or a
 * cleaned environment in between hides nothing. A chain that was cut (the middle process exited)
 * ends at pid 1 and cannot be told from a multiplexer that a human started: that is `unknown`, and
 * said.
 */
import { readFileSync } from 'node:fs';
import { isatty } from 'node:tty';
import { agentOf } from './known-agents.ts';
import { environOf, hasProc, statOf } from './process-table.ts';

export const executionMarker = 'PAWL_EXECUTION';

/** A chain is never this long; a loop in what /proc says must not hang us. */
const ancestorsMax = 1_000;

/**
 * Programs of the system that give a human a terminal; they run as root and their parent is pid 1.
 */
const loginPrograms = new Set([
  'agetty',
  'dropbear',
  'getty',
  'gdm-session-wor',
  'gdm3',
  'lightdm',
  'login',
  'sddm',
  'sddm-helper',
  'sshd',
  'sshd-auth',
  'sshd-session',
  'xrdp-sesman',
]);

export interface Ancestry {
  readonly ancestry: 'clean' | 'unknown' | 'lane' | 'agent';
  /** The execution or the agent that was found; null when none was. */
  readonly foundName: string | null;
  readonly foundVariable: string | null;
  readonly stdinIsTerminal: boolean;
  readonly stdoutIsTerminal: boolean;
}

export interface Ancestor {
  readonly pid: number;
  readonly parent: number;
  readonly name: string;
  /** Null when it may not be read. */
  readonly environ: string | null;
}

export function ancestry(env: Readonly<Record<string, string | undefined>>): Ancestry {
  const own = Object.keys(env).map((name) => `${name}=${env[name] ?? ''}`);
  return {
    ...judgeAncestors(own.join('\0'), hasProc ? ancestorsOf(process.pid) : null),
    stdinIsTerminal: isatty(0),
    stdoutIsTerminal: isatty(1),
  };
}

/** Pure. `ancestors` goes from the parent outwards; null where the platform does not tell them. */
export function judgeAncestors(
  own: string,
  ancestors: readonly Ancestor[] | null,
): Pick<Ancestry, 'ancestry' | 'foundName' | 'foundVariable'> {
  for (const environ of [own, ...(ancestors ?? []).map((ancestor) => ancestor.environ)]) {
    const found = environ === null ? null : markIn(environ);
    if (found !== null) return found;
  }
  const nothing = { foundName: null, foundVariable: null };
  const known = ancestors !== null && reachesLogin(ancestors);
  return { ancestry: known ? 'clean' : 'unknown', ...nothing };
}

function markIn(environ: string) {
  for (const entry of environ.split('\0')) {
    const [variable = '', value = ''] = splitOnce(entry);
    if (value === '') continue;
    if (variable === executionMarker) {
      return { ancestry: 'lane', foundName: value.slice(0, 100), foundVariable: variable } as const;
    }
    const agent = agentOf(variable);
    if (agent !== null) {
      return { ancestry: 'agent', foundName: agent, foundVariable: variable } as const;
    }
  }
  return null;
}

/**
 * Walks outwards until a program that gives terminals to humans, or the outermost process of a
 * container (parent 0: an orphan is never given that one). What lies before must be readable.
 */
function reachesLogin(ancestors: readonly Ancestor[]): boolean {
  for (const ancestor of ancestors) {
    if (loginPrograms.has(ancestor.name)) return true;
    if (ancestor.environ === null) return false;
    if (ancestor.parent === 0 && ancestor.pid !== 1) return true;
  }
  return false;
}

function ancestorsOf(pid: number): readonly Ancestor[] {
  const found: Ancestor[] = [];
  let next = statOf(pid)?.parent ?? 0;
  while (next !== 0 && found.length < ancestorsMax) {
    const stat = statOf(next);
    if (stat === null) break;
    found.push({
      pid: next,
      parent: stat.parent,
      name: nameOf(next),
      environ: environOf(next),
    });
    next = stat.parent;
  }
  return found;
}

function nameOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim();
  } catch {
    // It ended while we looked; a nameless ancestor proves nothing.
    return '';
  }
}

function splitOnce(entry: string): readonly [string, string] {
  const at = entry.indexOf('=');
  return at < 0 ? [entry, ''] : [entry.slice(0, at), entry.slice(at + 1)];
}
