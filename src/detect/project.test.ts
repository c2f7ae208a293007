/** Goal: every row of UX 1.3. Method: trees of files in memory; nothing is executed. */
import { expect, test } from 'vitest';
import { memoryFiles } from '../../test/support/memory-files.ts';
import { detectProject } from './project.ts';

type Files = Readonly<Record<string, string>>;

async function detected(files: Files, directory = '') {
  const tree = Object.fromEntries(
    Object.entries(files).map(([path, text]) => [`/r/${path}`, text]),
  );
  const from = directory === '' ? '/r' : `/r/${directory}`;
  const { cwd, setup, checks, notes, packageManager } = await detectProject(memoryFiles(tree), {
    directory: from,
    root: '/r',
  });
  return {
    cwd,
    manager: packageManager?.name ?? null,
    setup: setup?.command ?? null,
    checks: checks.map(({ command }) => command),
    notes,
  };
}
const pkg = (scripts: Record<string, string>, more: Record<string, unknown> = {}): string =>
  JSON.stringify({ scripts, ...more });
const scripts = { test: 'node --test', build: 'tsc', lint: 'biome check', start: 'node .' };

test('scripts are proposed cheapest first, each with where it was found (UX 1.3, EV-65)', async () => {
  const files = memoryFiles({ '/r/package.json': pkg(scripts), '/r/package-lock.json': '{}' });
  const { checks, setup } = await detectProject(files, { directory: '/r', root: '/r' });
  expect(checks).toEqual([
    { kind: 'lint', command: 'npm run lint', from: 'package.json scripts.lint', instead: null },
    { kind: 'build', command: 'npm run build', from: 'package.json scripts.build', instead: null },
    { kind: 'test', command: 'npm test', from: 'package.json scripts.test', instead: null },
  ]);
  expect(setup).toEqual({ command: 'npm ci', from: 'package-lock.json' });
});

test.each(['check', 'ci'])('a script %s stands alone for all of them', async (name) => {
  const found = await detected({ 'package.json': pkg({ ...scripts, [name]: 'x' }) });
  expect(found.checks).toEqual([`npm run ${name}`]);
});

test.each<readonly [string, Files, string, string]>([
  ['npm', { 'package-lock.json': '' }, 'npm ci', 'npm test'],
  ['pnpm', { 'pnpm-lock.yaml': '' }, 'pnpm install --frozen-lockfile', 'pnpm test'],
  ['yarn', { 'yarn.lock': '__metadata:' }, 'yarn install --immutable', 'yarn test'],
  ['yarn', { 'yarn.lock': '# yarn lockfile v1' }, 'yarn install --frozen-lockfile', 'yarn test'],
  ['bun', { 'bun.lock': '' }, 'bun install --frozen-lockfile', 'bun run test'],
  ['bun', { 'bun.lockb': '' }, 'bun install --frozen-lockfile', 'bun run test'],
])('%s is told by its lock file %j', async (manager, lock, setup, check) => {
  const found = await detected({ 'package.json': pkg({ test: 'x' }), ...lock });
  expect(found).toMatchObject({ manager, setup, checks: [check] });
});

test('packageManager wins over a lock file of another, and yarn 1 has no --immutable', async () => {
  const field = { packageManager: 'yarn@1.22.22' };
  const found = await detected({
    'package.json': pkg({ test: 'x' }, field),
    'package-lock.json': '{}',
    'yarn.lock': '',
  });
  expect(found).toMatchObject({ manager: 'yarn', setup: 'yarn install --frozen-lockfile' });
});

test('several lock files are told, not passed over in silence', async () => {
  const found = await detected({
    'package.json': pkg({ test: 'x' }),
    'package-lock.json': '',
    'pnpm-lock.yaml': '',
  });
  expect(found.notes).toEqual([
    'several lock files: package-lock.json, pnpm-lock.yaml; package-lock.json was taken',
  ]);
});

