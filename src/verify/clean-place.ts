/** A check tree of the runtime's own, at exactly the commit, with its prepared environment. */
import { join } from 'node:path';
import type { Commit } from '../domain/ids.ts';
import type { CheckTree } from '../ports/workspace.ts';
import { bringCopies } from './environment/copies.ts';
import { type Installation, install } from './environment/install.ts';
import { type Environment, keyOf, obtain } from './environment/prepare.ts';
import type { CheckJob } from './job.ts';
import { type EnvironmentFacts, noEnvironment, type Place, type Placed } from './place.ts';

/** `refresh`: as in a lease; only before an agent has worked. */
export async function cleanPlace(job: CheckJob, commit: Commit, refresh = false): Promise<Placed> {
  const known = await keyOf(job, commit);
  const obtained = known === null ? null : await obtain(job, commit, known);
  if (obtained !== null && !obtained.ok) return obtained;
  const environment = obtained?.environment ?? null;
  const { project, workspace } = job.request.definition;
  const tree = await job.settings.trees.lease({
    root: project.root,
    commit,
    keep: environment?.entry.paths ?? [],
    submodules: workspace.submodules,
    slots: job.settings.slots,
    signal: job.request.signal,
    refresh,
  });
  try {
    bringCopies(project.root, tree.directory, job.copies);
    const first =
      environment === null ? null : await install(job, environment.entry, tree.directory);
    return { ok: true, place: placeOf(job, tree, environment, first) };
  } catch (error: unknown) {
    await tree.release();
    throw error;
  }
}

function placeOf(
  job: CheckJob,
  tree: CheckTree,
  environment: Environment | null,
  first: Installation | null,
): Place {
  const rebuilt: (readonly string[])[] = [];
  let how: EnvironmentFacts['how'] = first?.how ?? 'none';
  let isFresh = true;
  const note = (installation: Installation | null) => {
    if (installation === null) return;
    how = installation.how;
    if (installation.differing.length === 0) return;
    rebuilt.push(installation.differing);
    const paths = installation.differing.join(', ');
    job.request.progress(`prepared files were not as setup left them, made again: ${paths}`);
  };
  note(first);
  return {
    tree: tree.directory,
    directory: join(tree.directory, job.request.definition.project.cwd),
    kind: 'clean',
    emptySubmodules: tree.emptySubmodules,
    facts: () => environmentFacts(job, environment, { how, rebuilt }),
    async ready() {
      // The first criterion comes right after the installation was proven.
      if (isFresh) isFresh = false;
      else if (environment !== null) note(await install(job, environment.entry, tree.directory));
    },
    release: () => tree.release(),
  };
}

function environmentFacts(
  job: CheckJob,
  environment: Environment | null,
  state: Pick<EnvironmentFacts, 'how' | 'rebuilt'>,
): EnvironmentFacts {
  if (environment === null) return noEnvironment;
  return {
    setup: job.request.definition.workspace.setup?.command ?? null,
    key: environment.key,
    tools: environment.tools,
    paths: environment.entry.paths.slice(0, 20),
    putBack: environment.entry.changed ?? [],
    ...state,
  };
}
