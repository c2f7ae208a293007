/**
 * Goal: a dry run goes through rows, hosts and seals like any other and leaves nothing that could
 * be taken for work or for a proof.
 * Method: the built program; the agent, the setup and the check of the definition leave a mark when
 * they are run.
 */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Pawl, pawl } from '../support/pawl.ts';
import { r0Plain, runGit } from '../support/repositories.ts';

let it: Pawl;
beforeEach(() => {
  it = pawl();
});
afterEach(() => it.close());

const lines = (text: string) =>
  text
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);

test('it is dispatched, done and verified by nobody, and nothing of it looks verified (XP-41, XP-18)', async () => {
  const { root } = r0Plain(it.root);
  const mark = (name: string) => `touch ${join(it.root, name)}`;
  const before = runGit(root, 'for-each-ref');
  const told = ['--agent-cmd', mark('agent'), '--check', mark('check'), '--setup', mark('setup')];
  const line = ['run', 'do it', ...told, '--name', 'dry', '--dry-run', '--json'];
  const ran = await it.run(line, { cwd: root });
  expect(ran.exit, ran.stderr).toBe(0);
  const [definition, ...rest] = lines(ran.stdout);
  expect(definition).toMatchObject({
    schema: 'pawl.definition/1',
    definition: { roles: { execute: { command: ['touch', join(it.root, 'agent')] } } },
  });
  expect(rest.map(({ type }) => type).filter((type) => type === 'job.dispatched')).toHaveLength(3);
  expect(rest.map(({ type }) => type)).toEqual(
    expect.arrayContaining(['baseline.recorded', 'turn.ended', 'verification.recorded']),
  );
  expect(rest.at(-1)).toMatchObject({
    status: 'cancelled',
    dryRun: true,
    verification: null,
    receipt: null,
    branch: null,
    head: null,
    spent: { costUsd: null, tokensIn: 0, tokensOut: 0 },
  });
  for (const name of ['agent', 'check', 'setup'])
    expect(existsSync(join(it.root, name))).toBe(false);
  expect(runGit(root, 'for-each-ref')).toBe(before);
  expect(runGit(root, 'status', '--porcelain')).toBe('');
  const trees = join(it.home, 'worktrees');
  expect(existsSync(trees) ? readdirSync(trees, { recursive: true }) : []).toEqual([]);
  const shown = await it.run(['show', 'dry'], { cwd: root });
  expect(shown.stdout).toContain('– dry run    dry');
  expect(shown.stdout).toContain('nothing was verified');
  expect(shown.stdout).not.toContain('✓');
  expect((await it.run(['wait', 'dry'], { cwd: root })).exit).toBe(1);
  expect((await it.run(['show', 'dry', '--receipt'], { cwd: root })).exit).toBe(2);
  expect((await it.run(['retry', 'dry'], { cwd: root })).exit).toBe(2);
}, 120_000);
