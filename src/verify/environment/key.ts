/**
 * The key of a prepared environment: everything that decides what `setup` makes. The same key means
 * that setup need not run again; a commit with another lock file has another key.
 */
import { createHash } from 'node:crypto';
import { posix } from 'node:path';
import type { Definition } from '../../domain/definition/definition.ts';
import type { Commit } from '../../domain/ids.ts';
import type { CheckTrees } from '../../ports/workspace.ts';

/** Lock and manifest files, by name, wherever they lie. */
const manifestNames: ReadonlySet<string> = new Set([
  ...['package.json', 'package-lock.json', 'npm-shrinkwrap.json', '.npmrc', '.nvmrc'],
  ...['yarn.lock', '.yarnrc', '.yarnrc.yml', 'pnpm-lock.yaml', 'pnpm-workspace.yaml'],
  ...['.pnpmfile.cjs', 'bun.lock', 'bun.lockb', 'bunfig.toml', 'deno.json', 'deno.lock'],
  ...['.node-version', '.tool-versions', 'mise.toml', '.mise.toml', '.python-version'],
  ...['pyproject.toml', 'uv.lock', 'poetry.lock', 'Pipfile', 'Pipfile.lock', 'setup.py'],
  ...['setup.cfg', 'environment.yml', 'Cargo.toml', 'Cargo.lock', 'rust-toolchain'],
  ...['rust-toolchain.toml', 'go.mod', 'go.sum', 'go.work', 'go.work.sum', 'Gemfile'],
  ...['Gemfile.lock', '.ruby-version', 'composer.json', 'composer.lock', 'mix.exs', 'mix.lock'],
  ...['pom.xml', 'build.gradle', 'build.gradle.kts', 'settings.gradle', 'gradle.properties'],
  ...['gradle.lockfile', 'global.json', 'packages.lock.json', 'Makefile', 'justfile'],
]);
const manifestPattern = /^(?:requirements[\w.-]*\.(?:txt|in)|[\w.-]+\.(?:csproj|fsproj|gemspec))$/;

export interface KeyInput {
  readonly definition: Definition;
  readonly commit: Commit;
  /** `node v20.20.2`, one line per tool that setup names. */
  readonly tools: readonly string[];
  /** Digests of ignored files that are brought along. */
  readonly copies: readonly string[];
}

export async function environmentKey(trees: CheckTrees, input: KeyInput): Promise<string> {
  const { definition, commit } = input;
  const files = await trees.list(definition.project.root, commit);
  const manifests = [...files]
    .filter(([path]) => isManifest(posix.basename(path)))
    .map(([path, id]) => `${path} ${id}`)
    .sort();
  const parts = [
    definition.workspace.setup?.command ?? '',
    definition.project.cwd,
    process.platform,
    process.arch,
    ...input.tools,
    ...Object.entries(definition.env.set)
      .map(([name, value]) => `${name}=${value}`)
      .sort(),
    ...input.copies,
    ...manifests,
  ];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

/** Whether a file of this name decides what setup makes. */
export function isManifest(name: string): boolean {
  return manifestNames.has(name) || manifestPattern.test(name);
}
