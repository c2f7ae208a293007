/**
 * Goal: what lands is what was verified, whatever became of its branch between the two (RR-35).
 * Method: a verified run of the built program; its branch is moved, or deleted, by somebody else.
 */
import { expect, test } from 'vitest';
import { branchOf, moveBranch } from './fault.ts';
import { openStage } from './open-stage.ts';
import { letEnd, type Stage, watch } from './stage.ts';
import { note } from './table.ts';

const strikes: readonly (readonly [string, (stage: Stage) => void])[] = [
  ['moved', moveBranch],
  ['deleted', ({ work }) => work.git('update-ref', '-d', `refs/heads/${branchOf(work)}`)],
];

test.each(strikes)(
  'its branch is %s before it lands: what was verified lands (RR-35)',
  async (what, strike) => {
    const stage = await openStage({});
    const { own, work } = stage;
    try {
      letEnd(stage);
      expect(await watch(stage, ({ run }) => run.status === 'complete')).not.toBeNull();
      strike(stage);
      const from = performance.now();
      const landed = await own.onTerminal(['land', 'one', '--yes'], { cwd: work.directory });
      expect(landed.exit, landed.stdout).toBe(0);
      const afterS = (performance.now() - from) / 1_000;
      const lost = work.git('show', 'main:answer.txt') === '42' ? 0 : 1;
      const row = { shown: 'complete', trueAfterS: null, end: 'landed', afterS, doubled: 0 };
      note({ fault: `its branch is ${what} before it lands`, ...row, attempts: 1, lost });
      expect(lost).toBe(0);
    } finally {
      await stage.close();
    }
  },
);