test('without a lock file only what there is to install is installed (L-G18)', async () => {
  expect((await detected({ 'package.json': pkg({ test: 'x' }) })).setup).toBeNull();
  const some = pkg({ test: 'x' }, { devDependencies: { vitest: '4' } });
  expect((await detected({ 'package.json': some })).setup).toBe('npm install --no-package-lock');
});

test('a package of a workspace runs in its folder with the lock file of the root', async () => {
  const files = {
    'package.json': pkg({ test: 'all' }),
    'pnpm-workspace.yaml': 'packages: [packages/*]',
    'pnpm-lock.yaml': '',
    'packages/a/package.json': pkg({ test: 'x' }),
    'packages/a/src/deep/x.ts': '',
  };
  expect(await detected(files, 'packages/a/src/deep')).toMatchObject({
    cwd: 'packages/a',
    manager: 'pnpm',
    setup: 'pnpm install --frozen-lockfile',
  });
  const npm = { ...files, 'package-lock.json': '' };
  expect((await detected({ ...npm, 'pnpm-lock.yaml': '' }, 'packages/a')).cwd).toBe('packages/a');
  const alone = { 'package-lock.json': '', 'packages/a/package.json': pkg({ test: 'x' }) };
  expect((await detected(alone, 'packages/a')).setup).toBe('npm --prefix ../.. ci');
});

test("npm's placeholder is no test", async () => {
  const files = { 'package.json': pkg({ test: 'echo "Error: no test specified" && exit 1' }) };
  expect(await detected(files)).toMatchObject({
    checks: [],
    notes: ["package.json scripts.test is npm's placeholder, not a test"],
  });
});

test.each([
  ['vitest', 'npx vitest run'],
  ['vitest --coverage', 'npx vitest run --coverage'],
  ['vitest watch src', 'npx vitest run src'],
  ['TZ=UTC vitest', 'TZ=UTC npx vitest run'],
  ['jest --watch', 'npx jest'],
  ['jest --watchAll --ci', 'npx jest --ci'],
  ['node --test --watch', 'node --test'],
  ['vitest run', 'npm test'],
  ['jest', 'npm test'],
  ['tsc && vitest run', 'npm test'],
])('the script "%s" becomes %s: a check that watches never ends (L-D15)', async (script, check) => {
  expect((await detected({ 'package.json': pkg({ test: script }) })).checks).toEqual([check]);
});

test('a watcher without a one-shot form is told and not proposed', async () => {
  expect(await detected({ 'package.json': pkg({ test: 'tsc && vitest' }) })).toMatchObject({
    checks: [],
    notes: ['package.json scripts.test watches and never ends: "tsc && vitest"'],
  });
});

test('a package.json that is not JSON is told (L-O5)', async () => {
  expect((await detected({ 'package.json': '{ "scripts": ' })).notes).toEqual([
    'package.json is not valid JSON',
  ]);
});

test.each<readonly [string, Files, string | null, readonly string[]]>([
  [
    'uv',
    { 'pyproject.toml': '[tool.ruff]\n[tool.mypy]\n', 'uv.lock': '', 'tests/test_a.py': '' },
    'uv sync --frozen',
    ['uv run ruff check .', 'uv run mypy .', 'uv run pytest -q'],
  ],
  [
    'poetry',
    { 'pyproject.toml': '[tool.poetry]\nname = "a"\n[tool.pytest.ini_options]\n' },
    'poetry install',
    ['poetry run pytest -q'],
  ],
  [
    'nothing to install',
    { 'pyproject.toml': '[tool.pytest.ini_options]\n', 'tox.ini': '' },
    null,
    ['pytest -q', 'tox'],
  ],
  ['nox', { 'noxfile.py': '' }, null, ['nox']],
])('Python by %s', async (_, files, setup, checks) => {
  expect(await detected(files)).toMatchObject({ setup, checks });
});

test('plain Python is installed into a private environment, and run in it', async () => {
  const found = await detected({
    'pyproject.toml':
      '[project]\nname = "a"\n[project.optional-dependencies]\ntest = ["pytest"]\n[tool.mypy]\nfiles = "src"\n',
  });
  expect(found.checks).toEqual(['.venv/bin/python -m mypy', '.venv/bin/python -m pytest -q']);
  expect(found.setup).toContain("echo '*' > .venv/.gitignore");
  expect(found.setup).toContain('-e ".[test]"');
});

