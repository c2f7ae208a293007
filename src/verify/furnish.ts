/**
 * Brings the prepared paths into a lane's tree: by reflink, else by copying, else setup runs there.
 * Never by hard links: a write in place would reach every other tree (L-G18, L-G20).
 */
import type { Commit } from '../domain/ids.ts';
import type { Checks } from '../ports/checks.ts';
import { keyOf, obtain } from './environment/prepare.ts';
import { runSetup } from './environment/setup.ts';
import { transfer } from './environment/transfer.ts';
import type { CheckJob } from './job.ts';
import { seconds } from './summary.ts';

type Furnished = Awaited<ReturnType<Checks['furnish']>>;

export async function furnish(job: CheckJob, directory: string): Promise<Furnished> {
  const { definition } = job.request;
  const { setup } = definition.workspace;
  if (setup === null) return { how: 'none', ok: true, detail: 'setup: none' };
  if (definition.source.isolation === 'none') {
    return { how: 'none', ok: true, detail: 'the project folder is used as it lies there' };
  }
  const commit = job.request.commit ?? definition.source.base;
  if (commit === null) return setupThere(job, directory, null);
  return fromShelf(job, directory, commit);
}

async function fromShelf(job: CheckJob, directory: string, commit: Commit): Promise<Furnished> {
  const known = await keyOf(job, commit);
  if (known === null) return { how: 'none', ok: true, detail: 'setup: none' };
  const obtained = await obtain(job, commit, known);
  if (!obtained.ok) return { how: 'setup', ok: false, detail: obtained.message };
  const { entry } = obtained.environment;
  if (!entry.relocatable) return setupThere(job, directory, entry.id);
  const begun = job.settings.clock.monotonicMs();
  const lock = `${job.settings.home}/environments/.locks/${entry.id}.link`;
  const how = await job.locks.hold(
    lock,
    { waitMs: 600_000, signal: job.request.signal },
    async () => {
      // What a check could have spoiled is not handed to a lane either.
      if ((await job.shelf.prove(entry)).length > 0) {
        await job.shelf.discard(entry.id);
        return null;
      }
      const from = job.shelf.treeOf(entry.id);
      return transfer({ from, to: directory, paths: entry.paths }, ['reflink', 'copy']);
    },
  );
  if (how === null || how === 'hardlink') return setupThere(job, directory, entry.id);
  const { id, paths } = entry;
  job.notes.write(directory, { id, how, paths, manifest: null });
  const took = seconds(job.settings.clock.monotonicMs() - begun);
  return { how, ok: true, detail: `${entry.files} files by ${how} in ${took}` };
}

async function setupThere(job: CheckJob, directory: string, id: string | null): Promise<Furnished> {
  const done = await runSetup(job, directory, id);
  if (!done.ok) return { how: 'setup', ok: false, detail: done.message };
  if (id !== null) job.notes.write(directory, { id, how: 'setup', paths: [], manifest: null });
  return { how: 'setup', ok: true, detail: `setup ran there in ${seconds(done.run.durationMs)}` };
}
