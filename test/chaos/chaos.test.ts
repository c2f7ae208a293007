/**
 * Goal: whatever is done to a run from outside, it is never shown as healthy over it, and it goes
 * on by itself on the same attempt, or asks a human within the grace, never silent; nothing is done
 * twice and nothing lost (RR-5, RR-7, RR-8, RR-29, RR-35, RR-36, RR-46, RR-47).
 * Method: the built program as real processes; faults by signal and by file; judged by what
 * `pawl status` says, and by a witness outside of pawl.
 */
import { expect, test } from 'vitest';
import { pawl } from '../support/pawl.ts';
import { watchedProject } from '../support/watched-project.ts';
import { type Fault, faults, worksOn } from './faults.ts';
import { atWork, doubled, letEnd, pageOf, type Stage, startRun, waitMs, watch } from './stage.ts';
import { note } from './table.ts';

/** What a run that does nothing is given (DESIGN §13), and one look. */
const graceMs = 330_000;

test.each(faults)('$name: $end (RR-5, RR-35, RR-46, RR-47)', async (fault) => {
  const own = pawl();
  const work = watchedProject(own.root);
  const stage: Stage = {
    own,
    work,
    page: () => pageOf((line) => own.run(line, { cwd: work.directory })),
    found: (word) => own.processes().filter(({ command }) => command.includes(word)),
  };
  try {
    await startRun(stage);
    await atWork(stage);
    const isShown = await watch(stage, ({ run }) => run.liveness?.state === 'working_local');
    expect(isShown, 'it is shown at work').not.toBeNull();
    await survives(stage, fault);
  } finally {
    letEnd(stage);
    await own.run(['cancel', 'one', '--now', '--yes'], { cwd: work.directory });
    await own.close();
  }
});

async function survives(stage: Stage, fault: Fault): Promise<void> {
  const { own, work } = stage;
  const from = performance.now();
  fault.strike(stage);
  // What a user has open: it starts a driver where none is.
  const wait = () => {
    const options = { cwd: work.directory, timeoutMs: graceMs * 2 };
    const { finished } = own.start(['wait', 'one'], options);
    finished.catch(() => {});
    return finished;
  };
  const early = fault.isLookedAtFirst === true ? null : wait();
  const { truth } = fault;
  const shown = truth === null ? null : await watch(stage, (page) => truth(page, stage), graceMs);
  const finished = early ?? wait();
  expect(truth === null || shown !== null, 'the truth was shown within the grace').toBe(true);
  fault.undo?.(stage);
  if (fault.worker !== 'nobody') {
    expect(await worksOn(stage, fault.worker), 'somebody works on').toBe(true);
  }
  const afterS = (performance.now() - from) / 1_000;
  letEnd(stage);
  const ended = await watch(stage, ({ run }) => !['active', 'cancelling'].includes(run.status));
  expect(ended, 'it ended').not.toBeNull();
  await finished;
  const page = await stage.page();
  if (page === null) throw new Error('status told nothing');
  const { status, reason, attempt, branch } = page.run;
  const isDone = status === 'complete';
  const isLost = isDone && work.git('show', `${branch}:answer.txt`) !== '42';
  const end = isDone ? 'recovered' : (reason ?? status);
  const counts = { attempts: attempt.n, doubled: doubled(stage), lost: isLost ? 1 : 0 };
  const { name } = fault;
  const trueAfterS = shown?.afterS ?? null;
  note({ fault: name, shown: shown?.shown ?? null, trueAfterS, end, afterS, ...counts });
  expect({ end, ...counts }).toEqual({
    end: fault.end,
    ...{ attempts: fault.attempts, doubled: 0, lost: 0 },
  });
  const audit = await own.run(['audit', 'verify'], { cwd: work.directory, timeoutMs: waitMs });
  expect(audit.exit, audit.stdout).toBe(0);
}