test.each<readonly [string, Files, string | null, readonly string[]]>([
  [
    'Rust',
    { 'Cargo.toml': '', 'Cargo.lock': '' },
    'cargo fetch --locked',
    ['cargo build', 'cargo test --workspace'],
  ],
  ['Go', { 'go.mod': '' }, 'go mod download', ['go vet ./...', 'go test ./...']],
  ['Deno', { 'deno.json': '{"tasks":{"test":"x"}}' }, null, ['deno task test']],
  ['Deno with comments', { 'deno.jsonc': '// x\n{"imports":{"a":"b"}}' }, null, ['deno test']],
  ['Gradle', { gradlew: '' }, './gradlew --quiet dependencies', ['./gradlew test']],
  ['Maven', { mvnw: '' }, './mvnw -q dependency:go-offline', ['./mvnw -q test']],
  ['.NET', { 'App.sln': '' }, 'dotnet restore', ['dotnet test']],
  ['Elixir', { 'mix.exs': '' }, 'mix deps.get', ['mix test']],
  ['Ruby', { Gemfile: 'gem "rspec"' }, 'bundle install', ['bundle exec rspec']],
  [
    'PHP',
    { 'composer.json': '{"scripts":{"test":"phpunit"}}' },
    'composer install --no-interaction',
    ['composer test'],
  ],
])('%s by its manifest', async (_, files, setup, checks) => {
  expect(await detected(files)).toMatchObject({ setup, checks, cwd: '' });
});

test.each<readonly [string, Files, string]>([
  ['Makefile', { Makefile: 'CC := gcc\ncheck: build\n\tx\ntest ci:\n\ty\n' }, 'make check'],
  ['Makefile', { Makefile: '.PHONY: test\ntest ci:\n\ty\n' }, 'make ci'],
  ['justfile', { justfile: 'x := "1"\ntest FILTER:\n  a\nci *args: x\n  b\n' }, 'just ci'],
  ['Taskfile.yml', { 'Taskfile.yml': 'version: 3\ntasks:\n  test: { cmds: [x] }\n' }, 'task test'],
])('a target of the %s wins over the language (UX 1.3)', async (_, files, check) => {
  const all = { ...files, 'package.json': pkg(scripts), 'package-lock.json': '' };
  expect(await detected(all)).toMatchObject({ checks: [check], setup: 'npm ci' });
});

test('a target setup wins over the install of the language, and other runners are told', async () => {
  const found = await detected({
    Makefile: 'setup:\n\tx\ntest:\n\ty\n',
    justfile: 'check:\n  x\n',
    'go.mod': '',
  });
  expect(found).toMatchObject({ setup: 'make setup', checks: ['make test'] });
  expect(found.notes).toEqual(['just check (justfile target check) was found too']);
});

test('a folder of two languages needs both setups', async () => {
  const files = { 'package.json': pkg({ test: 'x' }), 'package-lock.json': '', 'go.mod': '' };
  expect(await detected(files)).toMatchObject({
    setup: 'npm ci && go mod download',
    checks: ['go vet ./...', 'npm test', 'go test ./...'],
  });
});

test('the nearest manifest counts, and above the root nothing does', async () => {
  const tree = memoryFiles({ '/r/docs/a.md': '', '/package.json': pkg(scripts) });
  const found = await detectProject(tree, { directory: '/r/docs', root: '/r' });
  expect(found).toMatchObject({ cwd: null, checks: [], setup: null });
});

test('.env files are named, templates are not (L-G17)', async () => {
  const tree = memoryFiles({
    '/r/.env': '',
    '/r/web/.env.test': '',
    '/r/web/.env.example': '',
    '/r/web/package.json': pkg(scripts),
  });
  const found = await detectProject(tree, { directory: '/r/web', root: '/r' });
  expect(found.environmentFiles).toEqual(['.env', 'web/.env.test']);
});
