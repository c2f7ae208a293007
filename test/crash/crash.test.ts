/**
 * Goal: kill -9 anywhere in a run changes nothing of how it ends (XP-3, RR-5, RR-28, RR-29, L-A7,
 * L-C12, L-D22, L-D23, L-K8, L-K9, D-26).
 * Method: programs with fault points, which the shipped ones lack, kill themselves at a named
 * point; once alone, once together with every other process of ours (driver, hosts, viewer). No
 * human acts: what a user would have open (`pawl run`, `pawl wait`) is all that goes on.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Project, project } from '../support/answer-project.ts';
import { type Pawl, pawl } from '../support/pawl.ts';
import { signal, until } from '../support/processes.ts';
import { buildWithFaults } from './build.ts';
import { type CrashPoint, crashPoints } from './table.ts';

let programs: Awaited<ReturnType<typeof buildWithFaults>>;
const rows: string[] = [];

beforeAll(async () => {
  programs = await buildWithFaults();
});
afterAll(() => {
  programs.remove();
  process.stdout.write(`\n${[heading, ...rows.toSorted()].join('\n')}\n`);
});

const heading = `${'killed at'.padEnd(44)} ${'with'.padEnd(6)} end       attempts  starts  work`;
const caseMsMax = 240_000;

describe.concurrent.each(crashPoints)(
  'kill -9 of $program at $point, time $count (XP-3, RR-28, RR-29)',
  (point) => {
    test.concurrent('alone', () => survives(point, 'alone'), caseMsMax);
    test.concurrent('with every other process of ours', () => survives(point, 'all'), caseMsMax);
  },
);

async function survives(point: CrashPoint, victims: 'alone' | 'all'): Promise<void> {
  const own = pawl({ program: programs.program });
  try {
    const work = project(own.root);
    const latch = join(own.root, 'latch');
    const env = {
      PAWL_CRASH: `${point.program}:${point.point}:${point.count}`,
      PAWL_CRASH_LATCH: latch,
    };
    const viewer = own.start(work.run, { cwd: work.directory, env, timeoutMs: caseMsMax });
    const finished = viewer.finished.catch(() => null);
    const isReached = await until(() => existsSync(latch), caseMsMax / 2);
    expect(isReached, `${point.program} never reached ${point.point}`).toBe(true);
    if (victims === 'all') await killAll(own);
    await finished;
    await carryOn(own, work);
    await judge({ own, work, point, victims });
  } finally {
    await own.close();
  }
}

/** The agents die by their containment, not by us: that is what is tried. */
async function killAll(own: Pawl): Promise<void> {
  const ours = own.processes().filter(({ command }) => command.includes('/programs/'));
  for (const one of ours) signal(one, 'SIGKILL');
  await until(
    () => ours.every((one) => !own.processes().some(({ pid }) => pid === one.pid)),
    5_000,
  );
}

/** A start that was killed before its commit left nothing, and is simply made again. */
async function carryOn(own: Pawl, work: Project): Promise<void> {
  const options = { cwd: work.directory, timeoutMs: caseMsMax };
  const listed = await own.run(['list', '--json'], options);
  const { runs } = listed.json() as { runs: readonly unknown[] };
  const args = runs.length === 0 ? work.run : ['wait', '@last'];
  const last = await own.run(args, options);
  expect(last.exit, last.stdout + last.stderr).toBe(0);
}

async function judge(found: {
  readonly own: Pawl;
  readonly work: Project;
  readonly point: CrashPoint;
  readonly victims: string;
}): Promise<void> {
  const { own, work, point, victims } = found;
  const shown = await own.run(['show', '@last', '--json'], { cwd: work.directory });
  const run = shown.json() as { status: string; attempt: { n: number }; branch: string };
  const starts = work.starts();
  const answer = work.git('show', `${run.branch}:answer.txt`);
  const name = `${point.program} ${point.point} ${point.count}`;
  rows.push(
    `${name.padEnd(44)} ${victims.padEnd(6)} ${run.status}  ${String(run.attempt.n).padEnd(8)}  ${String(starts.length).padEnd(6)}  ${answer === '42' ? 'whole' : 'LOST'}`,
  );
  expect(run.status).toBe('complete');
  expect(run.attempt.n, 'an operational failure spent an attempt').toBe(2);
  expect(answer).toBe('42');
  const executions = starts.map(({ execution }) => execution);
  expect(new Set(executions).size, 'one execution started its agent twice').toBe(executions.length);
  expect(new Set(starts.map(({ attempt }) => attempt))).toEqual(new Set([1, 2]));
  const audit = await own.run(['audit', 'verify'], { cwd: work.directory });
  expect(audit.exit, audit.stdout).toBe(0);
}
