/** JavaScript package managers: by `packageManager`, else by lock file (UX 1.3). */
import { join, relative } from 'node:path';
import { type Folder, firstOf } from './folder.ts';

export type ManagerName = 'npm' | 'pnpm' | 'yarn' | 'bun';

interface Manager {
  readonly name: ManagerName;
  readonly locks: readonly string[];
  /** Installs exactly what the lock file says. */
  readonly locked: string;
  /** Without a lock file; nothing is written into the tree but the packages. */
  readonly unlocked: string;
  /** Runs a program of a package. */
  readonly exec: string;
}

export const managers: Readonly<Record<ManagerName, Manager>> = {
  npm: {
    name: 'npm',
    locks: ['package-lock.json', 'npm-shrinkwrap.json'],
    locked: 'npm ci',
    unlocked: 'npm install --no-package-lock',
    exec: 'npx',
  },
  pnpm: {
    name: 'pnpm',
    locks: ['pnpm-lock.yaml'],
    locked: 'pnpm install --frozen-lockfile',
    unlocked: 'pnpm install --no-lockfile',
    exec: 'pnpm exec',
  },
  yarn: {
    name: 'yarn',
    locks: ['yarn.lock'],
    locked: 'yarn install --immutable',
    unlocked: 'yarn install',
    exec: 'yarn',
  },
  bun: {
    name: 'bun',
    locks: ['bun.lock', 'bun.lockb'],
    locked: 'bun install --frozen-lockfile',
    unlocked: 'bun install --no-save',
    exec: 'bunx',
  },
};

export interface ChosenManager {
  readonly name: ManagerName;
  readonly from: string;
  readonly setup: string;
  /** Whether a lock file pins what is installed. */
  readonly isLocked: boolean;
  readonly notes: readonly string[];
}

/** `field` is `packageManager` of the manifest: `pnpm@9.1.0`. */
export async function chooseManager(
  folder: Folder,
  field: string | undefined,
): Promise<ChosenManager> {
  const locks = await locksUpward(folder);
  const named = namedManager(field);
  const [first, ...others] = locks;
  const lock =
    locks.find(({ manager }) => manager.name === named) ?? (named === null ? first : undefined);
  const manager = managers[named ?? first?.manager.name ?? 'npm'];
  const from = named === null ? (lock?.shown ?? 'package.json') : 'package.json packageManager';
  return {
    name: manager.name,
    from,
    setup: await setupOf(folder, manager, lock ?? null, field),
    isLocked: lock !== undefined,
    notes:
      named === null && others.length > 0
        ? [`several lock files: ${locks.map(({ shown }) => shown).join(', ')}; ${from} was taken`]
        : [],
  };
}

interface Lock {
  readonly manager: Manager;
  readonly folder: string;
  readonly name: string;
  /** Relative to the folder of the manifest. */
  readonly shown: string;
}

/** Lock files of the nearest folder that has one: a workspace keeps its own at its root. */
async function locksUpward(folder: Folder): Promise<readonly Lock[]> {
  for (const path of folder.upward) {
    const names = path === folder.path ? folder.names : new Set(await folder.files.names(path));
    const found = Object.values(managers).flatMap((manager) => {
      const name = firstOf({ ...folder, names }, manager.locks);
      if (name === null) return [];
      return [{ manager, folder: path, name, shown: relative(folder.path, join(path, name)) }];
    });
    if (found.length > 0) return found;
  }
  return [];
}

function namedManager(field: string | undefined): ManagerName | null {
  const name = field?.split('@')[0] ?? '';
  return Object.hasOwn(managers, name) ? (name as ManagerName) : null;
}

async function setupOf(
  folder: Folder,
  manager: Manager,
  lock: Lock | null,
  field: string | undefined,
): Promise<string> {
  if (lock === null) return manager.unlocked;
  if (manager.name === 'yarn' && (await isClassicYarn(folder, lock, field))) {
    return 'yarn install --frozen-lockfile';
  }
  // The others look for the root of the workspace themselves.
  const away = relative(folder.path, lock.folder);
  return manager.name === 'npm' && away !== '' ? `npm --prefix ${away} ci` : manager.locked;
}

/** Yarn 1 has no `--immutable`; its lock file says so in its first lines. */
async function isClassicYarn(
  folder: Folder,
  lock: Lock,
  field: string | undefined,
): Promise<boolean> {
  if (field !== undefined) return /^yarn@1\b/.test(field);
  const text = await folder.files.read(join(lock.folder, lock.name));
  return text?.slice(0, 200).includes('yarn lockfile v1') === true;
}
