/**
 * Ten small repositories as a newcomer has them. Each holds `answer.txt` with the wrong answer
 * and a check that wants the right one; a tool that is not on this machine is replaced by a stub
 * that writes down how it was called and does the part of the tool that the check needs.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';

type Files = Readonly<Record<string, string>>;

export interface Newcomer {
  readonly name: string;
  readonly files: Files;
  /** Where the commands are typed, below the root. */
  readonly folder?: string;
  /** Tools that the repository needs, and what a stub of each does (a shell script). */
  readonly tools: Readonly<Record<string, string>>;
  /** Made by npm, so that the lock file is a real one. */
  readonly isLockedByNpm?: true;
  readonly commits: boolean;
  /** Changed after the commit. */
  readonly dirt?: Files;
}

const nodeTest = `import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { equal } from 'node:assert/strict';
const answer = new URL('answer.txt', import.meta.url);
test('the answer', () => equal(readFileSync(answer, 'utf8'), '42\\n'));
test('the question', () => {});
`;
const answer = { 'answer.txt': '41\n' };
const node = { ...answer, 'answer.test.mjs': nodeTest };
const scripts = (all: Files, more: Readonly<Record<string, unknown>> = {}): string =>
  `${JSON.stringify({ name: 'newcomer', private: true, scripts: all, ...more }, null, 2)}\n`;
const isRight = 'grep -qx 42 answer.txt';
const scriptStub = 'case "$1" in install) mkdir -p node_modules;; *) exec node --test;; esac';

/** The real one of this repository, as a package that lies inside the fixture. */
const vitest = {
  'vendor/vitest/package.json': '{"name":"vitest","version":"1.0.0","bin":"./vitest.mjs"}\n',
  'vendor/vitest/vitest.mjs': `#!/usr/bin/env node\nimport '${resolve('node_modules/vitest/vitest.mjs')}';\n`,
};

export const newcomers: readonly Newcomer[] = [
  {
    name: 'npm, vitest in watch mode',
    files: {
      ...answer,
      ...vitest,
      'package.json': scripts(
        { test: 'vitest --globals' },
        { type: 'module', devDependencies: { vitest: 'file:vendor/vitest' } },
      ),
      'answer.test.js': `import { readFileSync } from 'node:fs';
test('the answer', () => expect(readFileSync('answer.txt', 'utf8')).toBe('42\\n'));
`,
      '.gitignore': 'node_modules\n',
    },
    tools: { npm: '' },
    isLockedByNpm: true,
    commits: true,
  },
  {
    name: 'pnpm workspace, typed in a package',
    files: {
      'package.json': scripts({ test: 'exit 1' }),
      'pnpm-workspace.yaml': 'packages: [packages/*]\n',
      'pnpm-lock.yaml': "lockfileVersion: '9.0'\n",
      '.gitignore': 'node_modules\n',
      'packages/a/package.json': scripts({ test: 'node --test' }),
      'packages/a/src/index.js': '',
      ...Object.fromEntries(
        Object.entries(node).map(([path, text]) => [`packages/a/${path}`, text]),
      ),
    },
    folder: 'packages/a/src',
    tools: { pnpm: scriptStub },
    commits: true,
  },
  {
    name: 'yarn by packageManager',
    files: {
      ...node,
      'package.json': scripts({ test: 'node --test' }, { packageManager: 'yarn@4.5.0' }),
      'yarn.lock': '__metadata:\n  version: 8\n',
      '.gitignore': 'node_modules\n',
    },
    tools: { yarn: scriptStub },
    commits: true,
  },
  {
    name: 'Python without dependencies',
    files: {
      ...answer,
      'pyproject.toml': '[tool.pytest.ini_options]\ntestpaths = ["tests"]\n',
      'tests/test_answer.py':
        "from pathlib import Path\n\n\ndef test_answer():\n    assert Path('answer.txt').read_text() == '42\\n'\n",
    },
    tools: { pytest: isRight },
    commits: true,
  },
  {
    name: 'Rust without dependencies',
    files: {
      ...answer,
      'Cargo.toml': '[package]\nname = "newcomer"\nversion = "0.1.0"\nedition = "2021"\n',
      'Cargo.lock':
        '# made by cargo\nversion = 3\n\n[[package]]\nname = "newcomer"\nversion = "0.1.0"\n',
      'src/lib.rs':
        '#[test]\nfn the_answer() {\n    assert_eq!(include_str!("../answer.txt"), "42\\n");\n}\n',
      '.gitignore': 'target\n',
    },
    tools: { cargo: `case "$1" in test) ${isRight};; esac` },
    commits: true,
  },
  {
    name: 'Go without dependencies',
    files: {
      ...answer,
      'go.mod': 'module newcomer\n\ngo 1.21\n',
      'answer_test.go': `package newcomer

import (
	"os"
	"testing"
)

func TestAnswer(t *testing.T) {
	if text, _ := os.ReadFile("answer.txt"); string(text) != "42\\n" {
		t.Fatal(string(text))
	}
}
`,
    },
    tools: { go: `case "$1" in test) ${isRight};; esac` },
    commits: true,
  },
  {
    name: 'Makefile only, with an ignored .env.test',
    files: {
      ...answer,
      Makefile: `check:\n\tgrep -q . .env.test\n\t${isRight}\n`,
      '.gitignore': '.env*\n',
      '.env.test': 'SECRET=something-long\n',
    },
    tools: { make: `grep -q . .env.test && ${isRight}` },
    commits: true,
  },
  { name: 'no check', files: { ...answer, 'README.md': '# notes\n' }, tools: {}, commits: true },
  {
    name: 'dirty',
    files: { ...node, 'package.json': scripts({ test: 'node --test' }) },
    tools: { npm: '' },
    commits: true,
    dirt: { 'notes.txt': 'todo\n', 'answer.txt': '40\n' },
  },
  {
    name: 'no commit',
    files: { ...node, 'package.json': scripts({ test: 'node --test' }) },
    tools: { npm: '' },
    commits: false,
  },
];

