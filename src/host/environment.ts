/**
 * The environment of a lane is built, never inherited: an allow-list of what programs need, what
 * the definition adds, what the adapter sets. Secrets of the operator's shell stay there (L-N1).
 */
import type { Definition } from '../domain/definition/definition.ts';
import { ownSecrets } from '../kernel/own-secrets.ts';
import { asStarted } from '../kernel/starter-environment.ts';
import { executionMarker } from './ancestry.ts';

/** Exact names, or prefixes that end in `*`. */
const allowed: readonly string[] = [
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'SHELL',
  'LANG',
  'LANGUAGE',
  'LC_*',
  'TERM',
  'COLORTERM',
  'TZ',
  'TMPDIR',
  'XDG_CONFIG_HOME',
  'XDG_DATA_HOME',
  'XDG_CACHE_HOME',
  'NVM_DIR',
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'NO_PROXY',
  'http_proxy',
  'https_proxy',
  'no_proxy',
  'JAVA_HOME',
  'GOPATH',
  'GOROOT',
  'CARGO_HOME',
  'RUSTUP_HOME',
  'PYENV_ROOT',
  'VOLTA_HOME',
  'BUN_INSTALL',
  'SystemRoot',
  'COMSPEC',
  'PATHEXT',
  'APPDATA',
  'LOCALAPPDATA',
  'USERPROFILE',
];

/**
 * By these a process outside the tree can be asked to work on a lane's behalf, where nothing ends
 * it (research/containment.md §6); and pawl's own, which must not reach a lane. Not to be allowed
 * back.
 */
const refused: readonly string[] = [
  'TMUX',
  'TMUX_PANE',
  'STY',
  'DBUS_SESSION_BUS_ADDRESS',
  'XDG_RUNTIME_DIR',
  'DOCKER_HOST',
  ...ownSecrets,
  'PAWL_HOME',
  executionMarker,
];

export interface EnvironmentRequest {
  readonly host: Readonly<Record<string, string | undefined>>;
  readonly policy: Definition['env'];
  readonly secrets: Readonly<Record<string, string>>;
  readonly adapter: Readonly<Record<string, string>>;
  readonly execution: string;
}

/**
 * Later sources win: allowed as the starter had it, his PATH, the definition, secrets, adapter,
 * marker.
 */
export function laneEnvironment(request: EnvironmentRequest): Record<string, string> {
  const names = [...allowed, ...request.policy.allow];
  const built: Record<string, string> = {};
  for (const [name, value] of Object.entries(asStarted(request.host, request.policy))) {
    if (value !== undefined && matches(names, name) && !refused.includes(name)) built[name] = value;
  }
  if (request.policy.path !== undefined) built['PATH'] = request.policy.path;
  for (const [name, value] of Object.entries(request.policy.set)) {
    if (!refused.includes(name)) built[name] = value;
  }
  return {
    ...built,
    ...request.secrets,
    ...request.adapter,
    [executionMarker]: request.execution,
  };
}

function matches(patterns: readonly string[], name: string): boolean {
  return patterns.some((pattern) =>
    pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern,
  );
}
