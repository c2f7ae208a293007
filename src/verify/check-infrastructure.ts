/**
 * Files by whose mere presence a tool does something else: the settings of package managers and
 * test runners. No command names them, so they are known by name (docs/adr/0006). Files of tests
 * are none of them.
 */

const names: ReadonlySet<string> = new Set([
  ...['.npmrc', '.yarnrc', '.yarnrc.yml', '.pnpmfile.cjs', '.pnpmfile.mjs', 'bunfig.toml'],
  ...['pytest.ini', '.pytest.ini', 'tox.ini', 'setup.cfg', 'conftest.py', 'sitecustomize.py'],
  ...['usercustomize.py', 'noxfile.py', '.rspec', '.noderc'],
]);
const runner = String.raw`(?:vitest|vite|jest|ava|karma(?:\.conf)?|playwright|cypress|wdio(?:\.conf)?)`;
const configs: readonly RegExp[] = [
  new RegExp(String.raw`^${runner}(?:[.-][\w-]+)*\.(?:c|m)?[jt]sx?$`),
  /^jest\.config\.json$/,
  /^vitest\.workspace\.(?:json|[cm]?[jt]s)$/,
  /^\.mocharc\.(?:[cm]?js|json|jsonc|ya?ml)$/,
  /^phpunit(?:\.dist)?\.xml(?:\.dist)?$/,
];
const config = /\.(?:config|conf|workspace)\b|^\.mocharc|^phpunit|^jest\.config/;

/** Parts of `package.json` from which test runners read their settings. */
export const manifestParts: readonly string[] = ['jest', 'mocha', 'ava', 'vitest', 'tap'];

/** Whether a tool reads the file although no command names it. */
export function isInfrastructure(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (names.has(name)) return true;
  if (/(?:^|\/)\.cargo\/config(?:\.toml)?$/.test(path)) return true;
  return config.test(name) && configs.some((pattern) => pattern.test(name));
}
