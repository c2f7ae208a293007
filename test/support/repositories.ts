/**
 * The fixture repositories R0–R7 that the rows of faults are tried on, made fast under a temporary
 * folder. `git` here is plain git with a fixed identity and no configuration of the machine.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export interface Fixture {
  readonly root: string;
  git(...args: readonly string[]): string;
  write(path: string, text: string): void;
  read(path: string): string;
  /** Adds everything and commits; answers the commit. */
  commit(message: string): string;
}

const settings = [
  ...['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org'],
  ...['-c', 'protocol.file.allow=always', '-c', 'commit.gpgSign=false'],
];
const plainEnv = {
  PATH: process.env['PATH'] ?? '/usr/bin:/bin',
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  LC_ALL: 'C',
};

export function runGit(cwd: string, ...args: readonly string[]): string {
  return execFileSync('git', [...settings, ...args], {
    cwd,
    env: plainEnv,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    maxBuffer: 64 * 1024 * 1024,
  }).replace(/\n$/, '');
}

/** A temporary folder without links in its path; `remove` takes it away whatever its modes are. */
export function temporary(): { readonly path: string; remove(): void } {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-git-')));
  return { path, remove: () => rmSync(path, { recursive: true, force: true, maxRetries: 3 }) };
}

export function fixtureAt(root: string): Fixture {
  const git = (...args: readonly string[]) => runGit(root, ...args);
  return {
    root,
    git,
    write: (path, text) => {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    },
    read: (path) => readFileSync(join(root, path), 'utf8'),
    commit: (message) => {
      git('add', '-A');
      git('commit', '-q', '--allow-empty', '-m', message);
      return git('rev-parse', 'HEAD');
    },
  };
}

function initialised(root: string, branch = 'main'): Fixture {
  mkdirSync(root, { recursive: true });
  runGit(root, 'init', '-q', '-b', branch);
  return fixtureAt(root);
}

const failingTest = `import { test } from 'node:test';
import { equal } from 'node:assert/strict';
import { add } from '../src/add.mjs';
test('adds', () => equal(add(2, 3), 5));
`;

/** R0: plain, one failing test. */
export function r0Plain(folder: string, name = 'r0'): Fixture {
  const fixture = initialised(join(folder, name));
  const scripts = { test: 'node --test' };
  fixture.write('package.json', `${JSON.stringify({ name, private: true, scripts }, null, 2)}\n`);
  fixture.write('src/add.mjs', 'export const add = (a, b) => a - b;\n');
  fixture.write('test/add.test.mjs', failingTest);
  fixture.write('.gitignore', 'node_modules/\n.env\nCLAUDE.md\n*.log\n');
  fixture.commit('start');
  return fixture;
}

/**
 * R1: R0 with a filled submodule `lib` and, when asked, a second one whose address leads nowhere.
 */
export function r1Submodule(folder: string, options: { unreachable: boolean }): Fixture {
  const library = initialised(join(folder, 'r1-lib'));
  library.write('lib.mjs', 'export const lib = 1;\n');
  library.commit('library');
  const fixture = r0Plain(folder, 'r1');
  fixture.git('submodule', '--quiet', 'add', library.root, 'lib');
  if (options.unreachable) {
    fixture.git('submodule', '--quiet', 'add', library.root, 'far');
    fixture.git('config', '-f', '.gitmodules', 'submodule.far.url', join(folder, 'nowhere'));
  }
  fixture.commit('with a submodule');
  if (options.unreachable) {
    rmSync(join(fixture.root, 'far'), { recursive: true });
    rmSync(join(fixture.root, '.git/modules/far'), { recursive: true });
    mkdirSync(join(fixture.root, 'far'));
    fixture.git('config', 'submodule.far.url', join(folder, 'nowhere'));
  }
  return fixture;
}

export const oddNames = ['a b/c.txt', 'ä.txt', '日本語/x.md', 'q"uote.txt', 'x -> y.txt', '-n.txt'];

/** R2: R0 with names that break quoting. */
export function r2OddNames(folder: string): Fixture {
  const fixture = r0Plain(folder, 'r2');
  for (const name of oddNames) fixture.write(name, `${name}\n`);
  fixture.commit('odd names');
  return fixture;
}

