/**
 * The repair agent of the demonstration, alone: whatever runs it gets an agent that really repairs,
 * that never tries the same change twice, and that always claims success.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, expect, test } from 'vitest';

const example = resolve('examples/mutation-agent');
const roots: string[] = [];
afterEach(() => {
  for (const root of roots.splice(0)) rmSync(root, { recursive: true, force: true });
});

function projectOf(kind: 'project' | 'stuck') {
  const root = mkdtempSync(join(tmpdir(), 'pawl-mutation-'));
  roots.push(root);
  const tree = join(root, 'tree');
  const history = join(root, 'history.md');
  const prompt = join(root, 'prompt.md');
  cpSync(join(example, kind), tree, { recursive: true });
  writeFileSync(prompt, 'Make the failing test pass.\n');
  writeFileSync(history, '');
  const env = { ...process.env, PAWL_HISTORY_FILE: history, PAWL_PROMPT_FILE: prompt };
  Reflect.deleteProperty(env, 'NODE_TEST_CONTEXT');
  const run = (command: string, ...args: readonly string[]) =>
    spawnSync(command, args, { cwd: tree, env, encoding: 'utf8' });
  const identity = ['-c', 'user.name=t', '-c', 'user.email=t@example.invalid'];
  const git = (...args: readonly string[]) =>
    execFileSync('git', [...identity, ...args], { cwd: tree, encoding: 'utf8' });
  git('init', '-q', '-b', 'main');
  git('add', '-A');
  git('commit', '-qm', 'base');
  git('checkout', '-qb', 'pawl/one');
  return {
    git,
    isGreen: () => run(process.execPath, '--test').status === 0,
    turn: () => run(process.execPath, join(example, 'agent.mjs')),
    /** What the runtime does after a turn: a snapshot, and a line of history. */
    endAttempt: (n: number) => {
      git('commit', '-q', '--allow-empty', '-am', `attempt ${n}`);
      writeFileSync(history, `[Attempt ${n}] FAIL: node --test exit 1\n`, { flag: 'a' });
    },
  };
}

test('it repairs the bug in two to six attempts and claims success in each', () => {
  const project = projectOf('project');
  expect(project.isGreen()).toBe(false);
  const diffs: string[] = [];
  for (let attempt = 1; attempt <= 6 && !project.isGreen(); attempt += 1) {
    const { status, stdout } = project.turn();
    expect(status).toBe(0);
    expect(stdout.trimEnd().split('\n').at(-1)).toBe('done, all tests pass');
    expect(project.git('status', '--porcelain')).toMatch(/^ M src\/\S+\n$/);
    diffs.push(project.git('diff', 'main'));
    project.endAttempt(attempt);
  }
  expect(project.isGreen()).toBe(true);
  expect(diffs.length).toBeGreaterThanOrEqual(2);
  expect(new Set(diffs).size).toBe(diffs.length);
  expect(
    diffs.every((diff) => diff.split('\n').filter((line) => /^\+(?!\+)/.test(line)).length === 1),
  ).toBe(true);
});

test('a turn that is run again, after a crash, makes the same change again', () => {
  const project = projectOf('project');
  project.turn();
  const first = project.git('diff', 'main');
  project.turn();
  expect(project.git('diff', 'main')).toBe(first);
});

test('it cannot mend what needs a new idea, and claims success all the same', () => {
  const project = projectOf('stuck');
  const diffs: string[] = [];
  for (let attempt = 1; attempt <= 5; attempt += 1) {
    expect(project.turn().stdout).toMatch(/^done, all tests pass$/m);
    expect(project.isGreen()).toBe(false);
    diffs.push(project.git('diff', 'main'));
    project.endAttempt(attempt);
  }
  expect(new Set(diffs).size).toBe(diffs.length);
});
