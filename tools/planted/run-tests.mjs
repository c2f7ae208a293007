/** One run of named tests in a copy of the tree, within a bound of time. */
import { spawn } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const outputMax = 4_000;
/** What vitest started goes with it: a process group of its own. */
const running = new Set();

/**
 * @param {{project: string, files: readonly string[], title?: string}} tests
 * @returns {Promise<{report: object|null, hung: boolean, output: string}>}
 */
export function runTests(directory, tests, boundMs) {
  const out = join(directory, 'planted-report.json');
  rmSync(out, { force: true });
  const child = spawn(process.execPath, argsFor(tests, out), {
    cwd: directory,
    detached: true,
    env: { ...process.env, CI: 'true', FORCE_COLOR: '0' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  let output = '';
  const hear = (chunk) => {
    output = `${output}${chunk}`.slice(-outputMax);
  };
  child.stdout.on('data', hear);
  child.stderr.on('data', hear);
  return new Promise((resolve, reject) => {
    let hung = false;
    const timer = setTimeout(() => {
      hung = true;
      endGroup(child);
    }, boundMs);
    child.once('error', reject);
    child.once('close', () => {
      clearTimeout(timer);
      running.delete(child);
      // Whatever the tests left behind does not outlive them.
      endGroup(child);
      resolve({ report: hung ? null : reportIn(out), hung, output });
    });
  });
}

export function endAll() {
  for (const child of running) endGroup(child);
}

function argsFor({ project, files, title }, out) {
  const named = title === undefined ? [] : ['--testNamePattern', escaped(title)];
  return [
    ...['node_modules/vitest/vitest.mjs', 'run', '--project', project, ...files, ...named],
    ...['--reporter=default', '--reporter=json', `--outputFile.json=${out}`, '--cache=false'],
  ];
}

const escaped = (text) => text.replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&');

function endGroup({ pid }) {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}

function reportIn(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    if (error.code === 'ENOENT' || error instanceof SyntaxError) return null;
    throw error;
  }
}
