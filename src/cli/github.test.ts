/** Goal: GitHub Actions is told an end once, after the guard; nothing else is (UX 3.4). */
import { expect, test } from 'vitest';
import { exampleView } from '../../test/support/example-run.ts';
import { typed } from '../../test/support/scripted-cli.ts';
import { scriptedClient } from '../../test/support/scripted-client.ts';

const done = exampleView({
  status: 'complete',
  phase: null,
  execution: null,
  verification: 'passed',
});
const watch = (env: Readonly<Record<string, string>>, flags: readonly string[] = []) =>
  typed(['watch', '7k2m', ...flags], { client: scriptedClient([done]), env });
const actions = { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: '/tmp/summary.md' };

test('what is printed stands between guards, the annotation after them, the summary in its file', async () => {
  const { out, io } = await watch(actions);
  const token = /^::stop-commands::(\S+)\n/.exec(out)?.[1] ?? 'none';
  expect(out.split(`::${token}::\n`)).toHaveLength(2);
  expect(out.indexOf('::notice ')).toBeGreaterThan(out.indexOf(`::${token}::`));
  expect(io.saved.get('/tmp/summary.md')).toContain('fix-date-parsing 7k2m');
});

test('with --json stdout holds objects alone', async () => {
  const { out, err } = await watch(actions, ['--json']);
  expect(out).not.toContain('::');
  expect(err).toContain('::notice ');
});

test('without a summary file only annotations are written; elsewhere nothing', async () => {
  const without = await watch({ GITHUB_ACTIONS: 'true' });
  expect(without.out).toContain('::notice ');
  expect(without.io.saved.size).toBe(0);
  const elsewhere = await watch({ GITHUB_STEP_SUMMARY: '/tmp/summary.md' });
  expect(elsewhere.out).not.toContain('::');
  expect(elsewhere.io.saved.size).toBe(0);
});
