/**
 * Python: `uv`, `poetry`, or plain pip in a private environment inside the tree. TOML is searched,
 * not parsed: only the presence of tables and names is asked for.
 */
import type { DetectedCheck, DetectedSetup, Found } from '../ports/detection.ts';
import { check, nothing } from './detected.ts';
import { type Folder, firstOf, textOf } from './folder.ts';

const manifests = ['pyproject.toml', 'tox.ini', 'noxfile.py', 'setup.py', 'requirements.txt'];
const venv = '.venv';

export async function pythonProject(folder: Folder): Promise<Found> {
  const manifest = firstOf(folder, manifests);
  if (manifest === null) return nothing;
  const project = (await textOf(folder, 'pyproject.toml')) ?? '';
  const how = howOf(folder, project, manifest);
  return {
    packageManager: { name: how.name, from: how.from },
    setup: how.setup,
    checks: await checksOf(folder, { project, run: how.run }),
    notes: [],
  };
}

interface How {
  readonly name: string;
  readonly from: string;
  readonly setup: DetectedSetup | null;
  /** The command line that runs a tool, as a program or as a module. */
  readonly run: (tool: string) => string;
}

function howOf(folder: Folder, project: string, manifest: string): How {
  if (folder.names.has('uv.lock') || hasTable(project, 'tool.uv')) {
    const isLocked = folder.names.has('uv.lock');
    const from = isLocked ? 'uv.lock' : 'pyproject.toml';
    const setup = { command: isLocked ? 'uv sync --frozen' : 'uv sync', from };
    return { name: 'uv', from, setup, run: (tool) => `uv run ${tool}` };
  }
  if (folder.names.has('poetry.lock') || hasTable(project, 'tool.poetry')) {
    const from = folder.names.has('poetry.lock') ? 'poetry.lock' : 'pyproject.toml';
    const setup = { command: 'poetry install', from };
    return { name: 'poetry', from, setup, run: (tool) => `poetry run ${tool}` };
  }
  const setup = pipSetup(folder, project);
  if (setup === null) return { name: 'python', from: manifest, setup, run: (tool) => tool };
  // A script of the environment names the folder it was made in; a module does not.
  return { name: 'pip', from: setup.from, setup, run: (tool) => `${venv}/bin/python -m ${tool}` };
}

/** Null when there is nothing to install. */
function pipSetup(folder: Folder, project: string): DetectedSetup | null {
  const isPackage =
    hasTable(project, 'project') ||
    hasTable(project, 'build-system') ||
    folder.names.has('setup.py');
  const lists = ['requirements.txt', 'requirements-dev.txt', 'requirements-test.txt'].filter(
    (name) => folder.names.has(name),
  );
  if (!isPackage && lists.length === 0) return null;
  const extra = ['test', 'tests', 'dev'].find((name) => hasExtra(project, name));
  const install = [
    ...(isPackage ? [extra === undefined ? '-e .' : `-e ".[${extra}]"`] : []),
    ...lists.map((name) => `-r ${name}`),
    ...(hasPytest(folder, project) ? ['pytest'] : []),
  ];
  return {
    // The environment ignores itself, so that it is never taken for work.
    command: `python3 -m venv ${venv} && echo '*' > ${venv}/.gitignore && ${venv}/bin/python -m pip install -q ${install.join(' ')}`,
    from: isPackage ? (project === '' ? 'setup.py' : 'pyproject.toml') : (lists[0] ?? ''),
  };
}

interface Seen {
  /** Text of `pyproject.toml`. */
  readonly project: string;
  readonly run: (tool: string) => string;
}

async function checksOf(folder: Folder, seen: Seen): Promise<readonly DetectedCheck[]> {
  const { project, run } = seen;
  const ruff =
    firstOf(folder, ['ruff.toml', '.ruff.toml']) ??
    (hasTable(project, 'tool.ruff') ? 'pyproject.toml tool.ruff' : null);
  const tests = testsFrom(folder, project);
  const rows = [
    ruff === null ? null : check('lint', run('ruff check .'), ruff),
    await mypyCheck(folder, seen),
    tests === null ? null : check('test', run('pytest -q'), tests),
    folder.names.has('tox.ini') ? check('test', run('tox'), 'tox.ini') : null,
    folder.names.has('noxfile.py') ? check('test', run('nox'), 'noxfile.py') : null,
  ];
  return rows.filter((row) => row !== null);
}

async function mypyCheck(folder: Folder, { project, run }: Seen): Promise<DetectedCheck | null> {
  const setupCfg = (await textOf(folder, 'setup.cfg')) ?? '';
  const file = firstOf(folder, ['mypy.ini', '.mypy.ini']);
  const own = file === null ? null : await textOf(folder, file);
  const table = hasTable(project, 'tool.mypy')
    ? 'pyproject.toml tool.mypy'
    : hasTable(setupCfg, 'mypy')
      ? 'setup.cfg'
      : null;
  const from = file ?? table;
  if (from === null) return null;
  // Without a list of files of its own mypy wants to be told what to look at.
  const isTold = /^\s*(?:files|packages|modules)\s*=/m.test(own ?? `${project}${setupCfg}`);
  return check('lint', run(isTold ? 'mypy' : 'mypy .'), from);
}

/** What says that there are tests for pytest; null when nothing does. */
function testsFrom(folder: Folder, project: string): string | null {
  if (hasTable(project, 'tool.pytest')) return 'pyproject.toml tool.pytest';
  const file = firstOf(folder, ['pytest.ini', 'conftest.py', 'tests', 'test']);
  if (file !== null) return file;
  const named = [...folder.names].find((name) => /^(?:test_.*|.*_test)\.py$/.test(name));
  return named ?? (/\bpytest\b/.test(project) ? 'pyproject.toml' : null);
}

const hasPytest = (folder: Folder, project: string): boolean => testsFrom(folder, project) !== null;

/** `[tool.ruff]` and `[tool.ruff.lint]` both are tables of `tool.ruff`. */
function hasTable(text: string, name: string): boolean {
  const escaped = name.replaceAll('.', '\\.');
  return new RegExp(`^\\s*\\[\\[?${escaped}(?:\\.[^\\]]*)?\\]`, 'm').test(text);
}

function hasExtra(project: string, name: string): boolean {
  const [, table = ''] =
    /^\s*\[project\.optional-dependencies\]\s*\n([\s\S]*?)(?=^\s*\[|(?![\s\S]))/m.exec(project) ??
    [];
  return new RegExp(`^\\s*"?${name}"?\\s*=`, 'm').test(table);
}
