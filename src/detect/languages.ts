/** Languages whose manifest alone says how they are built and tested: one row each. */
import type { DetectedCheck, Found } from '../ports/detection.ts';
import { check, nothing } from './detected.ts';
import { asObject, type Folder, firstOf, mapIn, objectIn, textOf, textsIn } from './folder.ts';

interface Language {
  readonly name: string;
  /** Names of the manifest; a pattern begins with `*`. */
  readonly manifests: readonly string[];
  /** Null: nothing to restore. */
  setup(folder: Folder, manifest: string): Promise<string | null>;
  checks(folder: Folder, manifest: string): Promise<readonly DetectedCheck[]>;
}

const always = (command: string) => async (): Promise<string> => command;
const test =
  (...commands: readonly string[]) =>
  async (_: Folder, manifest: string) =>
    commands.map((command) => check('test', command, manifest));

export const languages: readonly Language[] = [
  {
    name: 'cargo',
    manifests: ['Cargo.toml'],
    setup: async ({ names, upward, files, path }) => {
      const above = upward.filter((folder) => folder !== path);
      const locked = await anyHas(files, above, 'Cargo.lock');
      return names.has('Cargo.lock') || locked ? 'cargo fetch --locked' : 'cargo fetch';
    },
    checks: async () => [
      check('build', 'cargo build', 'Cargo.toml'),
      check('test', 'cargo test --workspace', 'Cargo.toml'),
    ],
  },
  {
    name: 'go',
    manifests: ['go.mod'],
    setup: always('go mod download'),
    checks: async () => [
      check('lint', 'go vet ./...', 'go.mod'),
      check('test', 'go test ./...', 'go.mod'),
    ],
  },
  {
    name: 'deno',
    manifests: ['deno.json', 'deno.jsonc'],
    setup: async (folder, manifest) => {
      if (folder.names.has('deno.lock')) return 'deno install --frozen';
      const text = await textOf(folder, manifest);
      const imports = textsIn(mapIn(manifest, text ?? '')?.['imports']);
      return imports.size > 0 ? 'deno install' : null;
    },
    checks: async (folder, manifest) => {
      const text = await textOf(folder, manifest);
      const tasks = asObject(mapIn(manifest, text ?? '')?.['tasks']) ?? {};
      const command = 'test' in tasks ? 'deno task test' : 'deno test';
      return [check('test', command, 'test' in tasks ? `${manifest} tasks.test` : manifest)];
    },
  },
  {
    name: 'gradle',
    manifests: ['gradlew'],
    setup: always('./gradlew --quiet dependencies'),
    checks: test('./gradlew test'),
  },
  {
    name: 'maven',
    manifests: ['mvnw'],
    setup: always('./mvnw -q dependency:go-offline'),
    checks: test('./mvnw -q test'),
  },
  {
    name: 'dotnet',
    manifests: ['*.sln', '*.slnx', '*.csproj', '*.fsproj'],
    setup: always('dotnet restore'),
    checks: test('dotnet test'),
  },
  {
    name: 'mix',
    manifests: ['mix.exs'],
    setup: always('mix deps.get'),
    checks: test('mix test'),
  },
  {
    name: 'bundler',
    manifests: ['Gemfile'],
    setup: always('bundle install'),
    checks: async (folder) => {
      const text = (await textOf(folder, 'Gemfile')) ?? '';
      const sign = firstOf(folder, ['.rspec', 'spec']);
      if (sign !== null || /\brspec\b/.test(text)) {
        return [check('test', 'bundle exec rspec', sign ?? 'Gemfile')];
      }
      return folder.names.has('Rakefile')
        ? [check('test', 'bundle exec rake test', 'Rakefile')]
        : [];
    },
  },
  {
    name: 'composer',
    manifests: ['composer.json'],
    setup: always('composer install --no-interaction'),
    checks: async (folder) => {
      const text = (await textOf(folder, 'composer.json')) ?? '';
      const scripts = asObject(objectIn(text)?.['scripts']) ?? {};
      return 'test' in scripts
        ? [check('test', 'composer test', 'composer.json scripts.test')]
        : [];
    },
  },
];

/** What the row says when its manifest is in the folder. */
export async function languageProject(language: Language, folder: Folder): Promise<Found> {
  const manifest = manifestOf(language, folder);
  if (manifest === null) return nothing;
  const setup = await language.setup(folder, manifest);
  return {
    packageManager: { name: language.name, from: manifest },
    setup: setup === null ? null : { command: setup, from: manifest },
    checks: await language.checks(folder, manifest),
    notes: [],
  };
}

function manifestOf({ manifests }: Language, { names }: Folder): string | null {
  for (const pattern of manifests) {
    const found = pattern.startsWith('*')
      ? [...names].sort().find((name) => name.endsWith(pattern.slice(1)))
      : [...names].find((name) => name === pattern);
    if (found !== undefined) return found;
  }
  return null;
}

async function anyHas(
  files: Folder['files'],
  folders: readonly string[],
  name: string,
): Promise<boolean> {
  for (const folder of folders) {
    if ((await files.names(folder)).includes(name)) return true;
  }
  return false;
}
