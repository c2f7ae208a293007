/**
 * Which variables of whoever starts a run go with it, so that a run does not depend on the shell
 * from which the driver happened to be started (ADR 0011). What looks like a secret is never taken
 * along, since a definition is stored: only its name is, and the driver must have it itself.
 */

import { WorldError } from './errors.ts';

export interface StarterEnvironment {
  readonly values: Readonly<Record<string, string>>;
  /** Set where the run was started and not stored: secrets by their name or their form. */
  readonly withheld: readonly string[];
}

interface Policy {
  readonly allow: readonly string[];
  /** Absent: a run that was started before these were taken along. */
  readonly started?: StarterEnvironment;
}
type Environment = Readonly<Record<string, string | undefined>>;

/** Let through to lanes or checks by default, and a matter of the shell and not of the machine. */
const carried: readonly string[] = [
  ...['LANG', 'LANGUAGE', 'LC_*', 'TZ', 'XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'XDG_CACHE_HOME'],
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'no_proxy'],
  ...['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR', 'REQUESTS_CA_BUNDLE'],
  ...['NVM_DIR', 'VOLTA_HOME', 'BUN_INSTALL', 'PYENV_ROOT', 'JAVA_HOME', 'CARGO_HOME'],
  ...['RUSTUP_HOME', 'GOPATH', 'GOROOT', 'GOCACHE', 'GOMODCACHE'],
  ...['npm_config_cache', 'npm_config_registry'],
];

const secretNames =
  /token|secret|passw|passphrase|credential|api_?key|private|cookie|(?:^|_)(?:key|auth|pwd|pat|dsn)(?:_|$)/i;
/** An address with a user or a password in it. */
const secretValues = /:\/\/[^/\s@]+@/;
const valueMax = 4_096;
const namesMax = 200;
/** Before a `*` that is to name variables and not nearly everything. */
const prefixMin = 3;

/** Of `PAWL_*`, which has meanings of its own, nothing is taken along. */
export function starterEnvironment(env: Environment, allow: readonly string[]): StarterEnvironment {
  const values: Record<string, string> = {};
  const withheld: string[] = [];
  const names = Object.keys(env).filter((name) => isOfStarter(name, allow));
  for (const name of names.sort().slice(0, namesMax)) {
    const value = env[name];
    if (value === undefined) continue;
    if (isSecret(name, value)) withheld.push(name);
    else values[name] = value;
  }
  return { values, withheld };
}

/** The environment of a process of ours as the starter of this run had it. */
export function asStarted(own: Environment, { allow, started }: Policy): Environment {
  if (started === undefined) return own;
  const kept = Object.entries(own).filter(
    ([name]) => started.withheld.includes(name) || !isOfStarter(name, allow),
  );
  return { ...Object.fromEntries(kept), ...started.values };
}

interface LaneVariables extends Policy {
  readonly set: Readonly<Record<string, string>>;
  readonly path?: string;
}

/** The PATH that lanes of a definition have; undefined: that of the machine on which they run. */
export const lanePath = ({ set, path }: LaneVariables): string | undefined => set['PATH'] ?? path;

/** Variables that a definition gives its lanes wherever they run; no value of a secret is told. */
export function givenVariables(
  env: LaneVariables,
  secrets: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const { values = {}, withheld = [] } = env.started ?? {};
  const untold = [...withheld, ...Object.keys(secrets)].map((name) => [name, '…']);
  return { ...values, ...env.set, ...Object.fromEntries(untold) };
}

/** `env:` and withheld names are read where the driver runs, maybe another shell than the run's. */
export const notSetHere =
  'is not set for the driver: start the driver where it is, or use file: or command:';

/** The same of a server, which reads them for hosts elsewhere. */
export const notSetAtServer =
  'is not set for it: start pawl serve where it is, or use file: or command:';

/**
 * @throws WorldError `credential_missing` naming variables that the run was started with and that
 * neither it nor this process has a value of.
 */
export function requireStarted(own: Environment, { started }: Policy): void {
  const missing = (started?.withheld ?? []).filter((name) => own[name] === undefined);
  if (missing.length === 0) return;
  const names = missing.slice(0, 3).join(', ');
  throw new WorldError('credential_missing', `${names} ${notSetHere} under secrets`, {
    where: 'env.allow',
  });
}

/** A value such as `true` under the name of a secret would hide ordinary words. */
const hiddenMin = 8;

/**
 * Values of withheld names, which lanes and checks are given and which are told nowhere.
 */
export function withheldValues(
  own: Environment,
  { started }: Pick<Policy, 'started'>,
): Readonly<Record<string, string>> {
  const values: Record<string, string> = {};
  for (const name of started?.withheld ?? []) {
    const value = own[name];
    if (value !== undefined && value.length >= hiddenMin) values[name] = value;
  }
  return values;
}

function isOfStarter(name: string, allow: readonly string[]): boolean {
  if (name === 'PATH' || name.startsWith('PAWL_')) return false;
  return [...carried, ...allow].some((pattern) => {
    if (!pattern.endsWith('*')) return pattern === name;
    return pattern.length > prefixMin && name.startsWith(pattern.slice(0, -1));
  });
}

function isSecret(name: string, value: string): boolean {
  const isLong = value.length > valueMax || value.includes('\n');
  return secretNames.test(name) || secretValues.test(value) || isLong;
}
