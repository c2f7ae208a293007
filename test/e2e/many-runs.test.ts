/**
 * Goal: twenty runs that start at once in one repository all end, and nothing is lost (L-K1, L-K2,
 * L-G10, L-G12, L-L1, XP-3).
 * Method: twenty processes of the built program; they share the store, the repository and the
 * slots.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { project } from '../support/answer-project.ts';
import { pawl } from '../support/pawl.ts';

const runs = 20;
const timeoutMs = 900_000;

test(
  'twenty runs at once in one repository all end verified',
  async () => {
    const own = pawl();
    try {
      const work = project(own.root);
      const options = { cwd: work.directory, timeoutMs };
      const ended = await Promise.all(
        Array.from({ length: runs }, (_, n) =>
          own.run([...work.run, '--name', `answer-${n + 1}`], options),
        ),
      );
      for (const { exit, stdout, stderr } of ended) {
        expect(exit, stdout + stderr).toBe(0);
        expect(stdout + stderr).not.toMatch(/busy|SQLITE|locked/i);
      }
      const listed = (await own.run(['list', '--json'], options)).json() as {
        runs: readonly { name: string; status: string; branch: string; attempt: { n: number } }[];
      };
      const names = listed.runs.map(({ name }) => name).toSorted();
      expect(names).toEqual(Array.from({ length: runs }, (_, n) => `answer-${n + 1}`).toSorted());
      for (const { status, branch, attempt } of listed.runs) {
        expect([status, attempt.n]).toEqual(['complete', 2]);
        expect(work.git('show', `${branch}:answer.txt`)).toBe('42');
      }
      const executions = work.starts().map(({ execution }) => execution);
      expect(new Set(executions).size).toBe(executions.length);
      expect(executions).toHaveLength(2 * runs);
      expect(work.git('status', '--porcelain')).toBe('');
      expect(work.git('branch', '--list', 'pawl/*').split('\n')).toHaveLength(runs);
      const trees = readdirSync(join(own.home, 'worktrees'), { recursive: true }).filter((path) =>
        String(path).endsWith('answer.txt'),
      );
      expect(trees).toHaveLength(runs);
      expect((await own.run(['audit', 'verify'], options)).exit).toBe(0);
    } finally {
      await own.close();
    }
  },
  timeoutMs,
);
