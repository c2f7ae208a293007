/** What is done with one fault: a run, the fault, what is shown of it, and how it ended. */
import { expect } from 'vitest';
import { type Fault, worksOn } from './fault.ts';
import { openStage } from './open-stage.ts';
import { doubled, letEnd, type Stage, starts, waitMs, watch } from './stage.ts';
import { note } from './table.ts';

/** What a run that does nothing is given (DESIGN §13), and one look. */
const graceMs = 330_000;

/** How it ended, and what the witness saw. */
export interface Outcome {
  /** `recovered`, or the reason with which a human was asked. */
  readonly end: string;
  readonly attempts: number;
  readonly doubled: number;
  readonly lost: number;
}

/** What is promised of it. */
export const promised = ({ end, attempts }: Fault): Outcome => ({
  ...{ end, attempts },
  ...{ doubled: 0, lost: 0 },
});

/** A fresh run of a fresh project, at work; then the fault, whoever comes after it, and its end. */
export async function tried(fault: Fault): Promise<Outcome> {
  const stage = await openStage(fault.of ?? {});
  try {
    return await survives(stage, fault);
  } finally {
    await stage.close();
  }
}

async function survives(stage: Stage, fault: Fault): Promise<Outcome> {
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
    expect(await worksOn(stage, fault), 'somebody works on').toBe(true);
  }
  const afterS = (performance.now() - from) / 1_000;
  letEnd(stage);
  const ended = await watch(stage, ({ run }) => !['active', 'cancelling'].includes(run.status));
  expect(ended, 'it ended').not.toBeNull();
  await finished;
  const outcome = await endOf(stage);
  const trueAfterS = shown?.afterS ?? null;
  note({ fault: fault.name, shown: shown?.shown ?? null, trueAfterS, afterS, ...outcome });
  if (fault.executions !== undefined) expect(starts(stage)).toHaveLength(fault.executions);
  fault.alsoHolds?.(stage);
  const audit = await own.run(['audit', 'verify'], { cwd: work.directory, timeoutMs: waitMs });
  expect(audit.exit, audit.stdout).toBe(fault.spoils === true ? 1 : 0);
  const problems = audit.stdout.split('\n').filter((line) => /^ {2}\w{12}: /.test(line));
  expect(problems.filter((line) => !line.endsWith(' were changed'))).toEqual([]);
  return outcome;
}

async function endOf(stage: Stage): Promise<Outcome> {
  const page = await stage.page();
  if (page === null) throw new Error('status told nothing');
  const { status, reason, attempt, branch } = page.run;
  const isDone = status === 'complete';
  const isLost = isDone && stage.work.git('show', `${branch}:answer.txt`) !== '42';
  const end = isDone ? 'recovered' : (reason ?? status);
  return { end, attempts: attempt.n, doubled: doubled(stage), lost: isLost ? 1 : 0 };
}
