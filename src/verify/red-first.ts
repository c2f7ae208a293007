/** Lays the tests that the work changed over the base commit and runs the check there (L-A13). */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Commit } from '../domain/ids.ts';
import type { TestCounts } from '../domain/verdict/verdict.ts';
import { WorldError } from '../kernel/errors.ts';
import { cleanPlace } from './clean-place.ts';
import type { BaseRun } from './criteria/kind.ts';
import { leadsInside, removePaths } from './environment/transfer.ts';
import type { CheckJob } from './job.ts';
import { isTestFile } from './test-files.ts';

const changedMax = 500;

export async function runOnBase(
  job: CheckJob,
  at: { readonly base: Commit; readonly commit: Commit; readonly baseline: TestCounts | null },
  command: string,
  timeoutMs: number,
): Promise<BaseRun> {
  const { trees } = job.settings;
  const { root, cwd } = job.request.definition.project;
  const [before, after] = [await trees.list(root, at.base), await trees.list(root, at.commit)];
  const changed = [...after.keys()].filter(
    (path) => isTestFile(path) && before.get(path) !== after.get(path),
  );
  if (changed.length === 0) return { changed, run: null, baseline: at.baseline };
  // A second tree while one is held: twice the slots, so that holders never wait for each other.
  const settings = { ...job.settings, slots: 2 * job.settings.slots };
  const placed = await cleanPlace({ ...job, settings }, at.base);
  if (!placed.ok) throw new WorldError('setup_failed', placed.message);
  const { place } = placed;
  try {
    for (const path of changed.slice(0, changedMax)) {
      const bytes = await trees.show(root, at.commit, path);
      if (bytes === null || !leadsInside(place.tree, path)) continue;
      await removePaths(place.tree, [path]);
      await mkdir(dirname(join(place.tree, path)), { recursive: true });
      await writeFile(join(place.tree, path), bytes);
    }
    job.request.progress(`red first: the ${changed.length} changed test files on the base commit`);
    const run = await job.run(command, join(place.tree, cwd), timeoutMs);
    return { changed, run, baseline: at.baseline };
  } finally {
    await place.release();
  }
}
