/**
 * Goal: a terminal that is closed in the middle of an execution ends the view and nothing else
 * (L-C12, L-D22, L-D23, RR-5): the run is verified without it, and the morning shows it ready to
 * land. Method: `script` gives the run a terminal; killing `script` closes it, as a lost connection
 * does.
 */
import { spawn } from 'node:child_process';
import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { project } from '../support/answer-project.ts';
import { binary, pawl } from '../support/pawl.ts';
import { until } from '../support/processes.ts';

test('a run whose terminal was closed is verified all the same', async () => {
  const own = pawl();
  try {
    const work = project(own.root);
    const line = [process.execPath, binary, ...work.run].map((word) => `'${word}'`).join(' ');
    const terminal = spawn('script', ['--quiet', '--command', line, '/dev/null'], {
      cwd: work.directory,
      env: own.env,
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
    });
    const gone = new Promise((resolve) => terminal.once('close', resolve));
    expect(await until(() => work.starts().length > 0, 120_000)).toBe(true);
    terminal.kill('SIGKILL');
    await gone;

    const options = { cwd: work.directory };
    let status = '';
    const end = performance.now() + 120_000;
    while (!status.includes('READY TO LAND') && performance.now() < end) {
      status = (await own.run(['status'], options)).stdout;
    }
    expect(status).toMatch(/READY TO LAND \(1\)\n ✓ find-the-answer \w{4,} /);
    expect(status).toMatch(/pawl land \w{4,}/);
    expect(existsSync(join(own.home, 'store.db'))).toBe(true);
    expect(work.starts().map(({ attempt }) => attempt)).toEqual([1, 2]);
    // Its repository is gone: that costs the page what git says of the work, and no more.
    renameSync(join(work.directory, '.git'), join(work.directory, 'git-elsewhere'));
    const without = await own.run(['status'], options);
    expect(without).toMatchObject({ exit: 0, stderr: '' });
    expect(without.stdout).toMatch(/READY TO LAND \(1\)\n ✓ find-the-answer \w{4,} /);
  } finally {
    await own.close();
  }
});