export interface Placed {
  readonly root: string;
  readonly directory: string;
  readonly env: Readonly<Record<string, string>>;
  /** `cargo real`, `go stub`. */
  readonly tools: string;
  /** How the stubs were called, one call a line. */
  calls(): string;
}

/** Writes the repository below `place`, and stubs for the tools that do not run there. */
export function settle(
  newcomer: Newcomer,
  place: string,
  plain: Readonly<Record<string, string>>,
): Placed {
  const root = join(place, 'project');
  // Dependencies of development are there all the same.
  const env: Readonly<Record<string, string>> = {
    ...plain,
    ...rust(),
    ...identity,
    NODE_ENV: 'production',
  };
  write(root, newcomer.files);
  const git = (...args: readonly string[]) => execFileSync('git', args, { cwd: root, env });
  git('init', '--quiet', '--initial-branch=main');
  if (newcomer.isLockedByNpm === true) {
    const lock = ['install', '--offline', '--package-lock-only', '--no-audit', '--no-fund'];
    execFileSync('npm', lock, { cwd: root, env, stdio: 'ignore' });
  }
  if (newcomer.commits) {
    git('add', '--all');
    git('commit', '--quiet', '-m', 'start');
  }
  write(root, newcomer.dirt ?? {});
  const stubs = stubsFor(newcomer, place, env);
  return {
    root,
    directory: join(root, newcomer.folder ?? ''),
    env: { ...env, PATH: `${stubs.folder}${delimiter}${env['PATH'] ?? ''}` },
    tools: stubs.words,
    calls: () => readFileSync(stubs.record, 'utf8'),
  };
}

const identity = {
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'ada@example.org',
  GIT_COMMITTER_NAME: 'Ada',
  GIT_COMMITTER_EMAIL: 'ada@example.org',
};

/** The home folder of a test is its own; a toolchain lies in that of the user. */
function rust(): Readonly<Record<string, string>> {
  const home = process.env['HOME'] ?? '/';
  return {
    RUSTUP_HOME: process.env['RUSTUP_HOME'] ?? join(home, '.rustup'),
    CARGO_HOME: process.env['CARGO_HOME'] ?? join(home, '.cargo'),
  };
}

function stubsFor(
  { tools }: Newcomer,
  place: string,
  env: Readonly<Record<string, string>>,
): { readonly folder: string; readonly record: string; readonly words: string } {
  const folder = join(place, 'stubs');
  const record = join(place, 'calls.txt');
  mkdirSync(folder);
  writeFileSync(record, '');
  const words = Object.entries(tools).map(([name, script]) => {
    if (isWorking(name, env)) return `${name} real`;
    const path = join(folder, name);
    writeFileSync(path, `#!/bin/sh\necho "${name} $*" >> '${record}'\n${script}\n`);
    chmodSync(path, 0o755);
    return `${name} stub`;
  });
  return { folder, record, words: words.length === 0 ? '–' : words.join(', ') };
}

function isWorking(name: string, env: Readonly<Record<string, string>>): boolean {
  const asked = spawnSync(name, ['--version'], { env, stdio: 'ignore', timeout: 30_000 });
  return asked.error === undefined && asked.status === 0;
}

function write(root: string, files: Files): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}