/** R3: R0 with hooks of its own that fail, or sleep, or leave a trace when they run. */
export function r3Hooks(folder: string, body = 'sleep 60; exit 1'): Fixture {
  const fixture = r0Plain(folder, 'r3');
  const names = ['pre-commit', 'commit-msg', 'post-checkout', 'post-commit', 'post-merge'];
  for (const name of [...names, 'pre-merge-commit', 'reference-transaction', 'post-index-change']) {
    const path = join(folder, 'r3-hooks', name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `#!/bin/sh\necho ${name} >> ${join(folder, 'hooks.ran')}\n${body}\n`);
    chmodSync(path, 0o755);
  }
  fixture.git('config', 'core.hooksPath', join(folder, 'r3-hooks'));
  return fixture;
}

/**
 * R4: default branch `develop`, a stale `main`, no `origin/HEAD`; `develop` is behind its upstream.
 */
export function r4Develop(folder: string): Fixture {
  const remote = initialised(join(folder, 'r4-remote'), 'develop');
  remote.write('a.txt', '1\n');
  remote.commit('one');
  remote.git('branch', 'main');
  runGit(folder, 'clone', '-q', remote.root, 'r4');
  const fixture = fixtureAt(join(folder, 'r4'));
  fixture.git('remote', 'set-head', 'origin', '--delete');
  fixture.git('branch', '-q', 'main', 'origin/main');
  for (const n of ['two', 'three']) {
    remote.write('a.txt', `${n}\n`);
    remote.commit(n);
  }
  fixture.git('fetch', '-q');
  fixture.write('b.txt', 'ours\n');
  fixture.commit('ours');
  return fixture;
}

/** R5: R0 with a dirty checkout: a tracked change, a staged one, untracked files. */
export function r5Dirty(folder: string): Fixture {
  const fixture = r0Plain(folder, 'r5');
  fixture.write('staged.txt', 'before\n');
  fixture.commit('more');
  fixture.write('staged.txt', 'after\n');
  fixture.git('add', 'staged.txt');
  fixture.write('src/add.mjs', 'export const add = (a, b) => a * b;\n');
  for (let n = 0; n < 20; n += 1) fixture.write(`notes/${n}.txt`, `${n}\n`);
  fixture.write('pawl.yaml', 'checks: [npm test]\n');
  return fixture;
}

/** R6: R0 with HEAD detached one commit behind. */
export function r6Detached(folder: string): Fixture {
  const fixture = r0Plain(folder, 'r6');
  fixture.write('second.txt', '2\n');
  fixture.commit('second');
  fixture.git('checkout', '-q', '--detach', 'HEAD~1');
  return fixture;
}

/** R7: no commits, bare, and not a repository at all. */
export function r7Empty(folder: string): Fixture {
  return initialised(join(folder, 'r7-empty'));
}
export function r7Bare(folder: string): Fixture {
  const fixture = r0Plain(folder, 'r7-source');
  runGit(folder, 'clone', '-q', '--bare', fixture.root, 'r7.git');
  return fixtureAt(join(folder, 'r7.git'));
}
export function r7NotGit(folder: string): string {
  const path = join(folder, 'r7-plain');
  mkdirSync(path);
  writeFileSync(join(path, 'a.txt'), 'a\n');
  return path;
}

/**
 * Everything about a checkout that must not change behind a user's back: every file with its
 * content, the index's bytes, HEAD, its reflog, the stash.
 */
export function checkoutHash(root: string): string {
  const hash = createHash('sha256');
  for (const path of filesBelow(root)) {
    const stat = lstatSync(join(root, path));
    const content = stat.isSymbolicLink()
      ? readlinkSync(join(root, path))
      : readFileSync(join(root, path));
    hash.update(`${path}\0${stat.mode}\0`).update(content);
  }
  for (const name of ['HEAD', 'index', 'logs/HEAD', 'logs/refs/stash', 'config', 'info/exclude']) {
    const path = join(root, '.git', name);
    hash.update(name).update(existing(path));
  }
  return hash.digest('hex');
}

function existing(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch {
    return Buffer.from('none');
  }
}

function filesBelow(root: string, below = ''): readonly string[] {
  return readdirSync(join(root, below), { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = below === '' ? entry.name : `${below}/${entry.name}`;
      if (path === '.git') return [];
      return entry.isDirectory() ? filesBelow(root, path) : [path];
    });
}
