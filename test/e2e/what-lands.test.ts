/** Goal: what was verified is what is shown, diffed and landed, whoever changed it in between. */
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Pawl, pawl } from '../support/pawl.ts';
import { runGit } from '../support/repositories.ts';

let it: Pawl;
beforeEach(() => {
  it = pawl();
});
afterEach(() => it.close());

/** On `main`: a golden file and work that the check does not pass yet. */
function project(): string {
  const root = join(it.root, 'project');
  mkdirSync(join(root, 'golden'), { recursive: true });
  mkdirSync(join(root, 'src'));
  writeFileSync(join(root, 'golden/x'), 'golden\n');
  writeFileSync(join(root, 'src/f'), 'bad\n');
  runGit(root, 'init', '-q', '-b', 'main');
  runGit(root, 'add', '-A');
  runGit(root, '-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-qm', 'base');
  return root;
}
const check = ['-n', '1', '--check', 'grep -q good src/f', '--json'];
const protect = ['--protect', 'golden/**'];
const naughty = 'echo good > src/f; echo agent > golden/x; echo more > golden/y';
const agent = (script: string) => ['--agent-cmd', `sh -c "${script}"`];

test('a protected file that was put back lands as it was (L-A10)', async () => {
  const cwd = project();
  const args = ['run', 'a', ...check, ...protect, ...agent(naughty)];
  const parked = (await it.run(args, { cwd })).json();
  expect(parked).toMatchObject({ status: 'needs_operator', reason: 'protected_changed' });
  await it.onTerminal(['resume', '@last', '--restore', '--json'], { cwd });
  await it.run(['wait', '@last'], { cwd });
  const shown = (await it.run(['show', '@last', '--json'], { cwd })).json();
  expect(shown).toMatchObject({ status: 'complete', verification: 'passed' });
  expect(shown['head']).not.toBe(parked['head']);
  const diff = await it.run(['diff', '@last'], { cwd });
  expect(diff.stdout).toContain('src/f');
  expect(diff.stdout).not.toContain('golden');
  expect((await it.onTerminal(['land', '@last', '--ff', '--json'], { cwd })).exit).toBe(0);
  expect(runGit(cwd, 'diff', '--name-only', 'main~2', 'main')).toBe('src/f');
});

test('drift that was put back lands without it, and no agent is started for that (L-A10)', async () => {
  const cwd = project();
  const script = 'echo good > src/f; echo agent > golden/x; echo more > other';
  const args = ['run', 'a', ...check, '--scope', 'src/**', ...agent(script)];
  const parked = (await it.run(args, { cwd })).json();
  expect(parked).toMatchObject({ status: 'needs_operator', reason: 'drift_detected' });
  await it.onTerminal(['resume', '@last', '--restore', '--json'], { cwd });
  await it.run(['wait', '@last'], { cwd });
  const shown = (await it.run(['show', '@last', '--json'], { cwd })).json();
  expect(shown).toMatchObject({ status: 'complete', verification: 'passed' });
  const events = (await it.run(['show', '@last', '--events', '--json'], { cwd })).stdout;
  expect(events.match(/"type":"turn\.ended"/g)).toHaveLength(1);
  expect((await it.onTerminal(['land', '@last', '--squash', '--json'], { cwd })).exit).toBe(0);
  expect(runGit(cwd, 'diff', '--name-only', 'main~1', 'main')).toBe('src/f');
});

test('onProtected restore records what it put back before anything is judged (L-A10)', async () => {
  const cwd = project();
  writeFileSync(join(cwd, 'pawl.yaml'), 'version: 1\nonProtected: restore\n');
  const args = ['run', 'a', ...check, ...protect, ...agent(naughty)];
  expect((await it.run(args, { cwd })).json()).toMatchObject({ status: 'complete' });
  expect((await it.onTerminal(['land', '@last', '--squash', '--json'], { cwd })).exit).toBe(0);
  expect(runGit(cwd, 'diff', '--name-only', 'main~1', 'main')).toBe('src/f');
});

test('what --verify-now looked at is the head, and lands (ruling 3)', async () => {
  const cwd = project();
  const args = ['run', 'a', ...check, ...agent('echo nearly > src/f')];
  const parked = (await it.run(args, { cwd })).json();
  expect(parked).toMatchObject({ status: 'needs_operator', reason: 'attempts_exhausted' });
  const tree = (await it.run(['path', '@last'], { cwd })).stdout.trim();
  appendFileSync(join(tree, 'src/f'), 'good\n');
  await it.onTerminal(['resume', '@last', '--verify-now', '--json'], { cwd });
  await it.run(['wait', '@last'], { cwd });
  const shown = (await it.run(['show', '@last', '--json'], { cwd })).json();
  expect(shown).toMatchObject({ status: 'complete', verification: 'passed' });
  expect(shown['head']).toBe(runGit(tree, 'rev-parse', 'HEAD'));
  expect((await it.run(['diff', '@last'], { cwd })).stdout).toContain('+good');
  expect((await it.onTerminal(['land', '@last', '--no-reverify', '--json'], { cwd })).exit).toBe(0);
  expect(runGit(cwd, 'show', 'main:src/f')).toBe('nearly\ngood');
});

test('what a human approved has a receipt that names him, and a stranger can verify it', async () => {
  const cwd = project();
  const args = ['run', 'a', '--manual', '-n', '1', '-d', '--json', ...agent('echo good > src/f')];
  await it.run(args, { cwd });
  await it.run(['wait', '@last', '--timeout', '60s'], { cwd });
  const approved = await it.onTerminal(['approve', '@last', '--note', 'fine', '--json'], { cwd });
  expect({ ...approved, exit: approved.exit }).toMatchObject({ exit: 0 });
  await it.run(['wait', '@last'], { cwd });
  const shown = await it.run(['show', '@last'], { cwd });
  expect(shown.stdout).toMatch(/approved by .+ \(terminal\)/);
  expect(shown.stdout).not.toContain('not signed');
  const receipt = await it.run(['show', '@last', '--receipt', '--json'], { cwd });
  expect(receipt.exit).toBe(0);
  const file = join(it.root, 'receipt.json');
  writeFileSync(file, receipt.stdout);
  const verified = await it.run(['artifact', 'verify', file], { cwd });
  expect({ exit: verified.exit, err: verified.stderr }).toEqual({ exit: 0, err: '' });
  expect((await it.onTerminal(['land', '@last', '--json'], { cwd })).exit).toBe(0);
});
