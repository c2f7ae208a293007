/** The only reader of `process.env`: where things lie, and what a process of ours is given. */
import { existsSync, realpathSync } from 'node:fs';
import { homedir, tmpdir, userInfo } from 'node:os';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { RequestError } from '../kernel/errors.ts';
import { version } from './version.ts';

export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** `$PAWL_HOME`, absolute: store, artifacts, spools, trees, keys of all projects of a user. */
  readonly home: string;
  /** `postgres://…` in place of the file in `home` (`PAWL_DATABASE`); null: the file. */
  readonly database: string | null;
  readonly userConfigPath: string;
  readonly userHome: string;
  readonly temporary: string;
  readonly login: string;
  readonly version: string;
  /** Folder of the built programs (`driver.js`, `lane-host.js`, `check-host.js`). */
  readonly programs: string;
  /** `examples/mutation-agent` of the installed package. */
  readonly examples: string;
  /** How commands are printed: `pawl`, or `npx pawl` when it runs from a clone. */
  readonly called: string;
}

/** `entry` is the file of the program that runs, a path or a URL: the others lie beside it. */
export function surroundings(entry: string): Surroundings {
  const env = process.env;
  const file = entry.startsWith('file:') ? fileURLToPath(entry) : entry;
  const programs = dirname(realpathSync(file));
  return {
    env,
    home: absolute('PAWL_HOME', named(env['PAWL_HOME']) ?? join(stateHome(env), 'pawl')),
    database: named(env['PAWL_DATABASE']) ?? null,
    userConfigPath: join(configHome(env), 'pawl', 'config.yaml'),
    userHome: homedir(),
    temporary: tmpdir(),
    login: loginName(),
    version,
    programs,
    examples: join(dirname(programs), 'examples', 'mutation-agent'),
    called: calledBy(programs, env),
  };
}

/** Another store than the environment says; programs that are started find the same one. */
export function withDatabase(around: Surroundings, database: string | null): Surroundings {
  if (database === null) return around;
  return { ...around, database, env: { ...around.env, PAWL_DATABASE: database } };
}

/**
 * `npx pawl` finds a clone's program in the clone alone; elsewhere npx would fetch a stranger's. So
 * it is printed only for who started it without its own name on the PATH.
 */
function calledBy(programs: string, env: Env): Surroundings['called'] {
  const isClone = existsSync(join(dirname(programs), 'src', 'main'));
  const isByName = basename(process.argv[1] ?? '') === 'pawl' && env['npm_command'] !== 'exec';
  return isClone && !isByName ? 'npx pawl' : 'pawl';
}

type Env = Readonly<Record<string, string | undefined>>;

function stateHome(env: Env): string {
  if (process.platform === 'win32') return env['LOCALAPPDATA'] ?? join(homedir(), 'AppData/Local');
  return given(env['XDG_STATE_HOME']) ?? join(homedir(), '.local', 'state');
}

function configHome(env: Env): string {
  return given(env['XDG_CONFIG_HOME']) ?? join(homedir(), '.config');
}

/** A variable that is set to nothing is not set. */
const named = (path: string | undefined): string | undefined => (path === '' ? undefined : path);

/** A relative XDG path is to be ignored (XDG Base Directory Specification). */
function given(path: string | undefined): string | undefined {
  return path !== undefined && isAbsolute(path) ? path : undefined;
}

function absolute(name: string, path: string): string {
  if (isAbsolute(path)) return path;
  throw new RequestError('bad_value', `${name} must be an absolute path`, {
    found: path,
    next: `export ${name}="$PWD/${path}"`,
  });
}

function loginName(): string {
  try {
    return userInfo().username;
  } catch {
    // No entry in the password file (a container with a bare uid): the number serves.
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}
