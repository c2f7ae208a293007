/**
 * The environment of setup and checks, built from an allow-list. `CI` is always "1": "false" turns
 * watch mode on in some runners (L-D15, L-D16). `NODE_ENV` is never inherited, since `production`
 * leaves development dependencies out (L-G19). HOME stays real: tools keep their caches there.
 * Python writes no byte code, so that prepared packages stay as setup left them.
 */
import type { Definition } from '../domain/definition/definition.ts';
import { asStarted } from '../kernel/starter-environment.ts';

const inherited = [
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'SHELL',
  'LANG',
  'LANGUAGE',
  'TZ',
  'TMPDIR',
  'XDG_CACHE_HOME',
  'XDG_CONFIG_HOME',
  'XDG_DATA_HOME',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'NO_PROXY',
  'http_proxy',
  'https_proxy',
  'no_proxy',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'NODE_EXTRA_CA_CERTS',
  'REQUESTS_CA_BUNDLE',
  'CARGO_HOME',
  'RUSTUP_HOME',
  'GOPATH',
  'GOCACHE',
  'GOMODCACHE',
  'JAVA_HOME',
  'npm_config_cache',
  'npm_config_registry',
] as const;

/** Names that never come from outside, not even when the definition allows them. */
const refused = /^(CI|NODE_ENV|NODE_TEST_CONTEXT|PAWL_.*|GIT_.*)$/;

export function checkEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  definition: Pick<Definition, 'env' | 'secrets'>,
): Readonly<Record<string, string>> {
  const allowed = new Set<string>([...inherited, ...definition.env.allow]);
  const result: Record<string, string> = {};
  for (const [name, value] of Object.entries(asStarted(env, definition.env))) {
    if (value === undefined || refused.test(name)) continue;
    if (Object.hasOwn(definition.secrets, name)) continue;
    if (allowed.has(name) || name.startsWith('LC_')) result[name] = value;
  }
  const { path, set } = definition.env;
  if (path !== undefined) result['PATH'] = path;
  return { PYTHONDONTWRITEBYTECODE: '1', ...result, ...set, CI: '1' };
}
