/**
 * A definition as it stands on a worker: what names the machine of its starter (paths, his shell)
 * is taken out or led here, what says what is wanted stays. Pure.
 */
import type { Definition } from '../domain/definition/definition.ts';

/** Of the starter's environment: how text and times look is a matter of the run. */
const ofTheRun = /^(LANG|LANGUAGE|LC_.+|TZ)$/;

export function placedDefinition(
  definition: Definition,
  place: { readonly root: string; readonly submodules: boolean },
): Definition {
  const { project, workspace } = definition;
  const isOff = workspace.submodules === 'off' || !place.submodules;
  return {
    ...definition,
    project: { ...project, root: place.root },
    // What git ignores lies in the starter's checkout alone, and is often a secret.
    workspace: { ...workspace, copy: [], submodules: isOff ? 'off' : 'on' },
    env: placedEnvironment(definition.env),
  };
}

function placedEnvironment(env: Definition['env']): Definition['env'] {
  const { allow, set, started } = env;
  if (started === undefined) return { allow, set };
  const kept = Object.entries(started.values).filter(
    ([name]) => ofTheRun.test(name) || isNamed(allow, name),
  );
  return { allow, set, started: { values: Object.fromEntries(kept), withheld: started.withheld } };
}

const isNamed = (allow: readonly string[], name: string): boolean =>
  allow.some((pattern) =>
    pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern,
  );

/** Needed to find programs, and told of nobody. */
const needed: readonly string[] = [
  ...['PATH', 'TMPDIR', 'TZ', 'LANG', 'LANGUAGE', 'LC_ALL', 'USER', 'LOGNAME', 'SHELL', 'TERM'],
  ...['SystemRoot', 'COMSPEC', 'PATHEXT'],
];
/** How the network of this machine is left; with a login in it, it is none of a lane's business. */
const network: readonly string[] = [
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'no_proxy'],
  ...['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR'],
];

/**
 * What a host on a worker is started with: nothing of the worker's own environment but this, and a
 * home folder of its own, so that no login of whoever started the worker is met (XP-29).
 */
export function hostEnvironment(
  own: Readonly<Record<string, string | undefined>>,
  folders: { readonly home: string; readonly userHome: string },
): Record<string, string> {
  const kept: Record<string, string> = { PAWL_HOME: folders.home, HOME: folders.userHome };
  for (const name of [...needed, ...network]) {
    const value = own[name];
    if (value === undefined || (network.includes(name) && value.includes('@'))) continue;
    kept[name] = value;
  }
  return kept;
}
