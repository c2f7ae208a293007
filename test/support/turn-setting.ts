/** A turn as a lane host would set it, written down by a test; all but what is named is usual. */
import type { Role } from '../../src/domain/definition/definition.ts';
import type { Job } from '../../src/domain/execution/state.ts';
import type { TurnSetting } from '../../src/ports/agent.ts';
import type { Dispatch } from '../../src/ports/plane.ts';

export interface SettingChange {
  readonly role?: Partial<Role>;
  readonly dispatch?: Partial<Dispatch>;
  readonly job?: Partial<Job>;
  readonly env?: Readonly<Record<string, string>>;
  readonly permissions?: TurnSetting['permissions'];
  readonly agentConfig?: TurnSetting['agentConfig'];
  readonly servers?: TurnSetting['servers'];
  readonly isRoot?: boolean;
  /** Name → file; absent: every program is there under `/bin`. */
  readonly programs?: Readonly<Record<string, string>>;
  /** Folder → names in it. */
  readonly folders?: Readonly<Record<string, readonly string[]>>;
  /** File → its end. */
  readonly files?: Readonly<Record<string, string>>;
  /** Files that are there. */
  readonly there?: readonly string[];
}

export function turnSetting(change: SettingChange = {}): TurnSetting {
  const job = { role: 'execute', attempt: 1, ...change.job };
  const { programs, there = [] } = change;
  const directory = '/spool/turn';
  return {
    role: {
      ...{ profile: 'fixer', agent: 'any', command: null, model: null, args: [] },
      ...change.role,
    },
    dispatch: {
      ...{ runName: 'fix-it', prompt: 'do it', sessionId: null, job },
      ...change.dispatch,
    } as unknown as Dispatch,
    files: {
      directory,
      prompt: `${directory}/prompt.md`,
      history: `${directory}/history.md`,
      result: `${directory}/result.json`,
      home: '/homes/run/execute',
    },
    tree: '/tree',
    env: change.env ?? {},
    permissions: change.permissions ?? 'workspace',
    agentConfig: change.agentConfig ?? 'clean',
    servers: change.servers ?? [],
    programs: {
      find: (name) => (programs === undefined ? `/bin/${name}` : (programs[name] ?? null)),
      has: (path) => there.includes(path),
      list: (folder) => change.folders?.[folder] ?? [],
      tail: (path) => change.files?.[path] ?? null,
      isRoot: change.isRoot ?? false,
    },
  };
}
