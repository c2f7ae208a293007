/** What is done with one fault to a run of servers and workers, at work: and how it ended. */
import { expect } from 'vitest';
import type { World } from '../partition/world.ts';
import { until } from '../support/processes.ts';
import { doubled, letEnd, type Page, pageOf, type Shown, starts, waitMs, watch } from './stage.ts';
import { note } from './table.ts';

const graceMs = 330_000;

export interface ServedFault {
  readonly name: string;
  readonly strike: (world: World) => Promise<void> | void;
  readonly truth: ((world: World, run: Shown) => boolean) | null;
  /** A new execution of the attempt, or the one that was there. */
  readonly worker: 'again' | 'same';
  /** What was acknowledged and is not there any more; absent: it is not counted. */
  readonly lost?: (world: World) => Promise<number>;
}

export const took = ({ work }: World): boolean => starts({ work }).length > 1;

/** The fault, whoever goes on after it, and the end of the run. */
export async function survives(world: World, fault: ServedFault): Promise<void> {
  const { work } = world;
  const from = performance.now();
  await fault.strike(world);
  const page = (): Promise<Page | null> => pageOf(world.typed);
  const stage = { work, page };
  const { truth } = fault;
  const shown = truth === null ? null : await watch(stage, ({ run }) => truth(world, run), graceMs);
  expect(truth === null || shown !== null, 'the truth was shown within the grace').toBe(true);
  const before = work.wrote().length;
  const goesOn = () =>
    fault.worker === 'again' ? starts(stage).length > 1 : work.wrote().length > before;
  expect(await until(goesOn, waitMs), 'somebody works on').toBe(true);
  const afterS = (performance.now() - from) / 1_000;
  letEnd(stage);
  const ended = await watch(stage, ({ run }) => run.status !== 'active', graceMs);
  const run = (await page())?.run;
  if (run === undefined) throw new Error(`status told nothing: ${ended?.shown}`);
  const end = run.status === 'complete' ? 'recovered' : (run.reason ?? run.status);
  const isLost = run.status === 'complete' && work.git('show', `${run.branch}:answer.txt`) !== '42';
  const lost = ((await fault.lost?.(world)) ?? 0) + (isLost ? 1 : 0);
  const counts = { attempts: run.attempt.n, doubled: doubled(stage), lost };
  const row = { shown: shown?.shown ?? null, trueAfterS: shown?.afterS ?? null, end, afterS };
  note({ fault: fault.name, ...row, ...counts });
  expect({ end, ...counts }).toEqual({ end: 'recovered', attempts: 1, doubled: 0, lost: 0 });
}
