/**
 * The lane's own tree (`verify.tree: lane`) or the project's folder (`isolation: none`): others can
 * write there, so receipts call it `shared`. A project's folder is never cleaned or checked out.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Commit } from '../domain/ids.ts';
import { isManifest } from './environment/key.ts';
import { keyOf } from './environment/prepare.ts';
import { runSetup } from './environment/setup.ts';
import { removePaths } from './environment/transfer.ts';
import { isCache } from './environment/walk.ts';
import type { CheckJob } from './job.ts';
import { type EnvironmentFacts, noEnvironment, type Placed } from './place.ts';

export async function sharedPlace(
  job: CheckJob,
  directory: string,
  commit: Commit | null,
): Promise<Placed> {
  const { definition } = job.request;
  const isLaneTree = definition.source.isolation === 'worktree' && commit !== null;
  if (isLaneTree) {
    await job.settings.trees.cleanLaneTree(directory, commit);
    const ignored = await job.settings.trees.ignoredPaths(directory);
    await removePaths(directory, ignored.map((path) => path.replace(/\/$/, '')).filter(isCache));
  }
  const setup = await setupOnce(job, directory, isLaneTree ? commit : null);
  if (setup !== null && 'ok' in setup) return setup;
  return {
    ok: true,
    place: {
      tree: directory,
      directory: join(directory, definition.project.cwd),
      kind: 'shared',
      emptySubmodules: [],
      facts: () => setup ?? noEnvironment,
      ready: () => Promise.resolve(),
      release: () => Promise.resolve(),
    },
  };
}

/** Setup runs when the last one here was for another key. */
async function setupOnce(job: CheckJob, directory: string, commit: Commit | null) {
  const { workspace, project } = job.request.definition;
  if (workspace.setup === null) return null;
  const known =
    commit === null
      ? { key: folderKey(join(directory, project.cwd), workspace.setup.command), tools: [] }
      : await keyOf(job, commit);
  const key = known?.key ?? '';
  const facts: EnvironmentFacts = {
    ...noEnvironment,
    setup: workspace.setup.command,
    key,
    how: 'setup',
    tools: known?.tools ?? [],
  };
  if (job.notes.read(directory)?.id.startsWith(key) === true) return facts;
  const done = await runSetup(job, directory, key);
  if (!done.ok) return done;
  job.notes.write(directory, { id: key, how: 'setup', paths: [], manifest: null });
  return facts;
}

/** Without a commit to ask: the manifests of the folder as they lie there. */
function folderKey(folder: string, command: string): string {
  const hash = createHash('sha256').update(JSON.stringify([command, folder]));
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isFile() && isManifest(entry.name)) {
      hash.update(entry.name).update(readFileSync(join(folder, entry.name)));
    }
  }
  return hash.digest('hex');
}
